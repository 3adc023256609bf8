import * as vscode from 'vscode';
import { orUndefined } from '../../core/support/background.ts';

/** The files of one chat: the first that can be read is imported. */
export type ChatCandidate = readonly vscode.Uri[];

/** Location of another assistant's chats. */
export interface ChatSource {
  readonly name: string;
  readonly chats: readonly ChatCandidate[];
}

export interface ChatFolders {
  /** VS Code's storage folder for Aside; those of other extensions are next to it. */
  readonly globalStorage: vscode.Uri;
  /** The person's home folder; undefined in a browser. */
  readonly home: vscode.Uri | undefined;
}

/** The sources with chats on this machine. Unreadable folders are skipped. */
export async function findChatSources({
  globalStorage,
  home,
}: ChatFolders): Promise<readonly ChatSource[]> {
  const user = vscode.Uri.joinPath(globalStorage, '..', '..');
  const tasksOf = (extension: string): Promise<readonly ChatCandidate[]> =>
    tasksIn(vscode.Uri.joinPath(globalStorage, '..', extension, 'tasks'));
  const sources = [
    {
      name: 'Continue',
      chats:
        home === undefined ? [] : await chatsIn(vscode.Uri.joinPath(home, '.continue', 'sessions')),
    },
    { name: 'Cline', chats: await tasksOf('saoudrizwan.claude-dev') },
    { name: 'Roo Code', chats: await tasksOf('rooveterinaryinc.roo-cline') },
    { name: vscode.l10n.t('Chats of VS Code'), chats: await sessionsOf(user) },
  ];
  return sources.filter(({ chats }) => chats.length > 0);
}

/** The chats in a folder that the person chose: files, and tasks of Cline and Roo Code. */
export async function chatsInFolder(folder: vscode.Uri): Promise<readonly ChatCandidate[]> {
  const [task, files, tasks] = await Promise.all([
    taskIn(folder),
    chatsIn(folder),
    tasksIn(folder),
  ]);
  return task.length > 0 ? [task] : [...files, ...tasks];
}

/** VS Code has a folder for the chats of each workspace, and one for those of empty windows. */
async function sessionsOf(user: vscode.Uri): Promise<readonly ChatCandidate[]> {
  const workspaces = vscode.Uri.joinPath(user, 'workspaceStorage');
  const folders = (await entriesOf(workspaces)).map(([name]) =>
    vscode.Uri.joinPath(workspaces, name, 'chatSessions'),
  );
  const empty = vscode.Uri.joinPath(user, 'globalStorage', 'emptyWindowChatSessions');
  return (await Promise.all([...folders, empty].map(chatsIn))).flat();
}

async function chatsIn(folder: vscode.Uri): Promise<readonly ChatCandidate[]> {
  const files = (await entriesOf(folder)).filter(
    // Continue's list of its sessions isn't a chat.
    ([name, type]) => type === vscode.FileType.File && isChat(name) && name !== 'sessions.json',
  );
  return files.map(([name]) => [vscode.Uri.joinPath(folder, name)]);
}

function isChat(name: string): boolean {
  return /\.jsonl?$/i.test(name);
}

async function tasksIn(folder: vscode.Uri): Promise<readonly ChatCandidate[]> {
  const folders = (await entriesOf(folder)).filter(
    ([, type]) => type === vscode.FileType.Directory,
  );
  const tasks = await Promise.all(
    folders.map(([name]) => taskIn(vscode.Uri.joinPath(folder, name))),
  );
  return tasks.filter(({ length }) => length > 0);
}

const taskFiles = ['api_conversation_history.json', 'ui_messages.json'];

async function taskIn(folder: vscode.Uri): Promise<ChatCandidate> {
  const names = new Set((await entriesOf(folder)).map(([name]) => name));
  return taskFiles
    .filter((name) => names.has(name))
    .map((name) => vscode.Uri.joinPath(folder, name));
}

async function entriesOf(folder: vscode.Uri): Promise<readonly [string, vscode.FileType][]> {
  const entries = (await orUndefined(vscode.workspace.fs.readDirectory(folder))) ?? [];
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

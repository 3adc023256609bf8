import * as vscode from 'vscode';
import { hasSecretName } from '../../core/approval/protectedFiles.ts';
import type { FileDiff } from '../../core/code/commitPrompt.ts';
import { relativePath } from '../../core/search/fileSearch.ts';
import { isObject } from '../../core/support/json.ts';
import { readsAsPattern, untracked, type GitChange, type GitRepository } from '../workspace/git.ts';

/** Files whose difference is asked for: each starts a program. */
const maxFiles = 200;
/** Bytes of a new file that are told, and of one that is read at all. */
const maxDiffCharacters = 20_000;
const maxReadBytesOfFile = 1_000_000;
/** What Git calls a tree without files: what the first commit is compared with. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** What a commit would hold: what is staged, or else everything that changed. */
export async function commitDiffs(
  repository: GitRepository,
  signal: AbortSignal,
): Promise<readonly FileDiff[]> {
  // What was just written or staged may not be known yet.
  await repository.status();
  const { indexChanges, workingTreeChanges, untrackedChanges = [] } = repository.state;
  const isStaged = indexChanges.length > 0;
  const changes = isStaged ? indexChanges : [...workingTreeChanges, ...untrackedChanges];
  const diffs: FileDiff[] = [];
  for (const [index, change] of changes.entries()) {
    signal.throwIfAborted();
    const uri = change.renameUri ?? change.uri;
    const path = pathIn(repository, uri);
    const oldPath = pathIn(repository, change.originalUri);
    const isAsked =
      index < maxFiles && !readsAsPattern(uri.path) && ![path, oldPath].some(hasSecretName);
    diffs.push({ path, oldPath, diff: isAsked ? await diffOf(repository, change, isStaged) : '' });
  }
  return diffs;
}

function pathIn({ rootUri }: GitRepository, { path }: vscode.Uri): string {
  return relativePath(rootUri.path, path) ?? path;
}

/** A file that cannot be compared is still named. */
async function diffOf(
  repository: GitRepository,
  change: GitChange,
  isStaged: boolean,
): Promise<string> {
  const uri = change.renameUri ?? change.uri;
  const base = repository.state.HEAD?.commit === undefined ? emptyTree : 'HEAD';
  try {
    if (isStaged) return await repository.diffIndexWith(base, uri.fsPath);
    if (change.status === untracked) return await asAdded(uri);
    return await repository.diffWith(base, uri.fsPath);
  } catch {
    return '';
  }
}

/** The beginning of a file that Git does not know, as Git would show it. */
async function asAdded(uri: vscode.Uri): Promise<string> {
  const { type, size } = await vscode.workspace.fs.stat(uri);
  // What a link leads to is no part of the commit, and may lie anywhere.
  if (type !== vscode.FileType.File || size > maxReadBytesOfFile) return '';
  const bytes = await vscode.workspace.fs.readFile(uri);
  const text = new TextDecoder().decode(bytes.subarray(0, maxDiffCharacters));
  if (text.includes('\0')) return '';
  const lines = text.replace(/\n$/, '').split('\n');
  return `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join('\n')}`;
}

/**
 * The repository of the button that was clicked, else that of the active editor, else the one that
 * the person chooses; undefined where they choose none.
 *
 * @param clicked what the Source Control view gives its buttons
 */
export async function chooseRepository(
  repositories: readonly GitRepository[],
  clicked: unknown,
): Promise<GitRepository | undefined> {
  const [first, ...others] = repositories;
  if (others.length === 0) return first;
  const place = rootOf(clicked) ?? vscode.window.activeTextEditor?.document.uri;
  const found = place === undefined ? undefined : repositoryAround(repositories, place);
  return found ?? pick(repositories);
}

/** The innermost repository in which something lies. */
export function repositoryAround<R extends { readonly rootUri: Pick<vscode.Uri, 'path'> }>(
  repositories: readonly R[],
  { path }: Pick<vscode.Uri, 'path'>,
): R | undefined {
  const around = repositories.filter(
    ({ rootUri }) => relativePath(rootUri.path, path) !== undefined,
  );
  return around.toSorted((one, other) => other.rootUri.path.length - one.rootUri.path.length)[0];
}

function rootOf(clicked: unknown): vscode.Uri | undefined {
  const root = isObject(clicked) ? clicked['rootUri'] : undefined;
  return root instanceof vscode.Uri ? root : undefined;
}

async function pick(repositories: readonly GitRepository[]): Promise<GitRepository | undefined> {
  const items = repositories.map((repository) => ({
    label: vscode.workspace.asRelativePath(repository.rootUri),
    repository,
  }));
  const placeHolder = vscode.l10n.t('Select the repository to write a commit message for');
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.repository;
}

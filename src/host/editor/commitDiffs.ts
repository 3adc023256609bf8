import * as vscode from 'vscode';
import { outgoingDoubt } from '../../core/approval/secrets.ts';
import type { FileDiff } from '../../core/code/commitMessage.ts';
import { relativePath } from '../../core/files/fileSearch.ts';
import { report, reported } from '../../core/support/background.ts';
import { isObject } from '../../core/support/json.ts';
import type { MaySend } from './textGenerator.ts';
import { UserError } from '../platform/errors.ts';
import {
  gitRepositories,
  untracked,
  requireGit,
  type GitRepository,
  type RepositoryReader,
} from '../platform/git.ts';

/** Maximum number of files to diff: each diff starts a Git process. */
const maxFiles = 200;
/**
 * Bytes of a new file that are included; larger files than the second limit are not read at all.
 */
const maxDiffCharacters = 20_000;
const maxReadBytesOfFile = 1_000_000;
/** Git's empty tree, to compare the first commit with. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** The changes of the next commit: staged ones, or all changes if none are staged. */
export async function commitDiffs(
  repository: GitRepository,
  reader: RepositoryReader,
  maySend: MaySend,
  signal: AbortSignal,
): Promise<readonly FileDiff[]> {
  // The cached state may lack recent changes.
  await repository.status();
  const { indexChanges, workingTreeChanges, untrackedChanges = [] } = repository.state;
  const isStaged = indexChanges.length > 0;
  const changes = isStaged ? indexChanges : [...workingTreeChanges, ...untrackedChanges];
  const base = repository.state.HEAD?.commit === undefined ? emptyTree : 'HEAD';
  const diffs: FileDiff[] = [];
  for (const [index, change] of changes.entries()) {
    signal.throwIfAborted();
    const uri = change.renameUri ?? change.uri;
    const path = pathIn(repository, uri);
    const oldPath = pathIn(repository, change.originalUri);
    const isNamed = outgoingDoubt('', [path, oldPath]) !== undefined;
    const isRead = index < maxFiles && !isNamed;
    const isAdded = change.status === untracked && !isStaged;
    let diff = '';
    try {
      if (isRead && isAdded) diff = await addedFileDiff(uri);
      else if (isRead) diff = await reader.diff({ path, base, isStaged }, signal);
    } catch (error) {
      // A file without a diff is still listed.
      report(error);
    }
    const isSent = outgoingDoubt(diff, []) === undefined || (await maySend(uri, diff));
    diffs.push({ path, oldPath, diff: isSent ? diff : '' });
  }
  return diffs;
}

function pathIn({ rootUri }: GitRepository, { path }: vscode.Uri): string {
  return relativePath(rootUri.path, path) ?? path;
}

/** The file of a path of {@link commitDiffs}. */
export function uriIn({ rootUri }: GitRepository, path: string): vscode.Uri {
  return path.startsWith('/') ? rootUri.with({ path }) : vscode.Uri.joinPath(rootUri, path);
}

/** The start of an untracked file, formatted as Git's diff of an added file. */
async function addedFileDiff(uri: vscode.Uri): Promise<string> {
  const { type, size } = await vscode.workspace.fs.stat(uri);
  // The target of a link is not part of the commit, and may be anywhere.
  if (type !== vscode.FileType.File || size > maxReadBytesOfFile) return '';
  const bytes = await vscode.workspace.fs.readFile(uri);
  const text = new TextDecoder().decode(bytes.subarray(0, maxDiffCharacters));
  if (text.includes('\0')) return '';
  const lines = text.replace(/\n$/, '').split('\n');
  return `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join('\n')}`;
}

/** Messages for an untrusted workspace, and for several repositories. */
interface RepositoryTexts {
  readonly untrusted: string;
  readonly several: string;
}

/**
 * The repository of the clicked button, of the active editor, or chosen by the person; undefined if
 * they cancel.
 *
 * @param clicked the argument that the Source Control view passes to its buttons
 * @throws {UserError} if there is no Git or no repository, or the workspace isn't trusted
 */
export async function chooseRepository(
  clicked: unknown,
  texts: RepositoryTexts,
): Promise<GitRepository | undefined> {
  if (!vscode.workspace.isTrusted) throw new UserError(texts.untrusted);
  requireGit();
  const repositories = (await reported(gitRepositories())) ?? [];
  const [first, ...others] = repositories;
  if (first === undefined) {
    throw new UserError(
      vscode.l10n.t('No Git repository found. Open a folder in a repository, then try again.'),
    );
  }
  if (others.length === 0) return first;
  const root = isObject(clicked) ? clicked['rootUri'] : undefined;
  const resource = root instanceof vscode.Uri ? root : vscode.window.activeTextEditor?.document.uri;
  const repository = resource && repositoryAround(repositories, resource.path);
  if (repository !== undefined) return repository;
  const items = repositories.map((candidate) => ({
    label: vscode.workspace.asRelativePath(candidate.rootUri),
    repository: candidate,
  }));
  return (await vscode.window.showQuickPick(items, { placeHolder: texts.several }))?.repository;
}

export function repositoryAround<R extends { readonly rootUri: Pick<vscode.Uri, 'path'> }>(
  repositories: readonly R[],
  path: string,
): R | undefined {
  const around = repositories.filter(
    ({ rootUri }) => relativePath(rootUri.path, path) !== undefined,
  );
  return around.toSorted((a, b) => b.rootUri.path.length - a.rootUri.path.length)[0];
}

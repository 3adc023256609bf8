import * as vscode from 'vscode';
import type { FileDiff } from '../../core/code/commitPrompt.ts';
import { pathBelow } from '../../core/tools/searchScope.ts';
import { hasSecretName } from '../../core/tools/secretFiles.ts';
import { readsAsPattern, untracked, type GitChange, type GitRepository } from '../tools/gitApi.ts';

/** Files whose difference is asked for: each starts a program. */
const mostFiles = 200;
/** Bytes of a new file that are told, and of one that is read at all. */
const mostTold = 20_000;
const mostRead = 1_000_000;
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
      index < mostFiles && !readsAsPattern(uri.path) && ![path, oldPath].some(hasSecretName);
    diffs.push({ path, oldPath, diff: isAsked ? await diffOf(repository, change, isStaged) : '' });
  }
  return diffs;
}

function pathIn({ rootUri }: GitRepository, { path }: vscode.Uri): string {
  return pathBelow(rootUri.path, path) ?? path;
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
  if (type !== vscode.FileType.File || size > mostRead) return '';
  const bytes = await vscode.workspace.fs.readFile(uri);
  const text = new TextDecoder().decode(bytes.subarray(0, mostTold));
  if (text.includes('\0')) return '';
  const lines = text.replace(/\n$/, '').split('\n');
  return `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join('\n')}`;
}

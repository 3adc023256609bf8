import * as vscode from 'vscode';
import { ToolError } from '../../core/support/toolError.ts';
import { UserError } from '../errors.ts';
import { gitExtension, type GitRepository, type ReadRepository } from './gitExtension.ts';

/** Explains why there is no Git in this window; undefined if there is. */
export function gitProblem(): string | undefined {
  if (gitExtension() !== undefined) return undefined;
  return vscode.l10n.t(
    "Git isn't available in this window. In a browser, it needs VS Code on the desktop or a remote window.",
  );
}

/** @throws {UserError} if VS Code has no Git, as in a browser */
export function requireGit(): void {
  const problem = gitProblem();
  if (problem !== undefined) throw new UserError(problem);
}

/** @throws {ToolError} if there is no Git, or it is turned off */
export async function gitRepositories(): Promise<readonly GitRepository[]> {
  const extension = gitExtension();
  if (extension === undefined) throw new ToolError('Git is not available here.');
  const git = await extension.activate();
  if (!git.enabled) throw new ToolError('Git is turned off in the settings.');
  return git.getAPI(1).repositories;
}

/** True if something is known to have changed since the last commit. Starts no Git for it. */
export function hasKnownChanges(): boolean {
  const extension = gitExtension();
  if (extension?.isActive !== true || !extension.exports.enabled) return false;
  return extension.exports.getAPI(1).repositories.some(({ state }) => {
    const { indexChanges, mergeChanges, workingTreeChanges, untrackedChanges = [] } = state;
    const lists = [indexChanges, mergeChanges, workingTreeChanges, untrackedChanges];
    return lists.some(({ length }) => length > 0);
  });
}

/** The status of a file that Git doesn't track, and that has no diff. */
export const untracked = 7;

const words: Readonly<Record<number, string>> = {
  0: 'modified',
  1: 'new',
  2: 'deleted',
  3: 'renamed',
  4: 'copied',
  5: 'modified',
  6: 'deleted',
  [untracked]: 'new, not tracked',
  9: 'new',
  10: 'renamed',
  11: 'type changed',
};

/** Rejects, since Git can't be started, as in a browser. */
export const noRepository: ReadRepository = () => Promise.reject(new Error('There is no Git.'));

/** The name of a file's status, by the number of `Status` in the interface. */
export function statusName(status: number): string {
  return words[status] ?? 'in conflict';
}

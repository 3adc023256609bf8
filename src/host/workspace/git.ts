import * as vscode from 'vscode';
import { ToolError } from '../../core/support/toolError.ts';
import { UserError } from '../errors.ts';

/** What we use of the interface of VS Code's own Git extension, version 1. */
export interface GitRepository {
  readonly rootUri: vscode.Uri;
  /** Where the message of the next commit is written. */
  readonly inputBox: { value: string };
  readonly state: {
    readonly HEAD: { readonly name?: string; readonly commit?: string } | undefined;
    readonly indexChanges: readonly GitChange[];
    readonly workingTreeChanges: readonly GitChange[];
    readonly mergeChanges: readonly GitChange[];
    /** Absent in older versions. */
    readonly untrackedChanges?: readonly GitChange[];
  };
  status(): Promise<void>;
  /** Its `diffWithHEAD` leaves out what is staged. */
  diffWith(ref: string, path: string): Promise<string>;
  /** What is staged of a file, against a commit. */
  diffIndexWith(ref: string, path: string): Promise<string>;
  /** The newest first; rejects before the first commit. */
  log(options: { readonly maxEntries: number }): Promise<readonly { readonly message: string }[]>;
}

/** A file that differs. */
export interface GitChange {
  readonly uri: vscode.Uri;
  readonly originalUri: vscode.Uri;
  readonly renameUri: vscode.Uri | undefined;
  readonly status: number;
}

interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): {
    readonly repositories: readonly GitRepository[];
  };
}

/** Why there is no Git in this window; undefined where there is. */
export function gitProblem(): string | undefined {
  if (vscode.extensions.getExtension('vscode.git') !== undefined) return undefined;
  return vscode.l10n.t(
    "Git isn't available in this window. In a browser, it needs VS Code on the desktop or a remote window.",
  );
}

/** @throws {UserError} where VS Code has no Git, as in a browser. */
export function requireGit(): void {
  const problem = gitProblem();
  if (problem !== undefined) throw new UserError(problem);
}

/** @throws {ToolError} where there is no Git, or it is switched off. */
export async function gitRepositories(): Promise<readonly GitRepository[]> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (extension === undefined) throw new ToolError('Git is not available here.');
  const git = await extension.activate();
  if (!git.enabled) throw new ToolError('Git is turned off in the settings.');
  return git.getAPI(1).repositories;
}

/** Whether something is known to have changed since the last commit. Starts no Git for it. */
export function hasKnownChanges(): boolean {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (extension?.isActive !== true || !extension.exports.enabled) return false;
  return extension.exports.getAPI(1).repositories.some(({ state }) => {
    const { indexChanges, mergeChanges, workingTreeChanges, untrackedChanges = [] } = state;
    const lists = [indexChanges, mergeChanges, workingTreeChanges, untrackedChanges];
    return lists.some(({ length }) => length > 0);
  });
}

/** The status of a file that Git does not know: it has no difference. */
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

/** Whether Git would take the path for a pattern, which may fit other files. */
export function readsAsPattern(path: string): boolean {
  return /[*?[\]\\]/.test(path);
}

/** What happened to a file, by the number of `Status` in the interface. */
export function statusName(status: number): string {
  return words[status] ?? 'in conflict';
}

import * as vscode from 'vscode';
import { ToolError } from '../../core/support/toolError.ts';
import { UserError } from './errors.ts';

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

/** The part of the API of VS Code's own Git extension, version 1, that Aside uses. */
export interface GitRepository {
  readonly rootUri: vscode.Uri;
  /** The input with the message of the next commit. */
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
}

/** Reads that VS Code's extension would do with programs named by the repository. */
export interface RepositoryReader {
  /**
   * The diff of a file from a commit or a tree, in Git's format.
   *
   * @throws if Git can't tell
   */
  diff(difference: Difference, signal?: AbortSignal): Promise<string>;
  /** First lines of the messages of the newest commits; rejects before the first commit. */
  subjects(count: number): Promise<readonly string[]>;
}

interface Difference {
  readonly base: string;
  /** The path relative to the root of the repository. */
  readonly path: string;
  /** Compares the staged text instead of the file. */
  readonly isStaged: boolean;
}

/** Opens a repository by the native path of its root. */
export type ReadRepository = (folder: string) => Promise<RepositoryReader>;

/** A file that differs. */
export interface GitChange {
  readonly uri: vscode.Uri;
  readonly originalUri: vscode.Uri;
  readonly renameUri: vscode.Uri | undefined;
  readonly status: number;
}

interface GitExtension {
  readonly enabled: boolean;
  /** @throws while Git is turned off */
  getAPI(version: 1): {
    readonly git: { readonly path: string };
    readonly repositories: readonly GitRepository[];
  };
}

/** VS Code's own Git extension; undefined if there is none, as in a browser. */
export function gitExtension(): vscode.Extension<GitExtension> | undefined {
  return vscode.extensions.getExtension<GitExtension>('vscode.git');
}

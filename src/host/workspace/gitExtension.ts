import * as vscode from 'vscode';

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
}

/** What of a repository VS Code's extension would read with programs that the repository names. */
export interface RepositoryReader {
  /**
   * How a file differs from a commit or a tree, in Git's format.
   *
   * @throws if Git can't tell
   */
  diff(difference: Difference, signal?: AbortSignal): Promise<string>;
  /** First lines of the messages of the newest commits; rejects before the first commit. */
  subjects(count: number): Promise<readonly string[]>;
}

interface Difference {
  readonly base: string;
  /** Relative to the root of the repository. */
  readonly path: string;
  /** Compares what is staged instead of the file. */
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
    /** The absolute path of Git. */
    readonly git: { readonly path: string };
    readonly repositories: readonly GitRepository[];
  };
}

/** VS Code's own Git extension; undefined where there is none, as in a browser. */
export function gitExtension(): vscode.Extension<GitExtension> | undefined {
  return vscode.extensions.getExtension<GitExtension>('vscode.git');
}

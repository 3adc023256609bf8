import * as vscode from 'vscode';

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

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

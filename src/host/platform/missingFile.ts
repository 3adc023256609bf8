import * as vscode from 'vscode';

/** The result of an operation on a file or folder; undefined if that doesn't exist. */
export async function ifThere<T>(work: Thenable<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return undefined;
    throw error;
  }
}

/** True if there is a file or folder. */
export async function isThere(uri: vscode.Uri): Promise<boolean> {
  return (await ifThere(vscode.workspace.fs.stat(uri))) !== undefined;
}

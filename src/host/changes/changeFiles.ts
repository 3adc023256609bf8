import * as vscode from 'vscode';
import type { ChangeStorage } from './changeStore.ts';

/** Texts as files of a folder, on whatever file system the extension's storage is. */
export class ChangeFiles implements ChangeStorage {
  readonly #folder: vscode.Uri;

  constructor(folder: vscode.Uri) {
    this.#folder = folder;
  }

  async read(path: string): Promise<string | undefined> {
    try {
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(
        await vscode.workspace.fs.readFile(this.#uri(path)),
      );
    } catch (error) {
      if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound')
        return undefined;
      throw error;
    }
  }

  async write(path: string, text: string): Promise<void> {
    const { fs } = vscode.workspace;
    // A crash in the middle leaves what was there before.
    const half = this.#uri(`${path}.new`);
    await fs.writeFile(half, new TextEncoder().encode(text));
    await fs.rename(half, this.#uri(path), { overwrite: true });
  }

  #uri(path: string): vscode.Uri {
    return vscode.Uri.joinPath(this.#folder, ...path.split('/'));
  }
}

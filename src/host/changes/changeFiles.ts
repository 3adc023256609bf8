import * as vscode from 'vscode';
import type { ChangeStorage } from './changeStore.ts';
import type { KeptTurn, KeptTurns } from './expiredTurns.ts';

/** Gives a file another name, over what has that name. */
export type RenameFile = (from: vscode.Uri, to: vscode.Uri) => Thenable<void>;

const renameByEditor: RenameFile = (from, to) =>
  vscode.workspace.fs.rename(from, to, { overwrite: true });

/**
 * Texts as files of a folder, on whatever file system the extension's storage is: a folder for each
 * chat, and in it one for each turn.
 */
export class ChangeFiles implements ChangeStorage, KeptTurns {
  readonly #folder: vscode.Uri;
  readonly #rename: RenameFile;

  /** @param rename where there is a faster way: the editor asks its window for each renaming */
  constructor(folder: vscode.Uri, rename = renameByEditor) {
    this.#folder = folder;
    this.#rename = rename;
  }

  async read(path: string): Promise<string | undefined> {
    const bytes = await ifThere(vscode.workspace.fs.readFile(this.#uri(path)));
    return bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }

  async write(path: string, text: string): Promise<void> {
    // A crash in the middle leaves what was there before.
    const half = this.#uri(`${path}.new`);
    await vscode.workspace.fs.writeFile(half, new TextEncoder().encode(text));
    await this.#rename(half, this.#uri(path));
  }

  async turns(): Promise<readonly KeptTurn[]> {
    const turns: KeptTurn[] = [];
    for (const chat of await this.#names('', vscode.FileType.Directory)) {
      for (const turn of await this.#names(chat, vscode.FileType.Directory)) {
        turns.push(await this.#measure(chat, turn));
      }
    }
    return turns;
  }

  async remove({ chat, turn }: KeptTurn): Promise<void> {
    const { fs } = vscode.workspace;
    // Another window may do the same.
    await ifThere(fs.delete(this.#uri(`${chat}/${turn}`), { recursive: true }));
    const left = await ifThere(fs.readDirectory(this.#uri(chat)));
    if (left?.length === 0) await ifThere(fs.delete(this.#uri(chat)));
  }

  async #measure(chat: string, turn: string): Promise<KeptTurn> {
    const folder = `${chat}/${turn}`;
    const names = await this.#names(folder, vscode.FileType.File);
    const stats = await Promise.all(
      names.map((name) => ifThere(vscode.workspace.fs.stat(this.#uri(`${folder}/${name}`)))),
    );
    const size = stats.reduce((sum, stat) => sum + (stat?.size ?? 0), 0);
    const writtenAt = Math.max(0, ...stats.map((stat) => stat?.mtime ?? 0));
    return { chat, turn, size, writtenAt };
  }

  /** What of one kind lies in a folder; nothing where there is no such folder. */
  async #names(path: string, wanted: vscode.FileType): Promise<readonly string[]> {
    const entries = await ifThere(vscode.workspace.fs.readDirectory(this.#uri(path)));
    return (entries ?? []).filter(([, type]) => type === wanted).map(([name]) => name);
  }

  #uri(path: string): vscode.Uri {
    return vscode.Uri.joinPath(this.#folder, ...path.split('/'));
  }
}

/** What comes of it; undefined where there is nothing of that name. */
async function ifThere<T>(work: Thenable<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return undefined;
    throw error;
  }
}

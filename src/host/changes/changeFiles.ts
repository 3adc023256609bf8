import * as vscode from 'vscode';
import { ifThere } from '../missingFile.ts';
import type { ChangeStorage } from './changeStore.ts';
import type { KeptTurn, KeptTurns } from './expiredTurns.ts';

/** Renames a file, replacing an existing one. */
export type RenameFile = (from: vscode.Uri, to: vscode.Uri) => Thenable<void>;

const renameByEditor: RenameFile = (from, to) =>
  vscode.workspace.fs.rename(from, to, { overwrite: true });

/**
 * Stores texts as files in the extension's storage, on any file system: a folder per chat, and in
 * it one per turn.
 */
export class ChangeFiles implements ChangeStorage, KeptTurns {
  readonly #folder: vscode.Uri;
  readonly #rename: RenameFile;

  /**
   * @param rename a faster alternative, if there is one: VS Code passes each renaming to the window
   */
  constructor(folder: vscode.Uri, rename = renameByEditor) {
    this.#folder = folder;
    this.#rename = rename;
  }

  async read(path: string): Promise<string | undefined> {
    const bytes = await ifThere(vscode.workspace.fs.readFile(this.#uri(path)));
    return bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }

  async write(path: string, text: string): Promise<void> {
    // A crash while writing leaves the previous file intact.
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
    // Another window may remove it at the same time.
    await ifThere(fs.delete(this.#uri(`${chat}/${turn}`), { recursive: true }));
    const left = await ifThere(fs.readDirectory(this.#uri(chat)));
    if (left?.length === 0) await ifThere(fs.delete(this.#uri(chat)));
  }

  /** Removes the changes of all turns of a chat. */
  async removeChat(chat: string): Promise<void> {
    await ifThere(vscode.workspace.fs.delete(this.#uri(chat), { recursive: true }));
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

  /** Names of the entries of a type in a folder; empty if the folder does not exist. */
  async #names(path: string, wanted: vscode.FileType): Promise<readonly string[]> {
    const entries = await ifThere(vscode.workspace.fs.readDirectory(this.#uri(path)));
    return (entries ?? []).filter(([, type]) => type === wanted).map(([name]) => name);
  }

  #uri(path: string): vscode.Uri {
    return vscode.Uri.joinPath(this.#folder, ...path.split('/'));
  }
}

import * as vscode from 'vscode';
import { newId } from '../../core/support/id.ts';
import { namesIn } from '../missingFile.ts';

/** Lines that several windows append to the same place. Nothing is ever rewritten. */
export interface SharedLines {
  /** Appends a line as a whole, and resolves when it is stored. */
  append(line: string): Promise<void>;
  /** The lines that any window has appended since the last call. */
  next(): Promise<readonly string[]>;
}

/**
 * Lines where files can't be appended to, as in a browser: each is a small file of its own. There is
 * no order between windows, so the own lines come last: whatever else is there counts as earlier.
 */
export class SegmentLines implements SharedLines {
  readonly #folder: vscode.Uri;
  readonly #writer = newId().slice(0, 8);
  readonly #read = new Set<string>();
  #written = 0;

  constructor(folder: vscode.Uri) {
    this.#folder = folder;
  }

  async append(line: string): Promise<void> {
    const name = `${String(this.#written++).padStart(8, '0')}-${this.#writer}.jsonl`;
    const file = vscode.Uri.joinPath(this.#folder, name);
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(line));
  }

  async next(): Promise<readonly string[]> {
    const names = (await namesIn(this.#folder)).filter((name) => !this.#read.has(name));
    const isOwn = (name: string): boolean => name.includes(this.#writer);
    const others = names.filter((name) => !isOwn(name));
    const texts = await Promise.all(
      [...others, ...names.filter(isOwn)].map((name) => this.#text(name)),
    );
    for (const name of names) this.#read.add(name);
    return texts;
  }

  async #text(name: string): Promise<string> {
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.#folder, name));
    return new TextDecoder().decode(bytes);
  }
}

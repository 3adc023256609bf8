import * as vscode from 'vscode';
import { newId } from '../../core/support/id.ts';
import { namesIn } from '../missingFile.ts';
import type { JournalPart, JournalStatus, JournalStorage, SavedJournals } from './journal.ts';

/**
 * Stores journals without appending to files, as needed in a browser: each segment is a small
 * numbered file, and a journal is all of its segments in order.
 */
export class SegmentStorage implements JournalStorage, SavedJournals {
  readonly #folder: vscode.Uri;
  readonly #writer = newId().slice(0, 8);

  constructor(folder: vscode.Uri) {
    this.#folder = folder;
  }

  get location(): string {
    return this.#folder.toString(true);
  }

  async append(conversation: string, text: string, exists = false): Promise<void> {
    const folder = vscode.Uri.joinPath(this.#folder, conversation);
    // Listed each time, since another window may have written a segment.
    const names = await namesIn(folder);
    if (exists && names.length === 0) throw new Error(`The chat was deleted: ${folder.path}`);
    const file = vscode.Uri.joinPath(folder, nextSegmentName(names, this.#writer));
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  }

  async read(conversation: string): Promise<string | undefined> {
    const pieces = await this.#segments(conversation);
    return pieces.length === 0 ? undefined : (await textsOf(pieces)).join('\n');
  }

  /** A place is the number of the segments before it, and the name of the last one. */
  async readOn(conversation: string, from = ''): Promise<JournalPart | undefined> {
    const pieces = await this.#segments(conversation);
    if (pieces.length === 0) return undefined;
    const endAt = (count: number): string => `${count} ${pieces[count - 1]?.path ?? ''}`;
    const before = Number.parseInt(from, 10);
    const isStart = !(before > 0) || endAt(before) !== from;
    const start = isStart ? 0 : before;
    const texts = await textsOf(pieces.slice(start));
    // The last one may still be being written.
    if (texts.at(-1)?.endsWith('\n') === false) texts.pop();
    return { text: texts.join('\n'), end: endAt(start + texts.length), isStart };
  }

  /** The conversations that have a journal. */
  list(): Promise<readonly string[]> {
    return namesIn(this.#folder);
  }

  async status(conversation: string): Promise<JournalStatus | undefined> {
    const segments = await this.#segments(conversation);
    const found = await Promise.all(segments.map((file) => vscode.workspace.fs.stat(file)));
    if (found.length === 0) return undefined;
    const size = found.reduce((sum, segment) => sum + segment.size, 0);
    return { size, modified: Math.max(...found.map(({ mtime }) => mtime)) };
  }

  async #segments(conversation: string): Promise<readonly vscode.Uri[]> {
    const folder = vscode.Uri.joinPath(this.#folder, conversation);
    const names = await namesIn(folder);
    return names.map((name) => vscode.Uri.joinPath(folder, name));
  }
}

async function textsOf(files: readonly vscode.Uri[]): Promise<string[]> {
  const contents = await Promise.all(files.map((file) => vscode.workspace.fs.readFile(file)));
  return contents.map((bytes) => new TextDecoder().decode(bytes));
}

/**
 * The name of the next segment. It contains a tag of its writer, since another window may use the
 * same number at the same time, and no segment may be overwritten.
 */
export function nextSegmentName(names: readonly string[], writer: string): string {
  const numbers = names.map((name) => Number.parseInt(name, 10)).filter(Number.isFinite);
  const next = Math.max(-1, ...numbers) + 1;
  return `${String(next).padStart(8, '0')}-${writer}.jsonl`;
}

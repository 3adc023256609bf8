import * as vscode from 'vscode';
import { cutText } from '../../core/support/cutText.ts';
import { splitLines } from '../../core/tools/lineRange.ts';
import { sniffContent, withoutMark } from '../../core/tools/sniffText.ts';
import { biggestRead, statOf } from './files.ts';
import { labelFor } from './labelFor.ts';
import { PlainFiles, type ReadGate } from './workspacePlaces.ts';

/**
 * The files that a language's provider names. They may be anywhere; only the content of those that
 * really lie in the workspace and hold no secrets is told without a question.
 */
export class ProviderFiles {
  readonly #gate: Pick<ReadGate, 'mayShow'>;
  readonly #plain = new PlainFiles();
  readonly #lines = new Map<string, Promise<readonly string[]>>();

  constructor(gate: Pick<ReadGate, 'mayShow'>) {
    this.#gate = gate;
  }

  /** Whether what stands in the file may be told. */
  async mayShow(uri: vscode.Uri): Promise<boolean> {
    return this.#gate.mayShow(labelFor(uri)) && (await this.#plain.has(uri));
  }

  /** A line, counted from 0, without the space around it; empty where it may not be told. */
  async line(uri: vscode.Uri, line: number): Promise<string> {
    const key = uri.toString();
    const lines = this.#lines.get(key) ?? this.#read(uri);
    this.#lines.set(key, lines);
    return cutText(((await lines)[line] ?? '').trim(), 200);
  }

  async #read(uri: vscode.Uri): Promise<readonly string[]> {
    if (!(await this.mayShow(uri))) return [];
    const open = vscode.workspace.textDocuments.find(
      (one) => one.uri.toString() === uri.toString(),
    );
    if (open !== undefined) return splitLines(open.getText());
    const stat = await statOf(uri);
    if (stat?.type !== vscode.FileType.File || stat.size > biggestRead) return [];
    const bytes = await vscode.workspace.fs.readFile(uri);
    if (sniffContent(bytes) === 'binary') return [];
    return splitLines(withoutMark(await vscode.workspace.decode(bytes, { uri })));
  }
}

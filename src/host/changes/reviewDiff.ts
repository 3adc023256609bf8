import * as vscode from 'vscode';
import { revealInvisible } from '../../core/support/text.ts';
import type { ReadOnlyDocuments } from '../workspace/readOnlyDocuments.ts';

/** A file before and after a change, which may be a proposal. */
export interface ComparedFile {
  /** As the person knows it. */
  readonly path: string;
  readonly before: string;
  /** Its text, or the file itself. */
  readonly after: string | vscode.Uri;
}

/** Shows changes in VS Code's own diff: texts as read-only documents, files as they are. */
export class ReviewDiff {
  readonly #documents: ReadOnlyDocuments;

  constructor(documents: ReadOnlyDocuments) {
    this.#documents = documents;
  }

  /**
   * Opens a diff of one file, or one of several.
   * @param title what several are called together
   */
  async show(files: readonly ComparedFile[], title: string): Promise<void> {
    const sides = files.map((file) => this.#sidesOf(file));
    const [only] = sides;
    if (only === undefined) return;
    if (sides.length > 1) {
      const resources = sides.map(({ before, after }) => [after, before, after]);
      await vscode.commands.executeCommand('vscode.changes', title, resources);
      return;
    }
    const options: vscode.TextDocumentShowOptions = { preview: true };
    const { before, after, path } = only;
    await vscode.commands.executeCommand(
      'vscode.diff',
      before,
      after,
      `${path}: ${title}`,
      options,
    );
  }

  #sidesOf({ path, before, after }: ComparedFile): {
    readonly path: string;
    readonly before: vscode.Uri;
    readonly after: vscode.Uri;
  } {
    const shown = revealInvisible(path).text;
    const name = reviewPath(shown);
    return {
      path: shown,
      before: this.#documents.add(`before/${name}`, before),
      after: typeof after === 'string' ? this.#documents.add(`after/${name}`, after) : after,
    };
  }
}

/**
 * Kinds of files whose language does nothing but colour them. Language servers of others look for
 * schemas, or for what a file imports, as soon as any document of theirs is open (threats: T25).
 */
const harmless =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|swift|[ch]|cc|cpp|hpp|cs|rb|php|lua|sh|sql|md|txt)$/i;

/** The path of a document that shows a text of a file, and wakes no language server. */
export function reviewPath(path: string): string {
  const name = path.replaceAll('\\', '/').replace(/^\/+/, '');
  return harmless.test(name) ? name : `${name}.txt`;
}

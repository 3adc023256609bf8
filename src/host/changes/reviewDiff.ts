import * as vscode from 'vscode';
import { revealInvisible } from '../../core/support/text.ts';
import type { ReadOnlyDocuments } from '../workspace/readOnlyDocuments.ts';

/** A file to compare: current and proposed, or before and after its turn. */
export interface ComparedFile {
  /** The path as displayed. */
  readonly path: string;
  readonly before: string;
  /** The text, or the URI of the file itself. */
  readonly after: string | vscode.Uri;
}

/** Shows changes in VS Code's own diff: texts as read-only documents, files as they are. */
export class ReviewDiff {
  readonly #documents: ReadOnlyDocuments;

  constructor(documents: ReadOnlyDocuments) {
    this.#documents = documents;
  }

  /**
   * Opens a diff of one file, or a multi-file diff.
   * @param title title of a multi-file diff
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
 * Extensions of languages that only highlight. Others fetch schemas or imports as soon as a
 * document of theirs is opened, whatever its origin (threats: T25).
 */
const harmless =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|swift|[ch]|cc|cpp|hpp|cs|rb|php|lua|sh|sql|md|txt)$/i;

/** The path of a review document, which must not be mistaken for the file itself. */
export function reviewPath(path: string): string {
  const name = path.replaceAll('\\', '/').replace(/^\/+/, '');
  return harmless.test(name) ? name : `${name}.txt`;
}

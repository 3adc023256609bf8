import * as vscode from 'vscode';
import { revealInvisible } from '../../core/support/text.ts';
import type { ComparedFile, DiffViewer, ReadOnlyDocuments } from '../platform/readOnlyDocuments.ts';
import { reviewScheme } from '../contributions.ts';
import { diffTabs, reviewPath } from './reviewDocuments.ts';

/** Shows changes with nothing to decide. Texts are read-only documents; files can be edited. */
export class ReviewDiff implements DiffViewer {
  readonly #documents: ReadOnlyDocuments;
  /** The right side of the diff that was shown last. */
  #right: vscode.Uri | undefined;

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
      const resources = sides.map(({ label, before, after }) => [label, before, after]);
      await vscode.commands.executeCommand('vscode.changes', title, resources);
      return;
    }
    const options: vscode.TextDocumentShowOptions = { preview: true };
    const { before, after, path } = only;
    this.#right = after;
    const words = `${path}: ${title}`;
    await vscode.commands.executeCommand('vscode.diff', before, after, words, options);
  }

  /** Closes the diff that was shown last, if it is still there. */
  async close(): Promise<void> {
    const address = this.#right?.toString();
    const tabs = diffTabs((modified) => modified.toString() === address);
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }

  #sidesOf({ path, before, after }: ComparedFile): {
    readonly path: string;
    readonly label: vscode.Uri;
    readonly before: vscode.Uri;
    readonly after: vscode.Uri;
  } {
    const visiblePath = revealInvisible(path).text;
    const name = reviewPath(path);
    const isText = typeof after === 'string';
    const isTextBefore = typeof before === 'string';
    const file = isText ? before : after;
    return {
      path: visiblePath,
      // The label's address is only shown: nothing opens it.
      label:
        typeof file === 'string'
          ? vscode.Uri.from({ scheme: reviewScheme, path: `/${visiblePath}` })
          : file,
      before: isTextBefore ? this.#documents.add(name, before) : before,
      after: isText ? this.#documents.add(name, after) : after,
    };
  }
}

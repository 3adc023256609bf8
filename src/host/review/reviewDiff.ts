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
    const sides = files.map(({ path, before, after }) => {
      const visiblePath = revealInvisible(path).text;
      const name = reviewPath(path);
      const sideOf = (text: string | vscode.Uri): vscode.Uri =>
        typeof text === 'string' ? this.#documents.add(name, text) : text;
      const file = [after, before].find((side) => typeof side !== 'string');
      // The label's address is only shown: nothing opens it.
      const label = file ?? vscode.Uri.from({ scheme: reviewScheme, path: `/${visiblePath}` });
      return { path: visiblePath, label, before: sideOf(before), after: sideOf(after) };
    });
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
}

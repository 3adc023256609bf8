import * as vscode from 'vscode';
import { UserError } from '../errors.ts';

/**
 * Appends streamed text to a document; text that arrives during an edit is written with the next
 * one.
 */
export class StreamedDocument {
  readonly #document: vscode.TextDocument;
  #pending = '';
  #writing: Promise<void> | undefined;

  constructor(document: vscode.TextDocument) {
    this.#document = document;
  }

  add(text: string): void {
    if (text === '') return;
    this.#pending += text;
    this.#writing ??= this.#write();
    // The rejection is handled by `written`.
    this.#writing.catch(() => undefined);
  }

  /** Resolves when all text is written; rejects if the document could not be changed. */
  async written(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#pending !== '') {
      const text = this.#pending;
      this.#pending = '';
      const edit = new vscode.WorkspaceEdit();
      const { uri, lineCount } = this.#document;
      edit.insert(uri, this.#document.lineAt(lineCount - 1).range.end, text);
      if (!(await vscode.workspace.applyEdit(edit))) {
        throw new UserError(vscode.l10n.t("The test file can't be changed."));
      }
    }
    this.#writing = undefined;
  }
}

import * as vscode from 'vscode';
import type { ConsentPreview } from '../approval/consents.ts';
import { notify } from '../platform/dialogs.ts';
import { ReviewDiff } from '../review/reviewDiff.ts';
import type { ReadOnlyDocuments } from '../platform/readOnlyDocuments.ts';

/** A text that the person is asked to allow. */
export interface PreviewedFile {
  readonly path: string;
  readonly text: string;
  /** The text that the person allowed before. */
  readonly allowedText: string | undefined;
}

/** Shows texts before the person allows them. */
export class ConsentPreviews {
  readonly #documents: ReadOnlyDocuments;
  readonly #diff: ReviewDiff;

  constructor(documents: ReadOnlyDocuments) {
    this.#documents = documents;
    this.#diff = new ReviewDiff(documents);
  }

  /**
   * The Preview button of a question: opens the text of a file, the difference to what was allowed
   * before, or those of several files. A notification leads back to the question, since a modal dialog
   * would keep the person from reading.
   */
  of(message: string, files: readonly PreviewedFile[]): ConsentPreview {
    return {
      button: vscode.l10n.t('Preview'),
      show: async () => {
        await this.#open(message, files);
        await notify('information', message, vscode.l10n.t('Review…'));
      },
    };
  }

  async #open(message: string, files: readonly PreviewedFile[]): Promise<void> {
    const [first, ...others] = files;
    if (first === undefined) return;
    if (others.length === 0 && first.allowedText === undefined) {
      await this.#documents.show(first.path, first.text, 'markdown');
      return;
    }
    const compared = files.map(({ path, text, allowedText = '' }) => ({
      path,
      before: allowedText,
      after: text,
    }));
    const hasChanges = files.some(({ allowedText }) => allowedText !== undefined);
    await this.#diff.show(
      compared,
      hasChanges ? vscode.l10n.t('Changes Since You Allowed It') : message,
    );
  }
}

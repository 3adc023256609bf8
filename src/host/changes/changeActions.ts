import * as vscode from 'vscode';
import { isSameTextIgnoringLineEndings } from '../../core/edits/lineEndings.ts';
import { isCellsText, withoutNumbers } from '../../core/edits/notebookText.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { UserError } from '../errors.ts';
import { toUri } from '../workspace/location.ts';
import type { TextStore } from './applyChanges.ts';
import type { ChangeTexts } from './changeRecord.ts';
import type { Changes } from './changes.ts';
import type { ComparedFile, ReviewDiff } from '../review/reviewDiff.ts';

export interface ChangeActionsOptions {
  readonly changes: Changes;
  readonly texts: TextStore;
  readonly review: ReviewDiff;
  /** Whether the workspace is trusted. */
  readonly isTrusted: () => boolean;
}

/** The person's actions on the changes of a turn: diff, keep, undo and redo. */
export class ChangeActions {
  readonly #options: ChangeActionsOptions;

  constructor(options: ChangeActionsOptions) {
    this.#options = options;
  }

  /**
   * Applies an action to one file that a turn changed, or to all.
   * @throws {UserError} if files could not be undone or redone, or their texts are no longer stored
   */
  async change(
    turn: string,
    change: string | undefined,
    action: 'diff' | 'keep' | 'undo' | 'redo',
  ): Promise<void> {
    const kept = await this.#options.changes.list(turn);
    if (kept.length === 0) throw new UserError(nothingKept());
    switch (action) {
      case 'diff':
        return this.#diff(turn, change);
      case 'keep':
        return this.#options.changes.keep(turn, change);
      case 'undo':
        return this.#undo(turn, change);
      case 'redo':
        return this.#redo(turn, change);
    }
  }

  async #diff(turn: string, change: string | undefined): Promise<void> {
    const files = await this.#options.changes.texts(turn, change);
    if (files.length === 0) throw new UserError(nothingKept());
    const compared = await Promise.all(files.map((file) => this.#compared(file)));
    await this.#options.review.show(compared, vscode.l10n.t('Changed by Aside'));
  }

  /**
   * The right side is the file itself if it has not changed since the turn: it can be edited there.
   */
  async #compared(file: ChangeTexts): Promise<ComparedFile> {
    const { path, before, after, location } = file;
    // The file of a notebook is shown by its cells.
    if (isCellsText(before) || isCellsText(after))
      return { path, before: withoutNumbers(before), after: withoutNumbers(after) };
    const current = await this.#options.texts.read(location).catch(() => undefined);
    const isAsLeft = current !== undefined && isSameTextIgnoringLineEndings(current, after);
    return { path, before, after: isAsLeft ? toUri(location) : after };
  }

  async #undo(turn: string, change: string | undefined): Promise<void> {
    const left = await this.#options.changes.undo(turn, change).catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error;
      throw new UserError(vscode.l10n.t('Nothing was undone: {0}', error.message));
    });
    if (left.length === 0) return;
    throw new UserError(vscode.l10n.t('Not undone because of later changes: {0}', left.join(', ')));
  }

  async #redo(turn: string, change: string | undefined): Promise<void> {
    // Unlike undo, it writes what a model wrote.
    if (!this.#options.isTrusted()) {
      throw new UserError(vscode.l10n.t('Trust this workspace to let Aside change its code.'));
    }
    const left = await this.#options.changes.redo(turn, change).catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error;
      throw new UserError(vscode.l10n.t('Nothing was redone: {0}', error.message));
    });
    if (left.length === 0) return;
    throw new UserError(vscode.l10n.t('Not redone because of later changes: {0}', left.join(', ')));
  }
}

function nothingKept(): string {
  return vscode.l10n.t('The text from before this change is no longer available.');
}

import * as vscode from 'vscode';
import { isSameTextIgnoringLineEndings } from '../../core/edits/lineEndings.ts';
import { isCellsText, withoutNumbers } from '../../core/edits/notebookText.ts';
import { orUndefined } from '../../core/support/background.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { UserError } from '../errors.ts';
import { toUri } from '../workspace/location.ts';
import type { ComparedFile, DiffViewer } from '../workspace/readOnlyDocuments.ts';
import { PartlyWritten, type TextStore } from './applyChanges.ts';
import type { ChangeTexts } from './changeRecord.ts';
import type { Changes } from './changes.ts';

export interface ChangeActionsOptions {
  readonly changes: Pick<Changes, 'list' | 'keep' | 'texts' | 'undo' | 'redo'>;
  readonly texts: TextStore;
  readonly review: DiffViewer;
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
   *
   * @throws {UserError} if files could not be undone or redone, or their texts are no longer stored
   */
  async change(
    turn: string,
    change: string | undefined,
    action: 'diff' | 'keep' | 'undo' | 'redo',
  ): Promise<void> {
    const stored = await this.#options.changes.list(turn);
    if (stored.length === 0) throw new UserError(nothingKept());
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
   * The sides of a diff. The right side is the file itself, where it can be edited, if it hasn't changed
   * since the turn.
   */
  async #compared(file: ChangeTexts): Promise<ComparedFile> {
    const { path, before, after, location } = file;
    // Notebooks are compared by the text of their cells.
    if (isCellsText(before) || isCellsText(after))
      return { path, before: withoutNumbers(before), after: withoutNumbers(after) };
    // The file may have been deleted.
    const current = await orUndefined(this.#options.texts.read(location));
    const isAsLeft = current !== undefined && isSameTextIgnoringLineEndings(current, after);
    return { path, before, after: isAsLeft ? toUri(location) : after };
  }

  async #undo(turn: string, change: string | undefined): Promise<void> {
    const { skipped, lost } = await this.#options.changes
      .undo(turn, change)
      .catch((error: unknown) => {
        throw notWritten(error, (reason) => vscode.l10n.t('Nothing was undone: {0}', reason));
      });
    refuseSkipped([
      [skipped, (paths) => vscode.l10n.t('Not undone because of later changes: {0}', paths)],
      [
        lost,
        (paths) =>
          vscode.l10n.t('Not undone because the earlier text is no longer available: {0}', paths),
      ],
    ]);
  }

  async #redo(turn: string, change: string | undefined): Promise<void> {
    // Unlike undo, redo writes a model's text.
    if (!this.#options.isTrusted()) {
      throw new UserError(vscode.l10n.t('Trust this workspace to let Aside change its code.'));
    }
    const { skipped, lost } = await this.#options.changes
      .redo(turn, change)
      .catch((error: unknown) => {
        throw notWritten(error, (reason) => vscode.l10n.t('Nothing was redone: {0}', reason));
      });
    refuseSkipped([
      [skipped, (paths) => vscode.l10n.t('Not redone because of later changes: {0}', paths)],
      [
        lost,
        (paths) =>
          vscode.l10n.t('Not redone because the changed text is no longer available: {0}', paths),
      ],
    ]);
  }
}

function notWritten(error: unknown, nothingWritten: (reason: string) => string): unknown {
  if (error instanceof PartlyWritten) return partlyWritten(error);
  return error instanceof ToolError ? new UserError(nothingWritten(error.message)) : error;
}

/** @throws {UserError} with a sentence for each kind of skipped files, if there are any */
function refuseSkipped(
  kinds: readonly (readonly [paths: readonly string[], sentence: (paths: string) => string])[],
): void {
  const sentences = kinds
    .filter(([paths]) => paths.length > 0)
    .map(([paths, sentence]) => sentence(paths.join(', ')));
  if (sentences.length > 0) throw new UserError(sentences.join('. '));
}

/** Lists the files of an undo, redo or restore that failed halfway. */
export function partlyWritten({ paths }: PartlyWritten): UserError {
  return new UserError(
    vscode.l10n.t(
      'Stopped because files changed meanwhile. Check these files: {0}',
      paths.join(', '),
    ),
  );
}

function nothingKept(): string {
  return vscode.l10n.t('The text from before this change is no longer available.');
}

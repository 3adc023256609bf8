import * as vscode from 'vscode';
import type { PlannedChange } from '../../core/approval/gate.ts';
import { isSameText } from '../../core/edits/lineEnds.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { Refusal } from '../errors.ts';
import { toUri } from '../workspace/location.ts';
import type { TextStore } from './applyChanges.ts';
import type { ChangeTexts } from './changeRecord.ts';
import type { Changes } from './changes.ts';
import type { ComparedFile, ReviewDiff } from './reviewDiff.ts';

export interface ChangeActionsNeeds {
  readonly changes: Changes;
  readonly texts: TextStore;
  readonly review: ReviewDiff;
}

/** What the person does with changes: looks at them, keeps them, takes them back. */
export class ChangeActions {
  readonly #needs: ChangeActionsNeeds;

  constructor(needs: ChangeActionsNeeds) {
    this.#needs = needs;
  }

  /** Shows changes that wait for a decision: the one of that path, or all. */
  async review(changes: readonly PlannedChange[], path: string | undefined): Promise<void> {
    const [only] = changes.filter((change) => change.path === path);
    const shown = only === undefined ? changes : [only];
    await this.#needs.review.show(shown, vscode.l10n.t('Proposed Change'));
  }

  /**
   * Does it with one file that a turn changed, or with all of them.
   * @throws {Refusal} where files could not be taken back, or nothing is kept of them any more
   */
  async change(
    turn: string,
    change: string | undefined,
    action: 'diff' | 'keep' | 'undo',
  ): Promise<void> {
    const kept = await this.#needs.changes.list(turn);
    if (kept.length === 0) throw new Refusal(nothingKept());
    switch (action) {
      case 'diff':
        return this.#diff(turn, change);
      case 'keep':
        return this.#needs.changes.keep(turn, change);
      case 'undo':
        return this.#undo(turn, change);
    }
  }

  async #diff(turn: string, change: string | undefined): Promise<void> {
    const files = await this.#needs.changes.texts(turn, change);
    if (files.length === 0) throw new Refusal(nothingKept());
    const compared = await Promise.all(files.map((file) => this.#compared(file)));
    await this.#needs.review.show(compared, vscode.l10n.t('Changed by Aside'));
  }

  /** With the file itself on the right, where it is as the turn left it: it can be edited there. */
  async #compared(file: ChangeTexts): Promise<ComparedFile> {
    const { path, before, after, location } = file;
    const current = await this.#needs.texts.read(location).catch(() => undefined);
    const isAsLeft = current !== undefined && isSameText(current, after);
    return { path, before, after: isAsLeft ? toUri(location) : after };
  }

  async #undo(turn: string, change: string | undefined): Promise<void> {
    const left = await this.#needs.changes.undo(turn, change).catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error;
      throw new Refusal(vscode.l10n.t('Nothing was undone: {0}', error.message));
    });
    if (left.length === 0) return;
    throw new Refusal(
      vscode.l10n.t('Not undone, since it was changed after this turn: {0}', left.join(', ')),
    );
  }
}

function nothingKept(): string {
  return vscode.l10n.t('The text from before this change is not there any more.');
}

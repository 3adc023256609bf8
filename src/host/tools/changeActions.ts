import * as vscode from 'vscode';
import type { FileRestore } from '../../core/conversation/conversation.ts';
import { isSameTextIgnoringLineEndings } from '../../core/edits/lineEndings.ts';
import { isCellsText, withoutNumbers } from '../../core/edits/notebookText.ts';
import { orUndefined } from '../../core/support/background.ts';
import { newId } from '../../core/support/id.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { RestorableFiles } from '../../protocol/rpc.ts';
import { UserError } from '../platform/errors.ts';
import { toUri } from '../platform/location.ts';
import type { ComparedFile, DiffViewer } from '../platform/readOnlyDocuments.ts';
import type { Changes, RestoredTurns, RestoreScope, ReversalPlan } from './changes.ts';
import type { ChangeTexts } from './changeStore.ts';
import { PartlyWritten, type TextStore } from './textStore.ts';

/** The person's actions on the changes of a turn: diff, keep, undo and redo. */
export class ChangeActions {
  readonly #changes: Changes;
  readonly #texts: TextStore;
  readonly #viewer: DiffViewer;
  readonly #isTrusted: () => boolean;

  constructor(
    changes: Changes,
    texts: TextStore,
    viewer: DiffViewer,
    isTrusted = () => vscode.workspace.isTrusted,
  ) {
    this.#changes = changes;
    this.#texts = texts;
    this.#viewer = viewer;
    this.#isTrusted = isTrusted;
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
    if ((await this.#changes.list(turn)).length === 0) throw textsGone();
    switch (action) {
      case 'diff': {
        const files = await this.#changes.texts(turn, change);
        if (files.length === 0) throw textsGone();
        const compared = await Promise.all(files.map((file) => this.#compared(file)));
        return this.#viewer.show(compared, vscode.l10n.t('Changed by Aside'));
      }
      case 'keep':
        return this.#changes.keep(turn, change);
      case 'undo': {
        const { skipped, lost } = await orNotWritten(this.#changes.undo(turn, change), (reason) =>
          vscode.l10n.t('Nothing was undone: {0}', reason),
        );
        refuseSkipped(
          [skipped, vscode.l10n.t('Not undone because of later changes: {0}', skipped.join(', '))],
          [
            lost,
            vscode.l10n.t(
              'Not undone because the earlier text is no longer available: {0}',
              lost.join(', '),
            ),
          ],
        );
        return;
      }
      case 'redo': {
        // Unlike undo, redo writes a model's text.
        if (!this.#isTrusted()) {
          throw new UserError(vscode.l10n.t('Trust this workspace to let Aside change its code.'));
        }
        const { skipped, lost } = await orNotWritten(this.#changes.redo(turn, change), (reason) =>
          vscode.l10n.t('Nothing was redone: {0}', reason),
        );
        refuseSkipped(
          [skipped, vscode.l10n.t('Not redone because of later changes: {0}', skipped.join(', '))],
          [
            lost,
            vscode.l10n.t(
              'Not redone because the changed text is no longer available: {0}',
              lost.join(', '),
            ),
          ],
        );
      }
    }
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
    const current = await orUndefined(this.#texts.read(location));
    const isAsLeft = current !== undefined && isSameTextIgnoringLineEndings(current, after);
    return { path, before, after: isAsLeft ? toUri(location) : after };
  }
}

function textsGone(): UserError {
  return new UserError(vscode.l10n.t('The text from before this change is no longer available.'));
}

/** @throws {UserError} with the sentence of each kind of skipped files, if there are any */
function refuseSkipped(
  ...kinds: readonly (readonly [paths: readonly string[], sentence: string])[]
): void {
  const sentences = kinds.flatMap(([paths, sentence]) => (paths.length === 0 ? [] : sentence));
  if (sentences.length > 0) throw new UserError(sentences.join('. '));
}

/** @throws {UserError} if files could not be written; it lists those that were left halfway */
async function orNotWritten(
  work: Promise<ReversalPlan>,
  nothingWritten: (reason: string) => string,
): Promise<ReversalPlan> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new UserError(
      error instanceof PartlyWritten
        ? vscode.l10n.t(
            'Stopped because files changed meanwhile. Check these files: {0}',
            error.paths.join(', '),
          )
        : nothingWritten(error.message),
    );
  }
}

/** Restores files to their state before a message, and undoes or redoes that. */
export class RestoreActions {
  readonly #changes: Changes;
  readonly #viewer: DiffViewer;
  readonly #isTrusted: () => boolean;

  constructor(changes: Changes, viewer: DiffViewer, isTrusted = () => vscode.workspace.isTrusted) {
    this.#changes = changes;
    this.#viewer = viewer;
    this.#isTrusted = isTrusted;
  }

  async find(turns: RestoredTurns): Promise<RestorableFiles> {
    return filesOf(await this.#changes.planRestore(undo(turns)));
  }

  /** Shows the changes of a restore in a read-only diff. */
  async review(turns: RestoredTurns): Promise<void> {
    const plan = await this.#changes.planRestore(undo(turns));
    const written = plan.reversals.flatMap(({ write }) => write ?? []);
    if (written.length === 0) {
      const skipped = skippedIn(plan);
      throw new UserError(
        skipped.length === 0
          ? vscode.l10n.t('There are no files to restore.')
          : vscode.l10n.t('Not restored because of later changes: {0}', skipped.join(', ')),
      );
    }
    const compared = written.map(({ path, location, after }) => ({
      path,
      before: toUri(location),
      after,
    }));
    await this.#viewer.show(compared, vscode.l10n.t('Restored Files'));
  }

  /**
   * Restores the files, except those that somebody else has changed since.
   *
   * @throws {UserError} if they can't be written; then nothing is changed
   */
  async restore(turns: RestoredTurns): Promise<FileRestore> {
    this.#requireTrust();
    const restore = newId();
    const plan = await this.#reverse({ ...undo(turns), restore });
    return { id: restore, turns: turns.turns, ...filesOf(plan), status: 'restored' };
  }

  /**
   * Undoes a restore, except for files that somebody has changed since.
   *
   * @throws {UserError} if that applies to all of them, or they can't be written
   */
  async undo(chat: string, restore: FileRestore): Promise<FileRestore> {
    this.#requireTrust();
    const { id, turns } = restore;
    const plan = await this.#reverse({ type: 'redo', chat, turns, restore: id });
    const skipped = skippedIn(plan);
    if (plan.reversals.length === 0 && skipped.length > 0)
      throw new UserError(
        vscode.l10n.t('Not undone because of later changes: {0}', skipped.join(', ')),
      );
    return { ...restore, left: skipped, status: 'undone' };
  }

  async redo(chat: string, { id, turns }: FileRestore): Promise<FileRestore> {
    this.#requireTrust();
    const plan = await this.#reverse({ type: 'undo', chat, turns, restore: id });
    return { id, turns, ...filesOf(plan), status: 'restored' };
  }

  #requireTrust(): void {
    if (this.#isTrusted()) return;
    throw new UserError(vscode.l10n.t('Trust this workspace to let Aside restore its files.'));
  }

  #reverse(scope: RestoreScope): Promise<ReversalPlan> {
    return orNotWritten(this.#changes.restore(scope), (reason) =>
      vscode.l10n.t('Nothing was restored: {0}', reason),
    );
  }
}

function undo({ chat, turns }: RestoredTurns): RestoreScope {
  return { type: 'undo', chat, turns, restore: '' };
}

function filesOf(plan: ReversalPlan): RestorableFiles {
  return {
    files: plan.reversals.flatMap(({ path, write }) => (write === undefined ? [] : path)),
    left: skippedIn(plan),
  };
}

function skippedIn({ skipped, lost }: ReversalPlan): readonly string[] {
  return [...new Set([...skipped, ...lost])];
}

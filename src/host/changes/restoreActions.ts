import * as vscode from 'vscode';
import type { FileRestore } from '../../core/conversation/conversation.ts';
import { newId } from '../../core/support/id.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { RestorableFiles } from '../../protocol/messages.ts';
import { UserError } from '../errors.ts';
import { toUri } from '../workspace/location.ts';
import type { ReviewDiff } from '../review/reviewDiff.ts';
import type { Changes, RestoreScope } from './changes.ts';
import type { FileStepPlan } from './fileSteps.ts';

export interface RestoreActionsOptions {
  readonly changes: Changes;
  readonly review: Pick<ReviewDiff, 'show'>;
  /** Whether the workspace is trusted. */
  readonly isTrusted: () => boolean;
}

/** Turns of a chat whose changes are undone together: those of a message and all later ones. */
type RestoredTurns = Pick<RestoreScope, 'chat' | 'turns'>;

/** Restores files to what they were before a message, and takes that back. */
export class RestoreActions {
  readonly #options: RestoreActionsOptions;

  constructor(options: RestoreActionsOptions) {
    this.#options = options;
  }

  async find(turns: RestoredTurns): Promise<RestorableFiles> {
    return filesOf(await this.#options.changes.planRestore(undo(turns)));
  }

  /** Shows what would change, with nothing to decide. */
  async review(turns: RestoredTurns): Promise<void> {
    const { changes, review } = this.#options;
    const { steps, left } = await changes.planRestore(undo(turns));
    const written = steps.flatMap(({ write }) => write ?? []);
    if (written.length === 0) throw nothingToRestore(left);
    const compared = written.map(({ path, location, after }) => ({
      path,
      before: toUri(location),
      after,
    }));
    await review.show(compared, vscode.l10n.t('Restored Files'));
  }

  /**
   * Restores the files, except those that somebody else has changed since.
   * @throws {UserError} if they cannot be written; then none was changed
   */
  async restore(turns: RestoredTurns): Promise<FileRestore> {
    this.#requireTrust();
    const restore = newId();
    const plan = await this.#step({ ...undo(turns), restore });
    return { id: restore, turns: turns.turns, ...filesOf(plan), status: 'restored' };
  }

  /**
   * Brings back what the files were before they were restored, except where somebody has changed
   * them since.
   * @throws {UserError} if that is the case for all of them, or they cannot be written
   */
  async undo(chat: string, restore: FileRestore): Promise<FileRestore> {
    this.#requireTrust();
    const { id, turns } = restore;
    const { steps, left } = await this.#step({ type: 'redo', chat, turns, restore: id });
    if (steps.length === 0 && left.length > 0) throw notUndone(left);
    return { ...restore, left, status: 'undone' };
  }

  /** Restores the files again, see {@link restore}. */
  async redo(chat: string, { id, turns }: FileRestore): Promise<FileRestore> {
    this.#requireTrust();
    const plan = await this.#step({ type: 'undo', chat, turns, restore: id });
    return { id, turns, ...filesOf(plan), status: 'restored' };
  }

  #requireTrust(): void {
    if (this.#options.isTrusted()) return;
    throw new UserError(vscode.l10n.t('Trust this workspace to let Aside restore its files.'));
  }

  #step(scope: RestoreScope): Promise<FileStepPlan> {
    return this.#options.changes.restore(scope).catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error;
      throw new UserError(vscode.l10n.t('Nothing was restored: {0}', error.message));
    });
  }
}

function undo({ chat, turns }: RestoredTurns): RestoreScope {
  return { type: 'undo', chat, turns, restore: '' };
}

function filesOf({ steps, left }: FileStepPlan): RestorableFiles {
  return { files: steps.flatMap(({ path, write }) => (write === undefined ? [] : path)), left };
}

function nothingToRestore(left: readonly string[]): UserError {
  const paths = left.join(', ');
  return new UserError(
    left.length === 0
      ? vscode.l10n.t('There are no files to restore.')
      : vscode.l10n.t('Not restored because of later changes: {0}', paths),
  );
}

function notUndone(left: readonly string[]): UserError {
  return new UserError(vscode.l10n.t('Not undone because of later changes: {0}', left.join(', ')));
}

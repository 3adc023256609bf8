import * as vscode from 'vscode';
import type { FileRestore } from '../../core/conversation/conversation.ts';
import { newId } from '../../core/support/id.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { RestorableFiles } from '../../protocol/rpc.ts';
import { UserError } from '../errors.ts';
import { toUri } from '../workspace/location.ts';
import type { DiffViewer } from '../workspace/readOnlyDocuments.ts';
import { PartlyWritten } from './applyChanges.ts';
import { partlyWritten } from './changeActions.ts';
import type { Changes, RestoredTurns, RestoreScope } from './changes.ts';
import type { ReversalPlan } from './reversals.ts';

export interface RestoreActionsOptions {
  readonly changes: Pick<Changes, 'planRestore' | 'restore'>;
  readonly review: DiffViewer;
  readonly isTrusted: () => boolean;
}

/** Restores files to their state before a message, and undoes or redoes that. */
export class RestoreActions {
  readonly #options: RestoreActionsOptions;

  constructor(options: RestoreActionsOptions) {
    this.#options = options;
  }

  async find(turns: RestoredTurns): Promise<RestorableFiles> {
    return filesOf(await this.#options.changes.planRestore(undo(turns)));
  }

  /** Shows the changes of a restore in a read-only diff. */
  async review(turns: RestoredTurns): Promise<void> {
    const { changes, review } = this.#options;
    const plan = await changes.planRestore(undo(turns));
    const written = plan.reversals.flatMap(({ write }) => write ?? []);
    if (written.length === 0) throw nothingToRestore(skippedIn(plan));
    const compared = written.map(({ path, location, after }) => ({
      path,
      before: toUri(location),
      after,
    }));
    await review.show(compared, vscode.l10n.t('Restored Files'));
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
    if (this.#options.isTrusted()) return;
    throw new UserError(vscode.l10n.t('Trust this workspace to let Aside restore its files.'));
  }

  #reverse(scope: RestoreScope): Promise<ReversalPlan> {
    return this.#options.changes.restore(scope).catch((error: unknown) => {
      if (!(error instanceof ToolError)) throw error;
      if (error instanceof PartlyWritten) throw partlyWritten(error);
      throw new UserError(vscode.l10n.t('Nothing was restored: {0}', error.message));
    });
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

function nothingToRestore(skipped: readonly string[]): UserError {
  const paths = skipped.join(', ');
  return new UserError(
    skipped.length === 0
      ? vscode.l10n.t('There are no files to restore.')
      : vscode.l10n.t('Not restored because of later changes: {0}', paths),
  );
}

import type { Approved, ApprovedChange } from '../../core/approval/gate.ts';
import { approvedPlace, type PlacedFile } from '../../core/approval/inspect.ts';
import type { FileChange } from '../../core/conversation/conversation.ts';
import { isSameTextIgnoringLineEndings as isSame } from '../../core/edits/lineEndings.ts';
import { TaskQueue } from '../../core/support/async.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { ToolContext } from '../../core/tools/tool.ts';
import {
  applyChanges,
  StaleFile,
  writeInPlace,
  type AppliedChange,
  type FileWrite,
  type TextStore,
  type WrittenText,
} from './applyChanges.ts';
import {
  goesOn,
  hasSameLocation,
  joinedWith,
  newEntry,
  toFileChange,
  withoutTexts,
  type ChangeEntry,
  type ChangeTexts,
  type UnfinishedChange,
  type TurnChange,
} from './changeRecord.ts';
import { ChangeStore, type ChangeStorage } from './changeStore.ts';
import {
  byFile,
  oneByOne,
  planReversals,
  reversedChanges,
  type ReadPlaced,
  type Reversal,
  type ReversalPlan,
} from './reversals.ts';

export interface ChangesOptions {
  readonly storage: ChangeStorage;
  readonly texts: TextStore;
  /** Resolves with true for each file that is still where its edits were approved. */
  readonly findInPlace: (files: readonly PlacedFile[]) => Promise<readonly boolean[]>;
  readonly chatOf: (turn: string) => string;
  /** Called with errors of the storage. The text then stays in memory. */
  readonly onError: (error: unknown) => void;
}

export interface TurnChanges {
  readonly turn: string;
  readonly changes: readonly FileChange[];
}

/** Turns of a chat whose changes are undone or redone together. */
export interface RestoredTurns {
  readonly chat: string;
  readonly turns: readonly string[];
}

export interface RestoreScope extends RestoredTurns {
  readonly type: Reversal['type'];
  /** The id of the restore. Redo uses it to find the changes that it undid. */
  readonly restore: string;
}

/**
 * Applies approved changes, stores the previous text of each file, lists changes, and undoes and
 * redoes them.
 */
export class Changes implements Disposable {
  readonly #options: ChangesOptions;
  readonly #store: ChangeStore;
  readonly #changed = new Emitter<TurnChanges>();
  /** Runs tasks in order, so that none reads while another writes. */
  readonly #tasks = new TaskQueue();

  /** Fires when a turn changed a file, or a change was kept, undone or redone. */
  readonly onDidChange = this.#changed.event;

  constructor(options: ChangesOptions) {
    this.#options = options;
    this.#store = new ChangeStore(options.storage, options.onError);
  }

  /**
   * Applies approved changes, all or none, and records them for the turn. They are recorded as
   * planned before they are written, so that a window that is killed in between loses no undo.
   *
   * @throws {ToolError} if a file has changed since it was read, or can't be written
   */
  apply(
    approved: Approved<readonly ApprovedChange[]>,
    { turn, ...context }: ToolContext,
  ): Promise<readonly AppliedChange[]> {
    const chat = this.#options.chatOf(turn);
    return this.#tasks.run(async () => {
      const entries = await this.#store.entries(chat, turn);
      const planned = approved.value.map(unfinishedChange);
      await this.#store.setRecord(chat, turn, { entries, planned });
      let applied: readonly AppliedChange[];
      try {
        applied = await applyChanges(approved, this.#options.texts, context);
      } catch (error) {
        await this.#store.setRecord(chat, turn, { entries });
        throw error;
      }
      // The files are written: an error in the record must not fail the call.
      await this.#record(chat, turn, entries, applied).catch(this.#options.onError);
      return applied;
    });
  }

  /** Records changes that were written right before the window of the turn was killed. */
  recover(turn: string): Promise<void> {
    const chat = this.#options.chatOf(turn);
    return this.#tasks.run(async () => {
      const { entries, planned = [] } = await this.#store.record(chat, turn);
      const written: AppliedChange[] = [];
      for (const change of planned) {
        const { kind, before, after, location } = change;
        const current = await this.#options.texts.read(location);
        const isWritten = current !== undefined && (kind === 'create' || !isSame(current, before));
        const last = entries.findLast((entry) => hasSameLocation(entry, change));
        const stored = last && (await this.#store.texts(chat, turn, last));
        const isStored = stored?.status === 'changed' && isSame(stored.after, after);
        if (!isWritten || isStored) continue;
        // A later change of the file by others is found on undo.
        const text = isSame(current, after) ? current : after;
        written.push({ ...change, replaced: before, text, isSaved: true });
      }
      if (planned.length > 0) await this.#record(chat, turn, entries, written);
    });
  }

  async list(turn: string): Promise<readonly FileChange[]> {
    return (await this.#store.entries(this.#options.chatOf(turn), turn)).map(toFileChange);
  }

  texts(turn: string, change?: string): Promise<readonly ChangeTexts[]> {
    return this.#texts(this.#options.chatOf(turn), turn, change);
  }

  /** Marks one file of a turn, or all, as kept, so that undo is no longer offered. */
  keep(turn: string, change?: string): Promise<void> {
    const chat = this.#options.chatOf(turn);
    return this.#tasks.run(async () => {
      const entries = await this.#store.entries(chat, turn);
      const changed = entries.filter(isOf(change)).filter(({ status }) => status === 'changed');
      const updated = changed.map((entry) => ({ ...entry, status: 'kept' }) as const);
      await this.#update(chat, turn, updated);
    });
  }

  /**
   * Undoes one change of a turn, or all that aren't kept. Skips files that somebody else has
   * changed since.
   *
   * @throws {ToolError} if they can't be written; then nothing is changed
   */
  undo(turn: string, change?: string): Promise<ReversalPlan> {
    return this.#reverse('undo', turn, change);
  }

  /** Redoes one undone change of a turn, or all, see {@link undo}. */
  redo(turn: string, change?: string): Promise<ReversalPlan> {
    return this.#reverse('redo', turn, change);
  }

  /** Plans {@link restore} without writing. */
  planRestore(scope: RestoreScope): Promise<ReversalPlan> {
    return this.#tasks.run(() => this.#planRestore(scope));
  }

  /**
   * Undoes all changes of turns, including kept ones, or redoes the changes that the same restore
   * undid. Skips files that somebody else has changed since.
   *
   * @throws {ToolError} if they can't be written; then nothing is changed
   */
  restore(scope: RestoreScope): Promise<ReversalPlan> {
    const plan = (): Promise<ReversalPlan> => this.#planRestore(scope);
    return this.#tasks.run(() => this.#planAndApply(scope.chat, plan, scope.restore));
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #reverse(
    type: Reversal['type'],
    turn: string,
    change: string | undefined,
  ): Promise<ReversalPlan> {
    const chat = this.#options.chatOf(turn);
    const isNamed = isOf(change);
    const status = type === 'undo' ? 'changed' : 'undone';
    const isMeant = (entry: ChangeEntry): boolean => isNamed(entry) && entry.status === status;
    const makePlan = async (): Promise<ReversalPlan> => {
      const { complete, lost } = await this.#store.changes(chat, [turn], isMeant);
      const plan = await planReversals(type, oneByOne(type, complete), this.#readPlaced);
      const skipped = type === 'undo' ? plan.skipped.toReversed() : plan.skipped;
      return { ...plan, skipped, lost: pathsOf(lost) };
    };
    return this.#tasks.run(() => this.#planAndApply(chat, makePlan, undefined));
  }

  async #planRestore({ type, chat, turns, restore }: RestoreScope): Promise<ReversalPlan> {
    const isMeant = (entry: ChangeEntry): boolean =>
      type === 'undo'
        ? entry.status !== 'undone'
        : entry.status === 'undone' && entry.restore === restore;
    const { complete, lost } = await this.#store.changes(chat, turns, isMeant);
    // A file can only be restored through an unbroken sequence of changes.
    const isWhole = ({ change }: TurnChange): boolean =>
      !lost.some((entry) => hasSameLocation(entry, change));
    const plan = await planReversals(type, byFile(complete.filter(isWhole)), this.#readPlaced);
    return { ...plan, lost: pathsOf(lost) };
  }

  /** A file that somebody changes meanwhile is skipped by a second plan. */
  async #planAndApply(
    chat: string,
    makePlan: () => Promise<ReversalPlan>,
    restore: string | undefined,
  ): Promise<ReversalPlan> {
    const plan = await makePlan();
    try {
      return await this.#apply(chat, plan, restore);
    } catch (error) {
      if (!(error instanceof StaleFile)) throw error;
      return this.#apply(chat, await makePlan(), restore);
    }
  }

  /** Writes the files of a plan, and records the undo or redo. */
  async #apply(
    chat: string,
    plan: ReversalPlan,
    restore: string | undefined,
  ): Promise<ReversalPlan> {
    const results = await this.#write(plan.reversals);
    const changed = new Map<string, ChangeEntry[]>();
    for (const reversal of plan.reversals) {
      const written = reversal.write && results.get(reversal.write);
      const reversed = reversedChanges(reversal, written, restore);
      for (const [index, { turn, change }] of reversed.entries()) {
        await this.#store.setTexts(chat, turn, change, reversal.changes[index]?.change);
        changed.set(turn, [...(changed.get(turn) ?? []), withoutTexts(change)]);
      }
    }
    for (const [turn, entries] of changed) await this.#update(chat, turn, entries);
    return plan;
  }

  readonly #readPlaced: ReadPlaced = async (file) => {
    const { texts, findInPlace } = this.#options;
    const [isInPlace] = await findInPlace([file]);
    return isInPlace === true ? { text: await texts.read(file.location) } : undefined;
  };

  /** Writes all or none. Resolves with the result of each write. */
  async #write(
    reversals: readonly Reversal[],
  ): Promise<ReadonlyMap<FileWrite, WrittenText | undefined>> {
    const { texts, findInPlace } = this.#options;
    const writes = reversals.flatMap(({ write }) => write ?? []);
    const files = reversals.flatMap(({ file, write }) => (write === undefined ? [] : file));
    const written =
      writes.length === 0 ? [] : await writeInPlace(writes, texts, () => findInPlace(files));
    return new Map(writes.map((write, index) => [write, written[index]]));
  }

  async #texts(
    chat: string,
    turn: string,
    change: string | undefined,
  ): Promise<readonly ChangeTexts[]> {
    const entries = await this.#store.entries(chat, turn);
    const texts = await Promise.all(
      entries.filter(isOf(change)).map((entry) => this.#store.texts(chat, turn, entry)),
    );
    return texts.filter((text) => text !== undefined);
  }

  async #record(
    chat: string,
    turn: string,
    before: readonly ChangeEntry[],
    applied: readonly AppliedChange[],
  ): Promise<void> {
    let entries = before;
    for (const change of applied) entries = await this.#merged(chat, turn, entries, change);
    await this.#store.setRecord(chat, turn, { entries });
    this.#tell(turn, entries);
  }

  /** Adds a change to the entries. Consecutive changes of one file share an entry. */
  async #merged(
    chat: string,
    turn: string,
    entries: readonly ChangeEntry[],
    applied: AppliedChange,
  ): Promise<readonly ChangeEntry[]> {
    const index = entries.findLastIndex((entry) => hasSameLocation(entry, applied));
    const earlier = entries[index];
    const known = earlier && (await this.#store.texts(chat, turn, earlier));
    if (earlier === undefined || known === undefined || !goesOn(known, applied)) {
      const entry = newEntry(applied, entries);
      const texts = { ...entry, before: applied.replaced, after: applied.text };
      await this.#store.setTexts(chat, turn, texts);
      return [...entries, entry];
    }
    const joined = joinedWith(known, applied);
    await this.#store.setTexts(chat, turn, joined, known);
    const isBack = earlier.kind === 'edit' && isSame(joined.before, joined.after);
    if (isBack) return entries.toSpliced(index, 1);
    return entries.with(index, withoutTexts(joined));
  }

  async #update(chat: string, turn: string, changed: readonly ChangeEntry[]): Promise<void> {
    if (changed.length === 0) return;
    const byId = new Map(changed.map((entry) => [entry.id, entry]));
    const entries = await this.#store.entries(chat, turn);
    const after = entries.map((entry) => byId.get(entry.id) ?? entry);
    await this.#store.setRecord(chat, turn, { entries: after });
    this.#tell(turn, after);
  }

  #tell(turn: string, entries: readonly ChangeEntry[]): void {
    this.#changed.fire({ turn, changes: entries.map(toFileChange) });
  }
}

function unfinishedChange(change: ApprovedChange): UnfinishedChange {
  const { kind, before, after, target } = change;
  const { label: path, location } = target;
  return { path, kind, location, before, after, approved: approvedPlace(change) };
}

function isOf(change: string | undefined): (entry: ChangeEntry) => boolean {
  return ({ id }) => change === undefined || id === change;
}

function pathsOf(entries: readonly ChangeEntry[]): readonly string[] {
  return [...new Set(entries.map(({ path }) => path))];
}

import type { Approved, ResolvedChange } from '../../core/approval/gate.ts';
import { approvedPlace, type PlacedFile, type ApprovedPlace } from '../../core/approval/inspect.ts';
import type { FileChange } from '../../core/conversation/conversation.ts';
import {
  isSameTextIgnoringLineEndings as isSame,
  withLineEndingsOf,
  withoutByteOrderMark,
} from '../../core/edits/lineEndings.ts';
import { TaskQueue } from '../../core/support/async.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { ToolContext } from '../../core/tools/tool.ts';
import { refuseMasks } from '../../core/edits/applyEdits.ts';
import { orUndefined } from '../../core/support/background.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { isSameLocation, type Location } from '../../core/files/places.ts';
import type { KeptFiles } from '../platform/keptFiles.ts';
import {
  changedLineCounts,
  ChangeStore,
  toFileChange,
  type ChangeEntry,
  type ChangeTexts,
  type TurnChange,
} from './changeStore.ts';
import {
  PartlyWritten,
  StaleFile,
  takingBack,
  textToLeave,
  type FileWrite,
  type TextStore,
  type WrittenText,
} from './textStore.ts';

export interface ChangesOptions {
  /** The folder of the changes. */
  readonly storage: Pick<KeptFiles, 'read' | 'write'>;
  readonly texts: TextStore;
  /** Resolves with true for each file that is still where its edits were approved. */
  readonly findInPlace: (files: readonly PlacedFile[]) => Promise<readonly boolean[]>;
  readonly chatOf: (turn: string) => string;
  /** Called with errors of the storage. The text then stays in memory. */
  readonly onError: (error: unknown) => void;
}

export interface AppliedChange extends FileWrite, WrittenText {
  readonly kind: 'edit' | 'create';
  readonly approved: ApprovedPlace;
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

/** The possible reversals, and the paths of all other files. */
export interface ReversalPlan {
  readonly reversals: readonly Reversal[];
  /** Files that have changed since. */
  readonly skipped: readonly string[];
  readonly lost: readonly string[];
}

/** Changes of one file that are undone or redone together. */
interface Reversal {
  readonly type: 'undo' | 'redo';
  readonly path: string;
  readonly changes: ChangesOfFile;
  readonly file: PlacedFile;
  /**
   * The texts before the first change and after each one, when all of them are undone or redone.
   */
  readonly states: readonly FileState[];
  /** Undefined if the file has the text already. */
  readonly write: FileWrite | undefined;
}

type ChangesOfFile = readonly [TurnChange, ...TurnChange[]];

/** The text of a file; undefined if there is no file. */
type FileState = string | undefined;

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
   * Applies approved changes, all or none, and records them for the turn. They are recorded
   * before they are written, so that a window that is killed in between loses no undo.
   *
   * @throws {ToolError} if a file has changed since it was read, or can't be written
   */
  apply(
    { value: approved }: Approved<readonly ResolvedChange[]>,
    { turn, signal, requireAllowed }: ToolContext,
  ): Promise<readonly AppliedChange[]> {
    const chat = this.#options.chatOf(turn);
    return this.#tasks.run(async () => {
      const entries = await this.#store.entries(chat, turn);
      const writing = approved.map((change) => {
        const { kind, before, after, target } = change;
        const { location, named, label: path } = target;
        return { kind, before, after, location, named, path, approved: approvedPlace(change) };
      });
      await this.#store.setRecord(chat, turn, entries, writing);
      let applied: readonly AppliedChange[];
      try {
        const current = await Promise.all(approved.map((change) => change.isCurrent()));
        const stale = writing[current.indexOf(false)];
        if (stale !== undefined) throw new StaleFile(stale.path);
        for (const { after, before } of approved) refuseMasks(after, before);
        // A file that can't be checked counts as moved.
        const findInPlace = (): Promise<readonly boolean[]> =>
          Promise.all(
            approved.map(async (change) => (await orUndefined(change.isInPlace())) ?? false),
          );
        requireAllowed?.();
        const written = await this.#writeInPlace(writing, findInPlace, signal);
        applied = writing.flatMap((change, index) => {
          const result = written[index];
          return result === undefined ? [] : [{ ...change, ...result }];
        });
      } catch (error) {
        await this.#store.setRecord(chat, turn, entries);
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
      const { entries, planned: writing = [] } = await this.#store.record(chat, turn);
      const written: AppliedChange[] = [];
      for (const change of writing) {
        const { kind, before, after, location } = change;
        const current = await this.#options.texts.read(location);
        const isWritten = current !== undefined && (kind === 'create' || !isSame(current, before));
        const last = entries.findLast((entry) => isOfSameFile(entry, change));
        const stored = last && (await this.#store.texts(chat, turn, last));
        const isStored = stored?.status === 'changed' && isSame(stored.after, after);
        if (!isWritten || isStored) continue;
        // A later change of the file by others is found on undo.
        const text = isSame(current, after) ? current : after;
        written.push({ ...change, replaced: before, text, isSaved: true });
      }
      if (writing.length > 0) await this.#record(chat, turn, entries, written);
    });
  }

  async list(turn: string): Promise<readonly FileChange[]> {
    return (await this.#store.entries(this.#options.chatOf(turn), turn)).map(toFileChange);
  }

  /** One change of a turn, or all, with the texts that are still stored. */
  async texts(turn: string, change?: string): Promise<readonly ChangeTexts[]> {
    const chat = this.#options.chatOf(turn);
    const { complete } = await this.#store.changes(chat, [turn], isNamed(change));
    return complete.map((ofTurn) => ofTurn.change);
  }

  /** Marks one file of a turn, or all, as kept, so that undo is no longer offered. */
  keep(turn: string, change?: string): Promise<void> {
    const chat = this.#options.chatOf(turn);
    return this.#tasks.run(async () => {
      const entries = await this.#store.entries(chat, turn);
      const changed = entries.filter(isNamed(change)).filter(({ status }) => status === 'changed');
      const kept = changed.map((entry) => ({ ...entry, status: 'kept' }) as const);
      await this.#update(chat, turn, kept);
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

  #reverse(
    type: Reversal['type'],
    turn: string,
    change: string | undefined,
  ): Promise<ReversalPlan> {
    const chat = this.#options.chatOf(turn);
    const status = type === 'undo' ? 'changed' : 'undone';
    const isMeant = (entry: ChangeEntry): boolean =>
      isNamed(change)(entry) && entry.status === status;
    const makePlan = async (): Promise<ReversalPlan> => {
      const { complete, lost } = await this.#store.changes(chat, [turn], isMeant);
      // One by one, latest first: a file has two changes if somebody else changed it in between.
      const ordered = type === 'undo' ? complete.toReversed() : complete;
      const groups = ordered.map((single): ChangesOfFile => [single]);
      const plan = await this.#plan(type, groups, lost);
      return type === 'undo' ? { ...plan, skipped: plan.skipped.toReversed() } : plan;
    };
    return this.#tasks.run(() => this.#applyPlan(chat, makePlan, undefined));
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
    const makePlan = (): Promise<ReversalPlan> => this.#planRestore(scope);
    return this.#tasks.run(() => this.#applyPlan(scope.chat, makePlan, scope.restore));
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #planRestore({ type, chat, turns, restore }: RestoreScope): Promise<ReversalPlan> {
    const { complete, lost } = await this.#store.changes(chat, turns, (entry) =>
      type === 'undo'
        ? entry.status !== 'undone'
        : entry.status === 'undone' && entry.restore === restore,
    );
    const groups = new Map<string, ChangesOfFile>();
    for (const turnChange of complete) {
      const { scheme, authority, path } = turnChange.change.location;
      const key = JSON.stringify([scheme, authority, path]);
      const earlier = groups.get(key);
      groups.set(key, earlier === undefined ? [turnChange] : [...earlier, turnChange]);
    }
    // A file can only be restored through an unbroken sequence of changes.
    const whole = [...groups.values()].filter(
      ([{ change }]) => !lost.some((entry) => isOfSameFile(entry, change)),
    );
    return this.#plan(type, whole, lost);
  }

  /**
   * Plans the undo or redo of changes. A file is written only if nobody else has changed it,
   * neither since nor between two changes that are reversed together.
   *
   * @param groups each reversed as a whole; only the first group of a file can be reversed
   */
  async #plan(
    type: Reversal['type'],
    groups: readonly ChangesOfFile[],
    lost: readonly ChangeEntry[],
  ): Promise<ReversalPlan> {
    const { texts, findInPlace } = this.#options;
    const reversals: Reversal[] = [];
    const skipped: string[] = [];
    for (const changes of groups) {
      const [{ change: first }] = changes;
      const { path, location, kind } = first;
      const unknown = { location, ofGit: false, hasHardLinks: false };
      const approved = changes.map(({ change }) => change.approved ?? unknown);
      const file = { location, approved, isRemoved: type === 'undo' && kind === 'create' };
      const isPlanned = reversals.some((other) => isOfSameFile(other.file, file));
      const [isInPlace] = isPlanned ? [false] : await findInPlace([file]);
      const states =
        isInPlace === true
          ? statesFrom(type, changes, await texts.read(location), true)
          : undefined;
      if (states === undefined) {
        skipped.push(path);
        continue;
      }
      const ends = [states[0], states.at(-1)];
      const [from, to] = type === 'undo' ? ends.toReversed() : ends;
      const write: FileWrite = {
        kind: from === undefined ? 'create' : to === undefined ? 'delete' : 'edit',
        location,
        path,
        before: from ?? '',
        after: to ?? '',
        encoding: changes.find(({ change }) => change.encoding !== undefined)?.change.encoding,
        isExact: true,
      };
      const needed = from === to ? undefined : write;
      reversals.push({ type, path, changes, file, states, write: needed });
    }
    return { reversals, skipped, lost: [...new Set(lost.map(({ path }) => path))] };
  }

  /**
   * Writes the files of a plan, all or none, and records the undo or redo. A file that somebody
   * changes meanwhile is skipped by a second plan.
   *
   * @param restore id of the file restore, if it is one
   */
  async #applyPlan(
    chat: string,
    makePlan: () => Promise<ReversalPlan>,
    restore: string | undefined,
  ): Promise<ReversalPlan> {
    let plan = await makePlan();
    let written: ReadonlyMap<FileWrite, WrittenText | undefined>;
    try {
      written = await this.#writeReversals(plan.reversals);
    } catch (error) {
      if (!(error instanceof StaleFile)) throw error;
      plan = await makePlan();
      written = await this.#writeReversals(plan.reversals);
    }
    const changed = new Map<string, ChangeEntry[]>();
    for (const reversal of plan.reversals) {
      const result = reversal.write && written.get(reversal.write);
      const reversed = reversedChanges(reversal, result, restore);
      for (const [index, { turn, change }] of reversed.entries()) {
        await this.#store.setTexts(chat, turn, change, reversal.changes[index]?.change);
        changed.set(turn, [...(changed.get(turn) ?? []), change]);
      }
    }
    for (const [turn, entries] of changed) await this.#update(chat, turn, entries);
    return plan;
  }

  async #writeReversals(
    reversals: readonly Reversal[],
  ): Promise<ReadonlyMap<FileWrite, WrittenText | undefined>> {
    const needed = reversals.flatMap(({ file, write }) =>
      write === undefined ? [] : { file, write },
    );
    if (needed.length === 0) return new Map();
    const files = needed.map(({ file }) => file);
    const written = await this.#writeInPlace(
      needed.map(({ write }) => write),
      () => this.#options.findInPlace(files),
    );
    return new Map(needed.map(({ write }, index) => [write, written[index]]));
  }

  /**
   * Writes files, all or none, if each path still leads where it was approved. Otherwise written
   * files are restored (threats: T22).
   *
   * @param findInPlace resolves with true for each file that is in its place
   * @throws {ToolError} if one is not in its place or not as expected, or can't be written
   */
  async #writeInPlace(
    writes: readonly FileWrite[],
    findInPlace: () => Promise<readonly boolean[]>,
    signal?: AbortSignal,
  ): Promise<readonly WrittenText[]> {
    const { texts } = this.#options;
    const reasonFor = ({ path }: FileWrite): string =>
      `${path} leads to another place than what was approved.`;
    const moved = writes[(await findInPlace()).indexOf(false)];
    if (moved !== undefined)
      throw new ToolError(`${reasonFor(moved)} Nothing was written.`, 'denied');
    const written = await texts.write(writes, signal);
    const inPlace = await findInPlace();
    const movedSince = writes[inPlace.indexOf(false)];
    if (movedSince === undefined) return written;
    const failed: string[] = [];
    for (const [index, write] of writes.entries()) {
      // A deleted file isn't restored if a link now leads elsewhere.
      if (write.kind === 'delete' && inPlace[index] !== true) continue;
      await texts.write([takingBack(write, written[index])]).catch(() => failed.push(write.path));
    }
    const reason = reasonFor(movedSince);
    if (failed.length > 0) throw new PartlyWritten(reason, failed, 'denied');
    throw new ToolError(`${reason} The change was undone.`, 'denied');
  }

  /** Adds changes to the entries of a turn. Consecutive changes of one file share an entry. */
  async #record(
    chat: string,
    turn: string,
    before: readonly ChangeEntry[],
    applied: readonly AppliedChange[],
  ): Promise<void> {
    let entries = before;
    for (const change of applied) {
      const index = entries.findLastIndex((entry) => isOfSameFile(entry, change));
      const earlier = entries[index];
      const known = earlier && (await this.#store.texts(chat, turn, earlier));
      if (known !== undefined && follows(known, change)) {
        const joined = joinedWith(known, change);
        await this.#store.setTexts(chat, turn, joined, known);
        const isBack = known.kind === 'edit' && isSame(joined.before, joined.after);
        entries = isBack ? entries.toSpliced(index, 1) : entries.with(index, joined);
      } else {
        const id = String(Math.max(0, ...entries.map((other) => Number(other.id))) + 1);
        const { path, kind, location, replaced, text, approved } = change;
        const lines = changedLineCounts(change.before, text);
        const entry = { id, path, kind, location, ...lines, status: 'changed', approved } as const;
        await this.#store.setTexts(chat, turn, { ...entry, before: replaced, after: text });
        entries = [...entries, entry];
      }
    }
    await this.#store.setRecord(chat, turn, entries);
    this.#changed.fire({ turn, changes: entries.map(toFileChange) });
  }

  async #update(chat: string, turn: string, changed: readonly ChangeEntry[]): Promise<void> {
    if (changed.length === 0) return;
    const byId = new Map(changed.map((entry) => [entry.id, entry]));
    const before = await this.#store.entries(chat, turn);
    const entries = before.map((entry) => byId.get(entry.id) ?? entry);
    await this.#store.setRecord(chat, turn, entries);
    this.#changed.fire({ turn, changes: entries.map(toFileChange) });
  }
}

function isNamed(change: string | undefined): (entry: ChangeEntry) => boolean {
  return ({ id }) => change === undefined || id === change;
}

function isOfSameFile(
  { location: a }: { readonly location: Location },
  { location: b }: { readonly location: Location },
): boolean {
  return a.scheme === b.scheme && a.authority === b.authority && a.path === b.path;
}

/** True if a change directly follows an earlier one of the turn, so that one undo reverts both. */
function follows(known: ChangeTexts, { kind, before, approved }: AppliedChange): boolean {
  if (known.approved && !isSameLocation(known.approved.location, approved.location)) return false;
  switch (known.status) {
    case 'kept':
      return false;
    case 'undone':
      return kind === known.kind && isSame(known.before, before);
    case 'changed':
      // A file that is created again must have been deleted by somebody.
      return kind === 'edit' && isSame(known.after, before);
  }
}

/** Joins a change with the next one of the same file, which {@link follows} it. */
function joinedWith(known: ChangeTexts, { replaced, text, approved }: AppliedChange): ChangeTexts {
  const { id, path, kind, location, status } = known;
  const isUnchanged = status === 'changed' && known.after === replaced;
  // Line endings that a person converted in between stay converted after undo.
  const before = isUnchanged ? known.before : withLineEndingsOf(replaced, known.before);
  const lines = changedLineCounts(before, text);
  return { id, path, kind, location, ...lines, status: 'changed', before, after: text, approved };
}

/**
 * The states before and after each change, oldest first; undefined if two don't match, so that
 * somebody else has changed the file.
 *
 * @param fromEditor true if the start is the text of an editor, which unifies line endings
 */
function statesFrom(
  type: Reversal['type'],
  changes: ChangesOfFile,
  start: FileState,
  fromEditor: boolean,
): readonly FileState[] | undefined {
  const isUndo = type === 'undo';
  const [{ change: first }] = changes;
  const known = isUndo ? changes.at(-1)?.change.after : first.before;
  const isAsKnown = start !== undefined && known !== undefined && isSame(start, known);
  const states = [fromEditor && isAsKnown ? withoutByteOrderMark(known) : start];
  for (const { change } of isUndo ? changes.toReversed() : changes) {
    const state = states.at(-1);
    const next = isUndo ? undone(change, state, first.kind === 'create') : redone(change, state);
    if (next === 'other') return undefined;
    states.push(next.state);
  }
  return isUndo ? states.reverse() : states;
}

type NextState = { readonly state: FileState } | 'other';

/** @param isNew true if the file didn't exist before the first change */
function undone(change: ChangeTexts, state: FileState, isNew: boolean): NextState {
  if (state === undefined) return isNew ? { state } : 'other';
  const { kind, location, path, before, after } = change;
  if (!isSame(state, after)) return 'other';
  if (kind === 'create') return { state: undefined };
  const write = { kind, location, path, before: after, after: before, isExact: true };
  return { state: textToLeave(write, state) };
}

function redone(change: ChangeTexts, state: FileState): NextState {
  const { kind, location, path, before, after } = change;
  const isMissing = state === undefined;
  if (change.wasGone === true) return isMissing ? { state } : 'other';
  if (kind === 'create') return isMissing ? { state: withoutByteOrderMark(after) } : 'other';
  if (isMissing || !isSame(state, before)) return 'other';
  return { state: textToLeave({ kind, location, path, before, after, isExact: true }, state) };
}

/**
 * The changes after their file was written, with the actual texts before and after each of them,
 * including line endings, so that reversing them again gives the same bytes.
 *
 * @param written the result of `write`
 * @param restore id of the file restore for undone changes, if there is one
 */
function reversedChanges(
  { type, changes, states: planned, write }: Reversal,
  written: WrittenText | undefined,
  restore: string | undefined,
): readonly TurnChange[] {
  const isUndo = type === 'undo';
  let states = planned;
  if (write !== undefined && written !== undefined) {
    const start = write.kind === 'create' ? undefined : written.replaced;
    const end = write.kind === 'delete' ? undefined : written.text;
    const passed = statesFrom(type, changes, start, false) ?? planned;
    states = passed.with(isUndo ? 0 : -1, end);
  }
  return changes.map(({ turn, change }, index) => {
    const [before = '', after] = states.slice(index, index + 2);
    const texts = after === undefined ? {} : { before, after };
    const reversed = { ...change, ...texts, encoding: written?.encoding ?? change.encoding };
    if (isUndo) {
      const wasGone = after === undefined;
      const wasKept = change.status === 'kept';
      return { turn, change: { ...reversed, status: 'undone', wasGone, wasKept, restore } };
    }
    const status = change.wasKept === true ? 'kept' : 'changed';
    const cleared = { wasGone: undefined, wasKept: undefined, restore: undefined };
    return { turn, change: { ...reversed, status, ...cleared } };
  });
}

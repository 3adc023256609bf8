import {
  isSameTextIgnoringLineEndings,
  withoutByteOrderMark,
} from '../../core/edits/lineEndings.ts';
import type { PlacedFile } from '../../core/approval/approvedPlace.ts';
import { textToLeave, type FileWrite, type WrittenText } from './applyChanges.ts';
import { placedFile, type ChangeTexts, type TurnChange } from './changeRecord.ts';
import { redoing, undoing, type ReadPlaced, type Reversal } from './reversals.ts';

/** All changes of a file by several turns, which are undone or redone at once. */
export interface FileStep {
  readonly type: Reversal['type'];
  /** The path as displayed. */
  readonly path: string;
  /** Oldest first. */
  readonly changes: readonly TurnChange[];
  readonly file: PlacedFile;
  /** The texts before the first change and after each one, once all of them are undone or redone. */
  readonly states: readonly FileState[];
  /** Undefined if nothing has to be written. */
  readonly write: FileWrite | undefined;
}

/** The text of a file; undefined if there is no file. */
type FileState = string | undefined;

/** The steps that can be taken, and the paths of files that have changed since and are skipped. */
export interface FileStepPlan {
  readonly steps: readonly FileStep[];
  readonly left: readonly string[];
}

/**
 * Plans the undo of all changes of files by several turns, or the redo. A file is only written if nobody
 * else has changed it, since or between two of these changes.
 *
 * @param changes oldest first
 * @param read see {@link ReadPlaced}
 */
export async function planFileSteps(
  type: Reversal['type'],
  changes: readonly TurnChange[],
  read: ReadPlaced,
): Promise<FileStepPlan> {
  const steps: FileStep[] = [];
  const skipped: string[] = [];
  for (const group of byFile(changes)) {
    const [{ change }, ...others] = group;
    const { path } = change;
    const file = placedFile([change, ...others.map((other) => other.change)], isUndo(type));
    const current = await read(file);
    const states = current && statesFrom(type, group, exactly(type, group, current.text));
    if (states === undefined) skipped.push(path);
    else {
      const [from, to] = isUndo(type) ? [states.at(-1), states[0]] : [states[0], states.at(-1)];
      steps.push({ type, path, changes: group, file, states, write: writeOf(from, to, group) });
    }
  }
  return { steps, left: skipped };
}

/**
 * The changes after their file was written, with the texts that are now before and after each of them,
 * line endings included, so that reversing them leaves the same bytes.
 *
 * @param written the result of `write`
 * @param restore the id by which undone changes are found again
 */
export function steppedChanges(
  step: FileStep,
  written: WrittenText | undefined,
  restore: string,
): readonly TurnChange[] {
  const states = statesAfter(step, written);
  return step.changes.map(({ turn, change }, index) => {
    const [before = '', after] = states.slice(index, index + 2);
    const texts = after === undefined ? {} : { before, after };
    const encoding = written?.encoding ?? change.encoding;
    const moved = { ...change, ...texts, encoding };
    const isKept = isUndo(step.type) ? change.status === 'kept' : change.wasKept === true;
    return {
      turn,
      change: isUndo(step.type)
        ? { ...moved, status: 'undone', wasGone: after === undefined, wasKept: isKept, restore }
        : { ...moved, status: isKept ? 'kept' : 'changed', wasGone: undefined, ...notRestored },
    };
  });
}

const notRestored = { wasKept: undefined, restore: undefined };

function isUndo(type: Reversal['type']): boolean {
  return type === 'undo';
}

type Group = readonly [TurnChange, ...TurnChange[]];

function byFile(changes: readonly TurnChange[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const turnChange of changes) {
    const { scheme, authority, path } = turnChange.change.location;
    const key = JSON.stringify([scheme, authority, path]);
    const earlier = groups.get(key);
    groups.set(key, earlier === undefined ? [turnChange] : [...earlier, turnChange]);
  }
  return [...groups.values()];
}

/** The text from which the step starts, as written: an editor shows one kind of line ending. */
function exactly(type: Reversal['type'], changes: Group, current: FileState): FileState {
  const known = isUndo(type) ? changes.at(-1)?.change.after : changes[0].change.before;
  if (current === undefined || known === undefined) return current;
  return isSameTextIgnoringLineEndings(current, known) ? withoutByteOrderMark(known) : current;
}

function statesAfter({ type, changes, states, write }: FileStep, written?: WrittenText) {
  if (write === undefined || written === undefined) return states;
  const start = write.kind === 'create' ? undefined : written.replaced;
  const end = write.kind === 'delete' ? undefined : written.text;
  const passed = statesFrom(type, changes, start) ?? states;
  return passed.with(isUndo(type) ? 0 : -1, end);
}

/** The states before and after each change, oldest first; undefined if one doesn't fit the next. */
function statesFrom(
  type: Reversal['type'],
  changes: readonly TurnChange[],
  start: FileState,
): readonly FileState[] | undefined {
  const isNew = changes[0]?.change.kind === 'create';
  const states = [start];
  for (const { change } of isUndo(type) ? changes.toReversed() : changes) {
    const state = states.at(-1);
    const next = isUndo(type) ? undoneFrom(change, state, isNew) : redoneFrom(change, state);
    if (next === 'other') return undefined;
    states.push(next.state);
  }
  return isUndo(type) ? states.reverse() : states;
}

type NextState = { readonly state: FileState } | 'other';

/** @param isNew true if there was no such file before the first change, and there is none now */
function undoneFrom(change: ChangeTexts, state: FileState, isNew: boolean): NextState {
  if (state === undefined) return isNew ? { state } : 'other';
  if (!isSameTextIgnoringLineEndings(state, change.after)) return 'other';
  return { state: change.kind === 'create' ? undefined : textToLeave(undoing(change), state) };
}

function redoneFrom(change: ChangeTexts, state: FileState): NextState {
  const isMissing = state === undefined;
  if (change.wasGone === true) return isMissing ? { state } : 'other';
  if (change.kind === 'create')
    return isMissing ? { state: withoutByteOrderMark(change.after) } : 'other';
  if (isMissing || !isSameTextIgnoringLineEndings(state, change.before)) return 'other';
  return { state: textToLeave(redoing(change), state) };
}

function writeOf(from: FileState, to: FileState, changes: Group): FileWrite | undefined {
  if (from === to) return undefined;
  const { location, path } = changes[0].change;
  const encoding = changes.find(({ change }) => change.encoding !== undefined)?.change.encoding;
  const texts = { before: from ?? '', after: to ?? '' };
  const kind = from === undefined ? 'create' : to === undefined ? 'delete' : 'edit';
  return { kind, location, path, ...texts, encoding, isExact: true };
}

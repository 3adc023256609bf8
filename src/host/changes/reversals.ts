import {
  isSameTextIgnoringLineEndings,
  withoutByteOrderMark,
} from '../../core/edits/lineEndings.ts';
import type { PlacedFile } from '../../core/approval/inspect.ts';
import { textToLeave, type FileWrite, type WrittenText } from './applyChanges.ts';
import { hasSameLocation, placedFile, type ChangeTexts, type TurnChange } from './changeRecord.ts';

/** Changes of one file that are undone or redone together. */
export interface Reversal {
  readonly type: 'undo' | 'redo';
  readonly path: string;
  readonly changes: FileChanges;
  readonly file: PlacedFile;
  /**
   * The texts before the first change and after each one, when all of them are undone or redone.
   */
  readonly states: readonly FileState[];
  /** Undefined if the file has the text already. */
  readonly write: FileWrite | undefined;
}

export type FileChanges = readonly [TurnChange, ...TurnChange[]];

/** The text of a file; undefined if there is no file. */
type FileState = string | undefined;

/** The possible reversals, and the paths of all other files. */
export interface ReversalPlan {
  readonly reversals: readonly Reversal[];
  /** Files that have changed since. */
  readonly skipped: readonly string[];
  readonly lost: readonly string[];
}

/**
 * Reads a file where its edits were approved. The text is undefined if there is no file; the result
 * is undefined if the path now leads elsewhere.
 */
export type ReadPlaced = (
  file: PlacedFile,
) => Promise<{ readonly text: string | undefined } | undefined>;

/**
 * Plans the undo or redo of changes. A file is written only if nobody else has changed it, neither
 * since nor between two changes that are reversed together.
 *
 * @param groups each reversed as a whole; only the first group of a file can be reversed
 * @param read see {@link ReadPlaced}
 */
export async function planReversals(
  type: Reversal['type'],
  groups: readonly FileChanges[],
  read: ReadPlaced,
): Promise<Omit<ReversalPlan, 'lost'>> {
  const reversals: Reversal[] = [];
  const skipped: string[] = [];
  for (const changes of groups) {
    const [{ change }] = changes;
    const isPlanned = reversals.some((other) => hasSameLocation(other.file, change));
    const reversal = isPlanned ? undefined : await planReversal(type, changes, read);
    if (reversal === undefined) skipped.push(change.path);
    else reversals.push(reversal);
  }
  return { reversals, skipped };
}

/** Undefined if somebody else has changed the file. */
async function planReversal(
  type: Reversal['type'],
  changes: FileChanges,
  read: ReadPlaced,
): Promise<Reversal | undefined> {
  const [{ change }, ...others] = changes;
  const file = placedFile([change, ...others.map((other) => other.change)], isUndo(type));
  const current = await read(file);
  const states = current && statesFrom(type, changes, exactly(type, changes, current.text));
  if (states === undefined) return undefined;
  const [from, to] = isUndo(type) ? [states.at(-1), states[0]] : [states[0], states.at(-1)];
  return { type, path: change.path, changes, file, states, write: writeOf(from, to, changes) };
}

/**
 * Groups for {@link planReversals}: one per change, latest first, since a file has two changes if
 * somebody else changed it in between.
 */
export function oneByOne(
  type: Reversal['type'],
  changes: readonly TurnChange[],
): readonly FileChanges[] {
  return (isUndo(type) ? changes.toReversed() : changes).map((change) => [change]);
}

/** Groups for {@link planReversals}: one per file. */
export function byFile(changes: readonly TurnChange[]): readonly FileChanges[] {
  const groups = new Map<string, FileChanges>();
  for (const turnChange of changes) {
    const { scheme, authority, path } = turnChange.change.location;
    const key = JSON.stringify([scheme, authority, path]);
    const earlier = groups.get(key);
    groups.set(key, earlier === undefined ? [turnChange] : [...earlier, turnChange]);
  }
  return [...groups.values()];
}

/**
 * The changes after their file was written, with the actual texts before and after each of them,
 * including line endings, so that reversing them again gives the same bytes.
 *
 * @param written the result of `write`
 * @param restore id of the file restore for undone changes, if there is one
 */
export function reversedChanges(
  reversal: Reversal,
  written: WrittenText | undefined,
  restore: string | undefined,
): readonly TurnChange[] {
  const states = statesAfter(reversal, written);
  return reversal.changes.map(({ turn, change }, index) => {
    const [before = '', after] = states.slice(index, index + 2);
    const texts = after === undefined ? {} : { before, after };
    const encoding = written?.encoding ?? change.encoding;
    const moved = { ...change, ...texts, encoding };
    const isKept = isUndo(reversal.type) ? change.status === 'kept' : change.wasKept === true;
    return {
      turn,
      change: isUndo(reversal.type)
        ? { ...moved, status: 'undone', wasGone: after === undefined, wasKept: isKept, restore }
        : { ...moved, status: isKept ? 'kept' : 'changed', wasGone: undefined, ...notRestored },
    };
  });
}

const notRestored = { wasKept: undefined, restore: undefined };

function isUndo(type: Reversal['type']): boolean {
  return type === 'undo';
}

/** The text from which the reversal starts, with its line endings, which an editor would unify. */
function exactly(type: Reversal['type'], changes: FileChanges, current: FileState): FileState {
  const known = isUndo(type) ? changes.at(-1)?.change.after : changes[0].change.before;
  if (current === undefined || known === undefined) return current;
  return isSameTextIgnoringLineEndings(current, known) ? withoutByteOrderMark(known) : current;
}

function statesAfter({ type, changes, states, write }: Reversal, written?: WrittenText) {
  if (write === undefined || written === undefined) return states;
  const start = write.kind === 'create' ? undefined : written.replaced;
  const end = write.kind === 'delete' ? undefined : written.text;
  const passed = statesFrom(type, changes, start) ?? states;
  return passed.with(isUndo(type) ? 0 : -1, end);
}

/** The states before and after each change, oldest first; undefined if two don't match. */
function statesFrom(
  type: Reversal['type'],
  changes: FileChanges,
  start: FileState,
): readonly FileState[] | undefined {
  const isNew = changes[0].change.kind === 'create';
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

/** @param isNew true if the file didn't exist before the first change, and doesn't exist now */
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

function undoing({ location, path, before, after }: ChangeTexts): FileWrite {
  return { kind: 'edit', location, path, before: after, after: before, isExact: true };
}

function redoing({ location, path, before, after }: ChangeTexts): FileWrite {
  return { kind: 'edit', location, path, before, after, isExact: true };
}

function writeOf(from: FileState, to: FileState, changes: FileChanges): FileWrite | undefined {
  if (from === to) return undefined;
  const { location, path } = changes[0].change;
  const encoding = changes.find(({ change }) => change.encoding !== undefined)?.change.encoding;
  const texts = { before: from ?? '', after: to ?? '' };
  const kind = from === undefined ? 'create' : to === undefined ? 'delete' : 'edit';
  return { kind, location, path, ...texts, encoding, isExact: true };
}

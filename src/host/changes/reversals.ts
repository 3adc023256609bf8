import { isSameTextIgnoringLineEndings } from '../../core/edits/lineEndings.ts';
import type { PlacedFile } from '../../core/approval/approvedPlace.ts';
import type { FileWrite, WrittenText } from './applyChanges.ts';
import { hasSameLocation, placedFile, type ChangeTexts } from './changeRecord.ts';

/** The undo of a change, or the redo after it. */
export interface Reversal {
  readonly type: 'undo' | 'redo';
  readonly change: ChangeTexts;
  readonly file: PlacedFile;
  /** Undefined for a new file that the person had deleted before it was undone. */
  readonly write: FileWrite | undefined;
}

/**
 * Reads a file where its edits were approved: undefined text if there is none, undefined if the path
 * leads elsewhere by now.
 */
export type ReadPlaced = (
  file: PlacedFile,
) => Promise<{ readonly text: string | undefined } | undefined>;

/** The reversals that are possible, and the paths of files that have changed since and are skipped. */
export interface ReversalPlan {
  readonly reversals: readonly Reversal[];
  readonly left: readonly string[];
}

/**
 * Plans the undo of changes, or the redo of those that are undone. A file is only written while it
 * has the text that the turn, or the last undo or redo, left in it.
 *
 * @param read see {@link ReadPlaced}
 */
export async function planReversals(
  type: Reversal['type'],
  changes: readonly ChangeTexts[],
  read: ReadPlaced,
): Promise<ReversalPlan> {
  const isUndo = type === 'undo';
  const open = changes.filter(({ status }) => status === (isUndo ? 'changed' : 'undone'));
  const reversals: Reversal[] = [];
  const skipped: string[] = [];
  // The latest change is undone first: a file is listed twice if it was changed by someone else in
  // between.
  for (const change of isUndo ? open.toReversed() : open) {
    const isTaken = reversals.some((other) => hasSameLocation(other.change, change));
    const file = placedFile([change], isUndo);
    const current = isTaken ? undefined : await read(file);
    const reversal = current && plan(type, change, current.text);
    if (reversal === undefined) skipped.push(change.path);
    else reversals.push({ ...reversal, file });
  }
  return { reversals, left: isUndo ? skipped.reverse() : skipped };
}

/** Undefined if somebody has changed the file since. */
function plan(
  type: Reversal['type'],
  change: ChangeTexts,
  current: string | undefined,
): Omit<Reversal, 'file'> | undefined {
  const isMissing = current === undefined;
  const wasGone = type === 'undo' ? change.kind === 'create' && isMissing : change.wasGone === true;
  if (wasGone) return isMissing ? { type, change, write: undefined } : undefined;
  const write = type === 'undo' ? undoing(change) : redoing(change);
  const isExpected = isMissing
    ? write.kind === 'create'
    : write.kind !== 'create' && isSameTextIgnoringLineEndings(current, write.before);
  return isExpected ? { type, change, write } : undefined;
}

/** The write that undoes a change. */
export function undoing({ kind, location, path, before, after }: ChangeTexts): FileWrite {
  const undone = kind === 'create' ? 'delete' : 'edit';
  return { kind: undone, location, path, before: after, after: before, isExact: true };
}

/** The write that redoes a change, after its undo. */
export function redoing({ kind, location, path, before, after, encoding }: ChangeTexts): FileWrite {
  return { kind, location, path, before, after, encoding, isExact: true };
}

/**
 * The change after its undo or redo, with the texts that were in the file before and after that, line
 * endings included, so that reversing it again leaves the same bytes.
 *
 * @param written the result of `write`
 */
export function reversed(
  { type, change }: Omit<Reversal, 'file'>,
  written: WrittenText | undefined,
): ChangeTexts {
  const isUndo = type === 'undo';
  const status = isUndo ? 'undone' : 'changed';
  const restore = undefined;
  if (written === undefined) return { ...change, status, restore, wasGone: isUndo };
  const { text, replaced, encoding } = written;
  const [before, after] = isUndo ? [text, replaced] : [replaced, text];
  return { ...change, status, restore, before, after, encoding };
}

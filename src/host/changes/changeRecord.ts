import * as z from 'zod/mini';
import type { FileChange } from '../../core/conversation/conversation.ts';
import { countChangedLines } from '../../core/edits/lineDiff.ts';
import { isSameTextIgnoringLineEndings, withLineEndings } from '../../core/edits/lineEndings.ts';
import { parseJson } from '../../core/support/json.ts';
import type { Location } from '../../core/workspace/places.ts';
import type { AppliedChange, FileWrite } from './applyChanges.ts';

const version = 1;

const entry = z.object({
  id: z.string().check(z.regex(/^\d+$/)),
  path: z.string(),
  kind: z.enum(['edit', 'create']),
  location: z.object({ scheme: z.string(), authority: z.string(), path: z.string() }),
  addedLines: z.number(),
  removedLines: z.number(),
  status: z.enum(['changed', 'kept', 'undone']),
});

/** A changed file of a turn, and its location. */
export type ChangeEntry = z.infer<typeof entry>;

/** A changed file of a turn, with its texts. */
export interface ChangeTexts extends ChangeEntry {
  readonly before: string;
  readonly after: string;
}

const record = z.object({ version: z.literal(version), entries: z.array(entry) });

/** Serializes the changes of a turn. */
export function writeRecord(entries: readonly ChangeEntry[]): string {
  return JSON.stringify({ version, entries });
}

/** Parses stored changes; empty if they are not a record of this version. */
export function readRecord(text: string | undefined): readonly ChangeEntry[] {
  return record.safeParse(parseJson(text ?? '')).data?.entries ?? [];
}

/** The entry without the fields that only the host uses. */
export function toFileChange(entry: ChangeEntry): FileChange {
  const { id, path, kind, addedLines, removedLines, status } = entry;
  return { id, path, kind, addedLines, removedLines, status };
}

/** A new entry, with an ID that is unique within the turn. */
export function newEntry(applied: AppliedChange, others: readonly ChangeEntry[]): ChangeEntry {
  const { path, kind, location, before, text } = applied;
  const id = String(Math.max(0, ...others.map((other) => Number(other.id))) + 1);
  return { id, path, kind, location, ...changedLineCounts(before, text), status: 'changed' };
}

/** Counts added and removed lines, ignoring differences in line endings. */
export function changedLineCounts(
  before: string,
  after: string,
): Pick<ChangeEntry, 'addedLines' | 'removedLines'> {
  const { added, removed } = countChangedLines(
    withLineEndings(before, '\n'),
    withLineEndings(after, '\n'),
  );
  return { addedLines: added, removedLines: removed };
}

/**
 * Whether a change follows directly on an earlier one of the turn, so that one undo reverts both.
 */
export function goesOn(known: ChangeTexts, { before }: AppliedChange): boolean {
  if (known.status === 'kept') return false;
  return isSameTextIgnoringLineEndings(
    known.status === 'undone' ? known.before : known.after,
    before,
  );
}

/** The file write that undoes a change. */
export function undoing({ kind, location, path, before, after }: ChangeTexts): FileWrite {
  const undone = kind === 'create' ? 'delete' : 'edit';
  return { kind: undone, location, path, before: after, after: before };
}

/** Whether both are the same file. */
export function hasSameLocation(
  { location: one }: { readonly location: Location },
  { location: other }: { readonly location: Location },
): boolean {
  return (
    one.scheme === other.scheme && one.authority === other.authority && one.path === other.path
  );
}

import * as z from 'zod/mini';
import type { PlacedFile } from '../../core/approval/inspect.ts';
import type { FileChange } from '../../core/conversation/conversation.ts';
import { countChangedLines } from '../../core/edits/lineDiff.ts';
import { withoutNumbers } from '../../core/edits/notebookText.ts';
import {
  isSameTextIgnoringLineEndings,
  withLineEndings,
  withLineEndingsOf,
} from '../../core/edits/lineEndings.ts';
import { parseJson } from '../../core/support/json.ts';
import { isSameLocation, type Location } from '../../core/workspace/places.ts';
import type { AppliedChange } from './applyChanges.ts';

const version = 1;

const location = z.object({ scheme: z.string(), authority: z.string(), path: z.string() });

const approved = z.object({ location, ofGit: z.boolean(), hasHardLinks: z.boolean() });

const entry = z.object({
  id: z.string().check(z.regex(/^\d+$/)),
  path: z.string(),
  kind: z.enum(['edit', 'create']),
  location,
  addedLines: z.number(),
  removedLines: z.number(),
  status: z.enum(['changed', 'kept', 'undone']),
  encoding: z.optional(z.string()),
  /**
   * True if a new file was already deleted when it was undone, so that there is nothing to redo.
   */
  wasGone: z.optional(z.boolean()),
  /** True if the person had kept the change before it was undone with later ones. */
  wasKept: z.optional(z.boolean()),
  restore: z.optional(z.string()),
  /** The location where it was approved; absent in records of earlier versions. */
  approved: z.optional(approved),
});

/** A change that is about to be written. */
const unfinishedChange = z.object({
  path: z.string(),
  kind: z.enum(['edit', 'create']),
  location,
  before: z.string(),
  after: z.string(),
  approved,
});
export type UnfinishedChange = z.infer<typeof unfinishedChange>;

export type ChangeEntry = z.infer<typeof entry>;

export interface ChangeTexts extends ChangeEntry {
  readonly before: string;
  readonly after: string;
}

export interface TurnChange {
  readonly turn: string;
  readonly change: ChangeTexts;
}

const record = z.object({
  version: z.literal(version),
  entries: z.array(entry),
  planned: z.optional(z.array(unfinishedChange)),
});

/** The changes of a turn. */
export interface ChangeRecord {
  readonly entries: readonly ChangeEntry[];
  /** Changes that are being written; their window was killed if they are found later. */
  readonly planned?: readonly UnfinishedChange[] | undefined;
}

export function writeRecord({ entries, planned }: ChangeRecord): string {
  return JSON.stringify({ version, entries, planned });
}

/** Parses stored changes; empty if they are not a record of this version. */
export function readRecord(text: string | undefined): ChangeRecord {
  return record.safeParse(parseJson(text ?? '')).data ?? { entries: [] };
}

/** The entry without the fields that only the host uses. */
export function toFileChange(entry: ChangeEntry): FileChange {
  const { id, path, kind, addedLines, removedLines, status } = entry;
  return { id, path, kind, addedLines, removedLines, status };
}

/** A new entry, with an ID that is unique within the turn. */
export function newEntry(applied: AppliedChange, others: readonly ChangeEntry[]): ChangeEntry {
  const { path, kind, location, before, text, approved } = applied;
  const id = String(Math.max(0, ...others.map((other) => Number(other.id))) + 1);
  const lines = changedLineCounts(before, text);
  return { id, path, kind, location, ...lines, status: 'changed', approved };
}

/** Counts added and removed lines, ignoring differences in line endings. */
export function changedLineCounts(
  before: string,
  after: string,
): Pick<ChangeEntry, 'addedLines' | 'removedLines'> {
  const { added, removed } = countChangedLines(
    withoutNumbers(withLineEndings(before, '\n')),
    withoutNumbers(withLineEndings(after, '\n')),
  );
  return { addedLines: added, removedLines: removed };
}

/** True if a change directly follows an earlier one of the turn, so that one undo reverts both. */
export function goesOn(known: ChangeTexts, { kind, before, approved }: AppliedChange): boolean {
  if (known.approved && !isSameLocation(known.approved.location, approved.location)) return false;
  switch (known.status) {
    case 'kept':
      return false;
    case 'undone':
      return kind === known.kind && isSameTextIgnoringLineEndings(known.before, before);
    case 'changed':
      // A file that is created again must have been deleted by somebody.
      return kind === 'edit' && isSameTextIgnoringLineEndings(known.after, before);
  }
}

/** Joins a change with the next one of the same file. Requires `goesOn`. */
export function joinedWith(
  known: ChangeTexts,
  { replaced, text, approved }: AppliedChange,
): ChangeTexts {
  const { id, path, kind, location, status } = known;
  const follows = status === 'changed' && known.after === replaced;
  // Line endings that a person converted in between stay converted after undo.
  const before = follows ? known.before : withLineEndingsOf(replaced, known.before);
  const lines = changedLineCounts(before, text);
  return { id, path, kind, location, ...lines, status: 'changed', before, after: text, approved };
}

export function withoutTexts(change: ChangeTexts): ChangeEntry {
  const { location, encoding, wasGone, wasKept, restore, approved } = change;
  return { ...toFileChange(change), location, encoding, wasGone, wasKept, restore, approved };
}

/** The file of some changes, with the location where each was approved. */
export function placedFile(
  changes: readonly [ChangeEntry, ...ChangeEntry[]],
  isUndo: boolean,
): PlacedFile {
  const [{ location, kind }] = changes;
  const unknown = { location, ofGit: false, hasHardLinks: false };
  const approved = changes.map((change) => change.approved ?? unknown);
  return { location, approved, isRemoved: isUndo && kind === 'create' };
}

export function hasSameLocation(
  { location: a }: { readonly location: Location },
  { location: b }: { readonly location: Location },
): boolean {
  return a.scheme === b.scheme && a.authority === b.authority && a.path === b.path;
}

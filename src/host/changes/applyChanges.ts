import type { Approved, ApprovedChange } from '../../core/approval/gate.ts';
import { refuseMasks } from '../../core/edits/maskedEdits.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { Location } from '../../core/workspace/places.ts';

/** A change that was applied, and its result. */
export interface AppliedChange extends FileWrite, WrittenText {
  readonly kind: 'edit' | 'create';
}

/**
 * Applies changes that passed the gate, all or none.
 * @throws {ToolError} if a file has changed since it was read, or cannot be written.
 */
export async function applyChanges(
  approved: Approved<readonly ApprovedChange[]>,
  texts: TextStore,
  signal: AbortSignal,
): Promise<readonly AppliedChange[]> {
  const changes = approved.value.map(({ kind, target, before, after }) => ({
    kind,
    before,
    after,
    location: target.location,
    named: target.named,
    path: target.label,
  }));
  const current = await Promise.all(approved.value.map((change) => change.isCurrent()));
  const stale = changes[current.indexOf(false)];
  if (stale !== undefined) throw staleFile(stale.path);
  for (const { after, before } of approved.value) refuseMasks(after, before);
  await requireInPlace(approved.value);
  const written = await texts.write(changes, signal);
  try {
    await requireInPlace(approved.value);
  } catch (error) {
    await texts.write(changes.map((change, index) => undoing(change, written[index])));
    throw error;
  }
  return changes.flatMap((change, index) => {
    const result = written[index];
    return result === undefined ? [] : [{ ...change, ...result }];
  });
}

/** @throws {ToolError} if a path leads to another file than the one that was approved */
async function requireInPlace(changes: readonly ApprovedChange[]): Promise<void> {
  const inPlace = await Promise.all(changes.map((change) => change.isInPlace()));
  const moved = changes[inPlace.indexOf(false)];
  if (moved === undefined) return;
  throw new ToolError(
    `${moved.target.label} became another file while it was being written. The change was undone.`,
    'denied',
  );
}

/** The write that takes one back. */
function undoing(change: FileWrite, written: WrittenText | undefined): FileWrite {
  const kind = change.kind === 'create' ? 'delete' : 'edit';
  return { ...change, kind, before: written?.text ?? change.after, after: change.before };
}

/** The error for the model if a file has changed since it was read. */
export function staleFile(path: string): ToolError {
  return new ToolError(
    `${path} has changed since it was read. Nothing was written. Read it again.`,
  );
}

/** A change of a text file. */
export interface FileWrite {
  /** `create` fails if the file exists, `delete` if its text is not `before`. */
  readonly kind: 'edit' | 'create' | 'delete';
  readonly location: Location;
  /** The location under which the file was named, if a link leads from there to `location`. */
  readonly named?: Location | undefined;
  /** The path as displayed. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The result of writing a file. */
export interface WrittenText {
  readonly location: Location;
  /** The text after saving, which may include changes of formatters. */
  readonly text: string;
  /** False for a file that already had unsaved changes: the person saves it. */
  readonly isSaved: boolean;
}

/** The text files of the workspace, as they are in the editor. */
export interface TextStore {
  /** The current text, saved or not; undefined if the file does not exist. */
  read(location: Location): Promise<string | undefined>;
  /**
   * Applies all changes or none. Resolves with their results, in the same order.
   * @throws {ToolError} if the text of a file is not `before`, or it cannot be written.
   */
  write(changes: readonly FileWrite[], signal?: AbortSignal): Promise<readonly WrittenText[]>;
}

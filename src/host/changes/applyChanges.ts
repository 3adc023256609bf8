import type { Approved, ApprovedChange } from '../../core/approval/gate.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { Location } from '../../core/workspace/places.ts';

/** A change that was made, and what became of it. */
export interface AppliedChange extends FileWrite, WrittenText {
  readonly kind: 'edit' | 'create';
}

/**
 * Makes changes that passed the gate: all of them, or none.
 * @throws {ToolError} where a file changed since it was read, or cannot be written.
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
  const written = await texts.write(changes, signal);
  return changes.flatMap((change, index) => {
    const result = written[index];
    return result === undefined ? [] : [{ ...change, ...result }];
  });
}

/** What the model is told where a file is not what it read. */
export function staleFile(path: string): ToolError {
  return new ToolError(
    `${path} has changed since it was read. Nothing was written. Read it again.`,
  );
}

/** A text file as it shall be. */
export interface FileWrite {
  /** `create` only where nothing is, `delete` only what still has the text `before`. */
  readonly kind: 'edit' | 'create' | 'delete';
  readonly location: Location;
  /** Where it was named, where a link leads from there to the location. */
  readonly named?: Location | undefined;
  /** As the person knows it, for what is said about it. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** What became of a file that was written. */
export interface WrittenText {
  readonly location: Location;
  /** Its text after it was saved, when formatters may have been at it. */
  readonly text: string;
  /** False for a file that had unsaved changes before: the person saves it. */
  readonly isSaved: boolean;
}

/** The text files of the workspace, as they are in the editor. */
export interface TextStore {
  /** The text as it is now, saved or not; undefined where there is no file. */
  read(location: Location): Promise<string | undefined>;
  /**
   * Carries out all changes or none; resolves with what became of each, in their order.
   * @throws {ToolError} where a file is not as `before` says any more, or cannot be written.
   */
  write(changes: readonly FileWrite[], signal?: AbortSignal): Promise<readonly WrittenText[]>;
}

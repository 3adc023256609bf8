import { approvedPlace, type ApprovedPlace } from '../../core/approval/approvedPlace.ts';
import type { Approved, ApprovedChange } from '../../core/approval/gate.ts';
import {
  hasMixedLineEndings,
  withLineEndingsOf,
  withoutByteOrderMark,
} from '../../core/edits/lineEndings.ts';
import { refuseMasks } from '../../core/edits/applyEdits.ts';
import { orUndefined } from '../../core/support/background.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { ToolContext } from '../../core/tools/tool.ts';
import type { Location } from '../../core/workspace/places.ts';

export interface AppliedChange extends FileWrite, WrittenText {
  readonly kind: 'edit' | 'create';
  readonly approved: ApprovedPlace;
}

/**
 * Applies changes that passed the gate, all or none.
 * @throws {ToolError} if a file has changed since it was read, or cannot be written.
 */
export async function applyChanges(
  approved: Approved<readonly ApprovedChange[]>,
  texts: TextStore,
  { signal, requireAllowed }: Pick<ToolContext, 'signal' | 'requireAllowed'>,
): Promise<readonly AppliedChange[]> {
  const changes = approved.value.map((change) => {
    const { kind, target, before, after } = change;
    const { location, named, label: path } = target;
    return { kind, before, after, location, named, path, approved: approvedPlace(change) };
  });
  const current = await Promise.all(approved.value.map((change) => change.isCurrent()));
  const stale = changes[current.indexOf(false)];
  if (stale !== undefined) throw new StaleFile(stale.path);
  for (const { after, before } of approved.value) refuseMasks(after, before);
  const findPlaces = (): Promise<readonly boolean[]> =>
    Promise.all(
      // A file that can't be checked counts as moved.
      approved.value.map(async (change) => (await orUndefined(change.isInPlace())) ?? false),
    );
  requireAllowed?.();
  const written = await writeInPlace(changes, texts, findPlaces, signal);
  return changes.flatMap((change, index) => {
    const result = written[index];
    return result === undefined ? [] : [{ ...change, ...result }];
  });
}

/**
 * Writes files, all or none, if each path still leads where it was approved. Otherwise written
 * files are restored (threats: T22).
 *
 * @param findPlaces resolves with true for each file that is in its place
 * @throws {ToolError} if one is not in its place or not as expected, or can't be written
 */
export async function writeInPlace(
  changes: readonly FileWrite[],
  texts: TextStore,
  findPlaces: () => Promise<readonly boolean[]>,
  signal?: AbortSignal,
): Promise<readonly WrittenText[]> {
  const moved = changes[(await findPlaces()).indexOf(false)];
  if (moved !== undefined) throw movedFile(moved, 'Nothing was written.');
  const written = await texts.write(changes, signal);
  const inPlace = await findPlaces();
  const movedSince = changes[inPlace.indexOf(false)];
  if (movedSince === undefined) return written;
  const failed: string[] = [];
  for (const [index, change] of changes.entries()) {
    // A deleted file isn't restored if a link now leads elsewhere.
    if (change.kind === 'delete' && inPlace[index] !== true) continue;
    await texts.write([takingBack(change, written[index])]).catch(() => failed.push(change.path));
  }
  throw movedFile(movedSince, 'The change was undone.', failed);
}

function movedFile({ path }: FileWrite, result: string, failed: readonly string[] = []): ToolError {
  const reason = `${path} leads to another place than what was approved.`;
  return failed.length === 0
    ? new ToolError(`${reason} ${result}`, 'denied')
    : new PartlyWritten(reason, failed, 'denied');
}

/** The write that reverts another one. */
export function takingBack(change: FileWrite, written: WrittenText | undefined): FileWrite {
  const { text = change.after, replaced = change.before, encoding } = written ?? {};
  if (change.kind === 'create')
    return { ...change, kind: 'delete', before: text, after: '', isExact: true };
  const kind = change.kind === 'delete' ? 'create' : 'edit';
  return { ...change, kind, before: text, after: replaced, encoding, isExact: true };
}

/** The error for the model if a file has changed since it was read. */
export class StaleFile extends ToolError {
  constructor(path: string) {
    super(`${path} has changed since it was read. Nothing was written. Read it again.`);
  }
}

/**
 * Writing several files failed, and some couldn't be restored, usually since others changed them.
 */
export class PartlyWritten extends ToolError {
  /** The paths of these files, as displayed. */
  readonly paths: readonly string[];

  constructor(reason: string, paths: readonly string[], outcome: ToolError['outcome'] = 'failed') {
    super(
      `${reason} ${paths.join(', ')} could not be restored: read again what is there.`,
      outcome,
    );
    this.paths = paths;
  }
}

export interface FileWrite {
  /** `create` fails if the file exists, `delete` if its text is not `before`. */
  readonly kind: 'edit' | 'create' | 'delete';
  readonly location: Location;
  /** The location by which the file was named, if a link leads from there to `location`. */
  readonly named?: Location | undefined;
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** Writes exactly `after`, which the file had before, without formatting on save. */
  readonly isExact?: boolean | undefined;
  /** Encoding of a new file; the configured one if absent. */
  readonly encoding?: string | undefined;
}

/**
 * The text that a write leaves on disk, without byte order mark. Keeps the line endings of the
 * replaced text if a person has converted them since `before`.
 */
export function textToLeave({ before, after, isExact }: FileWrite, replaced: string): string {
  const text = withoutByteOrderMark(after);
  const hasOwnEndings =
    isExact === true
      ? replaced === withoutByteOrderMark(before)
      : hasMixedLineEndings(text) && hasMixedLineEndings(replaced);
  return hasOwnEndings ? text : withLineEndingsOf(replaced, text);
}

export interface WrittenText {
  readonly location: Location;
  /** The saved text, which may include changes of formatters. */
  readonly text: string;
  /** The text that was overwritten or deleted, with its line endings; empty for a new file. */
  readonly replaced: string;
  readonly encoding?: string | undefined;
  /** False for a file that already had unsaved changes: the person saves it. */
  readonly isSaved: boolean;
}

/** The text files of the workspace, with their texts in the editor. */
export interface TextStore {
  /** The current text, saved or not; undefined if the file doesn't exist. */
  read(location: Location): Promise<string | undefined>;
  /**
   * Applies all changes or none. Resolves with their results in order.
   *
   * @throws {ToolError} if the text of a file is not `before`, or it can't be written
   */
  write(changes: readonly FileWrite[], signal?: AbortSignal): Promise<readonly WrittenText[]>;
}

import {
  hasMixedLineEndings,
  withLineEndingsOf,
  withoutByteOrderMark,
} from '../../core/edits/lineEndings.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { Location } from '../../core/files/places.ts';

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

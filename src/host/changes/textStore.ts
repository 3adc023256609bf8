import type { Location } from '../../core/tools/target.ts';

/** A text file as it shall be. */
export interface TextChange {
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
  write(changes: readonly TextChange[], signal?: AbortSignal): Promise<readonly WrittenText[]>;
}

/**
 * A folder in which Aside keeps something, and all windows share. Paths are relative to it, with `/`.
 * Nobody but their owner can read the files, where the file system knows owners.
 *
 * A file whose name ends in `.jsonl` holds lines and is only appended to. Any other file is small, and
 * written as a whole. No folder holds both folders and files of lines.
 */
export interface KeptFiles {
  /** Where the folder is, for people. */
  readonly location: string;
  /** A folder in this one, as if it were the only one. */
  folder(path: string): KeptFiles;
  /** Creates this folder, or takes it from other users if it is older than the rule above. */
  prepare(): Promise<void>;
  /** The sorted names of the files in a folder; none where there is no such folder. */
  names(folder?: string): Promise<readonly string[]>;
  /** The sorted names of the folders in a folder; none where there is no such folder. */
  folders(folder?: string): Promise<readonly string[]>;
  /** Undefined if there is no such file. */
  status(file: string): Promise<KeptStatus | undefined>;
  /** The whole text; undefined if there is no such file. */
  read(file: string): Promise<string | undefined>;
  /**
   * The first line and the last lines of a file of lines, so that a long one need not be read as a
   * whole; undefined if there is no such file.
   * @param bytes about how many of the end
   */
  readEnds(file: string, bytes: number): Promise<KeptEnds | undefined>;
  /**
   * The complete lines after those that were read before; undefined if there is no such file. Where
   * lines have no order between windows, those of this object come last.
   * @param from the `end` of the part before; absent for the start
   */
  readOn(file: string, from?: string): Promise<KeptPart | undefined>;
  /**
   * Appends complete lines, which never mix with those of other windows. A line that a crash left
   * unfinished ends before them.
   * @param mustExist rejects if the file is gone
   * @param isAlone whether nobody has changed the file since this object appended to it, so that there
   *   is nothing to look at
   */
  append(file: string, lines: string, mustExist?: boolean, isAlone?: boolean): Promise<void>;
  /** Resolves when everything that was appended would survive a power failure. */
  sync(file: string): Promise<void>;
  /**
   * Creates a file that others see only as a whole. Resolves with false if it exists. Where windows
   * can't exclude each other, several that create it at once may all succeed: the last text stays.
   */
  create(file: string, text: string): Promise<boolean>;
  /** Creates a file or replaces it: on a disk, a crash leaves the one text or the other. */
  write(file: string, text: string): Promise<void>;
  /** Writes a file only if it exists: one that was removed stays removed. */
  replace(file: string, text: string): Promise<void>;
  /** Moves a file. Rejects if there is one already. */
  rename(from: string, to: string): Promise<void>;
  /** Copies a file of lines to where nothing appends to it, unless appending never changes it. */
  setAside(file: string, copy: string): Promise<void>;
  /** Removes a file, or a folder with all that is in it. */
  remove(path: string): Promise<void>;
  /** Removes a folder if nothing is in it. */
  removeEmpty(folder: string): Promise<void>;
}

/** What changes whenever a file is written. */
export interface KeptStatus {
  /** Bytes. */
  readonly size: number;
  /** When it was last written, in milliseconds since the Unix epoch. */
  readonly modified: number;
}

/** Complete lines of a file. */
export interface KeptPart {
  readonly text: string;
  /** Where the next part begins, in terms of the storage. */
  readonly end: string;
  /** Whether it is the first part: it is so again where the file was replaced or cut. */
  readonly isStart: boolean;
}

/** How a file of lines begins and ends. */
export interface KeptEnds {
  /** The first line, or the beginning of one that is longer than can be expected. */
  readonly first: string;
  /** The whole text of a short file, else its last lines; they begin with a complete one. */
  readonly last: string;
  readonly isWhole: boolean;
}

/** The ending of files that hold lines. */
export const linesEnding = '.jsonl';

/** With its end. */
export function firstLine(text: string): string {
  return text.slice(0, text.indexOf('\n') + 1 || undefined);
}

/** The name of a file until its text is whole: only then it takes the place of another one. */
export function unfinishedName(file: string, id: string): string {
  return `${file}.${id}.tmp`;
}

/** Whether a file is more than the rest of a crash. */
export function isFinished(name: string): boolean {
  return !name.endsWith('.tmp');
}

/** The parts of a path. They may come from storage that others can write to: none leads out. */
export function partsOf(path: string): readonly string[] {
  if (path.split(/[/\\]/).includes('..')) throw new Error('This path leads out of its folder.');
  return path.split('/');
}

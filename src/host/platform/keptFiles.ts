/**
 * A folder of stored files, which all windows share. Paths are relative to it, with `/`. Only the
 * owner can read the files, if the file system has owners.
 *
 * A file with the extension `.jsonl` consists of lines and is only appended to. Other files are
 * small, and written as a whole. No folder contains both folders and files of lines.
 */
export interface KeptFiles {
  /** Displayed location of the folder. */
  readonly location: string;
  /** A folder inside this one, with paths relative to it. */
  folder(path: string): KeptFiles;
  /** Creates this folder, or restricts it to its owner if an earlier version created it. */
  prepare(): Promise<void>;
  /** The sorted names of the files in a folder; none if there is no such folder. */
  names(folder?: string): Promise<readonly string[]>;
  /** The sorted names of the folders in a folder; none if there is no such folder. */
  folders(folder?: string): Promise<readonly string[]>;
  /** Undefined if there is no such file. */
  status(file: string): Promise<KeptStatus | undefined>;
  /** The whole text; undefined if there is no such file. */
  read(file: string): Promise<string | undefined>;
  /**
   * The first line and the last lines of a file of lines, so that a long one need not be read as a
   * whole; undefined if there is no such file.
   * @param bytes the approximate number of bytes to read of the end
   */
  readEnds(file: string, bytes: number): Promise<KeptEnds | undefined>;
  /**
   * The complete lines after those that were read before; undefined if there is no such file. If lines
   * have no order between windows, those of this object come last.
   * @param from the `end` of the part before; absent for the start
   * @param bytes about how many bytes to read at once; absent for all
   */
  readOn(file: string, from?: string, bytes?: number): Promise<KeptPart | undefined>;
  /**
   * Appends complete lines, which never mix with those of other windows. An unfinished line, left
   * by a crash, is terminated first.
   *
   * @param mustExist rejects if the file is gone
   * @param isAlone true if nobody has changed the file since this object appended to it, so that no
   * check is needed
   */
  append(file: string, lines: string, mustExist?: boolean, isAlone?: boolean): Promise<void>;
  /** Resolves when all appended lines would survive a power failure. */
  sync(file: string): Promise<void>;
  /**
   * Creates a file that is never visible in part. Resolves with false if it exists. If windows
   * can't exclude each other, several that create it at the same time may all succeed: the last
   * text stays.
   */
  create(file: string, text: string): Promise<boolean>;
  /** Creates a file or replaces it: on a disk, a crash leaves the one text or the other. */
  write(file: string, text: string): Promise<void>;
  /** Writes a file only if it exists, so that a removed one stays removed. */
  replace(file: string, text: string): Promise<void>;
  /** Moves a file. Rejects if there is one already. */
  rename(from: string, to: string): Promise<void>;
  /** Copies a file of lines to where nothing appends to it, unless appending never changes it. */
  setAside(file: string, copy: string): Promise<void>;
  /** Removes a file, or a folder with everything in it. */
  remove(path: string): Promise<void>;
  /** Removes a folder if nothing is in it. */
  removeEmpty(folder: string): Promise<void>;
}

/** Facts about a file that change whenever it is written. */
export interface KeptStatus {
  /** Bytes. */
  readonly size: number;
  /** Time of the last write, in milliseconds since the Unix epoch. */
  readonly modified: number;
}

export interface KeptPart {
  readonly text: string;
  /** The start of the next part, in the storage's own terms. */
  readonly end: string;
  /** True for the first part, also after the file was replaced or cut. */
  readonly isStart: boolean;
  /** False if there are more complete lines to read. */
  readonly isWhole: boolean;
}

/** The beginning and the end of a file of lines. */
export interface KeptEnds {
  /** The first line, or the beginning of an unexpectedly long one. */
  readonly first: string;
  /** The whole text of a short file; otherwise its last complete lines. */
  readonly last: string;
  readonly isWhole: boolean;
}

/** The ending of files that hold lines. */
export const linesEnding = '.jsonl';

/** The first line, with its line ending. */
export function firstLine(text: string): string {
  return text.slice(0, text.indexOf('\n') + 1 || undefined);
}

/** The name of a file while it is written, before it replaces the one with its real name. */
export function unfinishedName(file: string, id: string): string {
  return `${file}.${id}.tmp`;
}

/** False for a file that a crash left unfinished. */
export function isFinished(name: string): boolean {
  return !name.endsWith('.tmp');
}

/**
 * The segments of a path, which can't leave the folder: paths may come from storage that other
 * programs can write.
 */
export function partsOf(path: string): readonly string[] {
  if (path.split(/[/\\]/).includes('..')) throw new Error('This path leads out of its folder.');
  return path.split('/');
}

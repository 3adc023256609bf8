import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newId } from '../../core/support/id.ts';
import {
  firstLine,
  isFinished,
  type KeptEnds,
  type KeptFiles,
  type KeptPart,
  type KeptStatus,
  partsOf,
  unfinishedName,
} from '../platform/keptFiles.ts';
import { TaskQueue } from '../../core/support/async.ts';
import { background, orUndefined } from '../../core/support/background.ts';

/** Flags to append to an existing file, and to read it. */
const toAppend = constants.O_APPEND | constants.O_RDWR;

/** Bytes of the first line that are read to identify a file. */
const firstBytes = 4096;

/** Modes of files and folders that only their owner may read, since chats are private. */
const ownerOnly = { file: 0o600, folder: 0o700 };

export class DiskFiles implements KeptFiles {
  readonly location: string;
  /** Paths that are known to be inaccessible to other users. */
  readonly #restricted = new Set<string>();
  readonly #held = new Map<string, HeldFile>();

  constructor(folder: string) {
    this.location = folder;
  }

  folder(path: string): KeptFiles {
    return new DiskFiles(this.#path(path));
  }

  prepare(): Promise<void> {
    return createOwnerFolder(this.location);
  }

  async names(folder = ''): Promise<readonly string[]> {
    const files = (await this.#entries(folder)).filter((entry) => !entry.isDirectory());
    return files.map(({ name }) => name).filter(isFinished);
  }

  async folders(folder = ''): Promise<readonly string[]> {
    const folders = (await this.#entries(folder)).filter((entry) => entry.isDirectory());
    return folders.map(({ name }) => name);
  }

  async status(file: string): Promise<KeptStatus | undefined> {
    const stats = await orMissing(fs.stat(this.#path(file)));
    // Reading a pipe or a device would never end.
    if (stats?.isFile() !== true) return undefined;
    return { size: stats.size, modified: stats.mtimeMs };
  }

  async read(file: string): Promise<string | undefined> {
    return orMissing(fs.readFile(this.#path(file), 'utf8'));
  }

  async readEnds(file: string, bytes: number): Promise<KeptEnds | undefined> {
    const opened = await orMissing(fs.open(this.#path(file)));
    if (opened === undefined) return undefined;
    try {
      const { size } = await opened.stat();
      const end = await bytesBetween(opened, Math.max(0, size - bytes), size);
      const isWhole = size <= bytes;
      const beginning = isWhole ? end : await bytesBetween(opened, 0, firstBytes);
      const lineEnd = end.indexOf('\n');
      // The first of these bytes may be inside a line.
      const whole = isWhole ? 0 : lineEnd < 0 ? end.length : lineEnd + 1;
      return {
        first: firstLine(beginning.toString()),
        last: end.toString('utf8', whole),
        isWhole,
      };
    } finally {
      await opened.close();
    }
  }

  async readOn(file: string, from?: string, bytes?: number): Promise<KeptPart | undefined> {
    const path = this.#path(file);
    const held = this.#held.get(path);
    if (held !== undefined)
      return orMissing(
        held.use(
          () => fs.open(path, toAppend),
          (handle) => readLinesFrom(handle, from, bytes),
        ),
      );
    const opened = await orMissing(fs.open(path));
    try {
      return opened && (await readLinesFrom(opened, from, bytes));
    } finally {
      await opened?.close();
    }
  }

  async append(file: string, lines: string, mustExist = false): Promise<void> {
    const path = this.#path(file);
    const open = async (): Promise<FileHandle> => {
      if (!mustExist) return openOwned(path, 'a+');
      // Appended lines must not be mistaken for the whole file.
      const existing = await orMissing(fs.open(path, toAppend));
      if (existing === undefined) throw new Error(`The file was deleted: ${path}`);
      return existing;
    };
    await this.#hold(path).use(open, async (opened, size) => {
      // An earlier version may have created it with other permissions.
      if (!this.#restricted.has(path)) await ignoreUnsupported(opened.chmod(ownerOnly.file));
      this.#restricted.add(path);
      const last = size === 0 ? undefined : await bytesBetween(opened, size - 1, size);
      const isInsideLine = last !== undefined && last.toString() !== '\n';
      const bytes = Buffer.from(isInsideLine ? `\n${lines}` : lines);
      // One write, so that lines of several windows never mix.
      const { bytesWritten } = await opened.write(bytes);
      if (bytesWritten < bytes.length) throw new Error(`Only a part was written: ${path}`);
    });
  }

  async sync(file: string): Promise<void> {
    const path = this.#path(file);
    const syncing = this.#hold(path).use(
      () => fs.open(path, toAppend),
      // Later appends don't wait for the disk.
      (opened) => Promise.resolve({ end: opened.datasync() }),
    );
    const begun = await orMissing(syncing);
    await begun?.end;
  }

  async create(file: string, text: string): Promise<boolean> {
    const path = this.#path(file);
    const whole = await writeBeside(path, text);
    try {
      // The file appears as a whole, and only one of several windows succeeds.
      await fs.link(whole, path);
      return true;
    } catch {
      // The file exists, or the file system has no links.
      try {
        await fs.writeFile(path, text, { flag: 'wx', mode: ownerOnly.file });
        return true;
      } catch (error) {
        if (systemCodeOf(error) === 'EEXIST') return false;
        throw error;
      }
    } finally {
      await fs.rm(whole, { force: true });
    }
  }

  async write(file: string, text: string): Promise<void> {
    const path = this.#path(file);
    const whole = await writeBeside(path, text);
    try {
      await fs.rename(whole, path);
    } finally {
      await fs.rm(whole, { force: true });
    }
  }

  async replace(file: string, text: string): Promise<void> {
    if ((await this.status(file)) !== undefined) await this.write(file, text);
  }

  async rename(from: string, to: string): Promise<void> {
    const path = this.#path(to);
    if ((await this.status(to)) !== undefined) throw new Error(`The file exists: ${path}`);
    await createOwnerFolder(dirname(path));
    await fs.rename(this.#path(from), path);
  }

  async setAside(file: string, copy: string): Promise<void> {
    await fs.copyFile(this.#path(file), this.#path(copy), constants.COPYFILE_EXCL);
  }

  async remove(path: string): Promise<void> {
    await fs.rm(this.#path(path), { recursive: true, force: true });
  }

  async removeEmpty(folder: string): Promise<void> {
    if ((await orMissing(fs.readdir(this.#path(folder))))?.length !== 0) return;
    await orMissing(fs.rmdir(this.#path(folder)));
  }

  #hold(path: string): HeldFile {
    const held = this.#held.get(path) ?? new HeldFile(path, () => this.#held.delete(path));
    this.#held.set(path, held);
    return held;
  }

  #path(path: string): string {
    return join(this.location, ...partsOf(path));
  }

  async #entries(folder: string) {
    const entries = await orMissing(fs.readdir(this.#path(folder), { withFileTypes: true }));
    return (entries ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/**
 * Creates a folder that only its owner can open, or restricts an existing one. Other users then can't
 * reach anything in it.
 */
async function createOwnerFolder(folder: string): Promise<void> {
  await fs.mkdir(folder, { recursive: true, mode: ownerOnly.folder });
  await ignoreUnsupported(fs.chmod(folder, ownerOnly.folder));
}

/** Ignores errors of file systems and foreign folders whose permissions can't be changed. */
async function ignoreUnsupported(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
  }
}

/** Opens a file that only its owner can read, and creates its folder if that is missing. */
async function openOwned(path: string, flags: string): Promise<FileHandle> {
  const file = await orMissing(fs.open(path, flags, ownerOnly.file));
  if (file !== undefined) return file;
  await createOwnerFolder(dirname(path));
  return fs.open(path, flags, ownerOnly.file);
}

/** Bytes before a position that identify it: another file has other lines there. */
const knownBytes = 64;

async function readLinesFrom(file: FileHandle, from = '', most = Infinity): Promise<KeptPart> {
  const [position = '', before = ''] = from.split(' ');
  const known = Buffer.from(before, 'base64');
  const start = Number(position) - known.length;
  const { size } = await file.stat();
  const bytes = await bytesBetween(file, start, Math.min(size, start + known.length + most));
  if (!bytes.subarray(0, known.length).equals(known)) return readLinesFrom(file, '', most);
  const isWhole = start + bytes.length >= size;
  // A line that is longer than what was read.
  if (!isWhole && bytes.lastIndexOf('\n') < known.length)
    return readLinesFrom(file, from, 4 * most);
  // Another window may be writing the last line.
  const length = bytes.lastIndexOf('\n') + 1;
  const end = bytes.subarray(Math.max(0, length - knownBytes), length).toString('base64');
  return {
    text: bytes.toString('utf8', known.length, length),
    end: `${start + length} ${end}`,
    isStart: known.length === 0,
    isWhole,
  };
}

async function bytesBetween(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(0, end - start));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
}

async function writeBeside(path: string, text: string): Promise<string> {
  const whole = unfinishedName(path, newId());
  const file = await openOwned(whole, 'wx');
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
  return whole;
}

/** Resolves with undefined if the path doesn't exist, also because a parent is a file. */
export async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT' || systemCodeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** The system's code of an error; undefined for other errors. */
export function systemCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * Flags to read a file. Doesn't follow a link at the end of a path, and doesn't wait at a pipe.
 * Windows has neither flag.
 */
export const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The first of some paths at which there is a program that can be run. */
export async function firstRunnable(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    try {
      await fs.access(path, constants.X_OK);
      if ((await fs.stat(path)).isFile()) return path;
    } catch {
      // It is no program here. The next path may lead to one.
    }
  }
  return undefined;
}

/** Milliseconds without use after which the file is closed. */
const maxIdle = 5000;

/** An open file, with facts that tell whether it is still the one at its path. */
interface Opened {
  readonly file: FileHandle;
  readonly device: number;
  readonly inode: number;
}

/**
 * A file of lines that stays open while it is used every few seconds: opening a file takes longer than
 * appending a line to it, and each round of a turn with tools appends several. It is used by one piece
 * of work at a time.
 */
class HeldFile {
  readonly #path: string;
  readonly #onDidClose: () => void;
  #opened: Opened | undefined;
  readonly #queue = new TaskQueue();
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, onDidClose: () => void) {
    this.#path = path;
    this.#onDidClose = onDidClose;
  }

  /**
   * @param open opens the file, if it isn't open or another one replaced it
   * @param work gets the file and its size in bytes
   */
  use<T>(
    open: () => Promise<FileHandle>,
    work: (file: FileHandle, size: number) => Promise<T>,
  ): Promise<T> {
    return this.#queue.run(async () => {
      clearTimeout(this.#timer);
      try {
        const opened = this.#opened;
        // If something is wrong with the path, opening it again reports it.
        const now = opened && (await orUndefined(fs.stat(this.#path)));
        if (opened !== undefined && now?.dev === opened.device && now.ino === opened.inode)
          return await work(opened.file, now.size);
        await this.#close();
        const file = await open();
        const { dev: device, ino: inode, size } = await file.stat();
        this.#opened = { file, device, inode };
        return await work(file, size);
      } finally {
        // The timer must not keep the process alive.
        this.#timer = setTimeout(() => background(this.close()), maxIdle).unref();
      }
    });
  }

  close(): Promise<void> {
    return this.#queue.run(async () => {
      clearTimeout(this.#timer);
      await this.#close();
      this.#onDidClose();
    });
  }

  async #close(): Promise<void> {
    const { file } = this.#opened ?? {};
    this.#opened = undefined;
    await file?.close();
  }
}

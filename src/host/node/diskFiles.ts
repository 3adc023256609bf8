import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newId } from '../../core/support/id.ts';
import {
  firstLine,
  isFinished,
  partsOf,
  unfinishedName,
  type KeptEnds,
  type KeptFiles,
  type KeptPart,
  type KeptStatus,
} from '../keptFiles.ts';
import { HeldFile } from './heldFile.ts';

/** To append to a file that exists, and to read it. */
const toAppend = constants.O_APPEND | constants.O_RDWR;

/** For files and folders that nobody but their owner may read: chats are private. */
const ownerOnly = { file: 0o600, folder: 0o700 };

/** Kept files on the local disk. */
export class DiskFiles implements KeptFiles {
  readonly location: string;
  /** Paths that are known to be out of reach for others. */
  readonly #restricted = new Set<string>();
  /** Files by their paths. */
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
    const found = await orMissing(fs.stat(this.#path(file)));
    // Reading a pipe or a device would never end.
    if (found?.isFile() !== true) return undefined;
    return { size: found.size, modified: found.mtimeMs };
  }

  async read(file: string): Promise<string | undefined> {
    return orMissing(fs.readFile(this.#path(file), 'utf8'));
  }

  async readEnds(file: string, bytes: number): Promise<KeptEnds | undefined> {
    const opened = await orMissing(fs.open(this.#path(file)));
    try {
      return opened && (await readEndsOf(opened, bytes));
    } finally {
      await opened?.close();
    }
  }

  async readOn(file: string, from?: string): Promise<KeptPart | undefined> {
    const path = this.#path(file);
    const held = this.#held.get(path);
    if (held !== undefined)
      return orMissing(
        held.use(
          () => fs.open(path, toAppend),
          (one) => readLinesFrom(one, from),
        ),
      );
    const opened = await orMissing(fs.open(path));
    try {
      return opened && (await readLinesFrom(opened, from));
    } finally {
      await opened?.close();
    }
  }

  async append(file: string, lines: string, mustExist = false): Promise<void> {
    const path = this.#path(file);
    const open = (): Promise<fs.FileHandle> =>
      mustExist ? openExisting(path) : openOwned(path, 'a+');
    await this.#hold(path).use(open, async (opened, size) => {
      await this.#restrict(path, opened);
      const bytes = Buffer.from((await endsInsideLine(opened, size)) ? `\n${lines}` : lines);
      // One write, so that lines of several windows never mix.
      const { bytesWritten } = await opened.write(bytes);
      if (bytesWritten < bytes.length) throw new Error(`Only a part was written: ${path}`);
    });
  }

  async sync(file: string): Promise<void> {
    const path = this.#path(file);
    // What is appended meanwhile does not wait for the disk.
    const begin = async (opened: fs.FileHandle): Promise<{ readonly end: Promise<void> }> =>
      Promise.resolve({ end: opened.datasync() });
    const syncing = this.#hold(path).use(() => fs.open(path, toAppend), begin);
    await (
      await orMissing(syncing)
    )?.end;
  }

  async create(file: string, text: string): Promise<boolean> {
    const path = this.#path(file);
    const whole = await writeBeside(path, text);
    try {
      // Nobody can read half of it, and only one of several windows succeeds.
      await fs.link(whole, path);
      return true;
    } catch {
      // It exists, or is on a file system without links.
      return await createExclusively(path, text);
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
    return (entries ?? []).sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** A file may be older than the rule that only its owner can read it. */
  async #restrict(path: string, opened: fs.FileHandle): Promise<void> {
    if (this.#restricted.has(path)) return;
    await ignoreUnsupported(opened.chmod(ownerOnly.file));
    this.#restricted.add(path);
  }
}

/**
 * Creates a folder that only its owner can open, or takes it from all others if it exists. Whatever
 * is in it is then out of their reach.
 */
async function createOwnerFolder(folder: string): Promise<void> {
  await fs.mkdir(folder, { recursive: true, mode: ownerOnly.folder });
  await ignoreUnsupported(fs.chmod(folder, ownerOnly.folder));
}

/** Some file systems, and folders of somebody else, have no permissions that could be changed. */
async function ignoreUnsupported(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
  }
}

/** The folder is missing only the first time. */
async function openOwned(path: string, flags: string): Promise<fs.FileHandle> {
  const file = await orMissing(fs.open(path, flags, ownerOnly.file));
  if (file !== undefined) return file;
  await createOwnerFolder(dirname(path));
  return fs.open(path, flags, ownerOnly.file);
}

/** What is left of a file must not be taken for the whole: one that is gone stays gone. */
async function openExisting(path: string): Promise<fs.FileHandle> {
  const file = await orMissing(fs.open(path, toAppend));
  if (file === undefined) throw new Error(`The file was deleted: ${path}`);
  return file;
}

async function endsInsideLine(file: fs.FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last.toString() !== '\n';
}

/** Bytes before a place by which it is known again: another file has other lines there. */
const knownBytes = 64;

async function readLinesFrom(file: fs.FileHandle, from = ''): Promise<KeptPart> {
  const [place = '', before = ''] = from.split(' ');
  const known = Buffer.from(before, 'base64');
  const start = Number(place) - known.length;
  const bytes = await bytesBetween(file, start, (await file.stat()).size);
  if (!bytes.subarray(0, known.length).equals(known)) return readLinesFrom(file);
  // Another window may be writing the last line.
  const length = bytes.lastIndexOf('\n') + 1;
  const end = bytes.subarray(Math.max(0, length - knownBytes), length).toString('base64');
  return {
    text: bytes.toString('utf8', known.length, length),
    end: `${start + length} ${end}`,
    isStart: known.length === 0,
  };
}

/** Bytes of a line that is read to tell what a file is. */
const firstBytes = 4096;

async function readEndsOf(file: fs.FileHandle, length: number): Promise<KeptEnds> {
  const { size } = await file.stat();
  const last = await bytesBetween(file, Math.max(0, size - length), size);
  const isWhole = size <= length;
  const first = isWhole ? last : await bytesBetween(file, 0, firstBytes);
  return {
    first: firstLine(first.toString()),
    last: last.toString('utf8', isWhole ? 0 : lineStart(last)),
    isWhole,
  };
}

/** Where the first complete line begins of bytes that begin inside one. */
function lineStart(bytes: Buffer): number {
  const end = bytes.indexOf('\n');
  return end < 0 ? bytes.length : end + 1;
}

/** The bytes that are there of a part of a file. */
async function bytesBetween(file: fs.FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.max(0, end - start));
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

async function createExclusively(path: string, text: string): Promise<boolean> {
  try {
    await fs.writeFile(path, text, { flag: 'wx', mode: ownerOnly.file });
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined where the path does not exist, also because a parent is a file. */
export async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT' || systemCodeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** What the system calls an error; undefined for others. */
export function systemCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

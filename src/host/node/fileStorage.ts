import { constants } from 'node:fs';
import { copyFile, open, readdir, readFile, rename, stat, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { RenameFile } from '../changes/changeFiles.ts';
import type { JournalPart, JournalStatus, JournalStorage, SavedJournals } from '../chat/journal.ts';
import { orMissing } from './diskFiles.ts';
import { createOwnerFolder, ownerOnly, restrictToOwner } from './ownerOnly.ts';

/** The extension of journal files. */
const ending = '.jsonl';

/** Journals as files on the local disk, which can be appended to, and which only their owner can read. */
export class FileStorage implements JournalStorage, SavedJournals {
  readonly #folder: string;
  /** Conversations whose journal is known to end with a complete line. */
  readonly #whole = new Set<string>();
  /** Conversations whose journal is known to be out of reach for others. */
  readonly #restricted = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  get location(): string {
    return this.#folder;
  }

  async append(conversation: string, text: string, exists = false): Promise<void> {
    const file = await (exists ? this.#reopen(conversation) : this.#open(conversation));
    try {
      await this.#restrict(conversation, file);
      // A crash may have left half a line, to which nothing must be appended.
      const isWhole = this.#whole.delete(conversation) || !(await endsInsideLine(file));
      await file.appendFile(isWhole ? text : `\n${text}`);
      await file.datasync();
      if (text.endsWith('\n')) this.#whole.add(conversation);
    } finally {
      await file.close();
    }
  }

  async read(conversation: string): Promise<string | undefined> {
    return orMissing(readFile(this.#path(conversation), 'utf8'));
  }

  async readOn(conversation: string, from?: string): Promise<JournalPart | undefined> {
    const file = await orMissing(open(this.#path(conversation), 'r'));
    try {
      return file && (await readLinesFrom(file, from));
    } finally {
      await file?.close();
    }
  }

  async setAside(conversation: string): Promise<void> {
    const path = this.#path(conversation);
    const time = new Date().toISOString().replaceAll(':', '-');
    await copyFile(path, `${path}.corrupt-${time}`, constants.COPYFILE_EXCL);
  }

  /** The conversations that have a journal. */
  async list(): Promise<readonly string[]> {
    const names = await orMissing(readdir(this.#folder));
    return (names ?? [])
      .filter((name) => name.endsWith(ending))
      .map((name) => basename(name, ending));
  }

  async status(conversation: string): Promise<JournalStatus | undefined> {
    const found = await orMissing(stat(this.#path(conversation)));
    return found && { size: found.size, modified: found.mtimeMs };
  }

  /** The folder is missing only the first time. */
  async #open(conversation: string): Promise<FileHandle> {
    const path = this.#path(conversation);
    const file = await orMissing(open(path, 'a+', ownerOnly.file));
    if (file !== undefined) return file;
    await createOwnerFolder(this.#folder);
    return open(path, 'a+', ownerOnly.file);
  }

  /** The journal may be older than the rule that only its owner can read it. */
  async #restrict(conversation: string, file: FileHandle): Promise<void> {
    if (this.#restricted.has(conversation)) return;
    await restrictToOwner(file);
    this.#restricted.add(conversation);
  }

  /** What is left of a journal must not be taken for the whole: a file that is gone stays gone. */
  async #reopen(conversation: string): Promise<FileHandle> {
    const path = this.#path(conversation);
    const file = await orMissing(open(path, constants.O_APPEND | constants.O_RDWR));
    if (file === undefined) throw new Error(`The chat was deleted: ${path}`);
    return file;
  }

  #path(conversation: string): string {
    // The id also comes from storage that others can write to.
    if (!/^[\w-]+$/.test(conversation)) throw new Error('This is not a chat ID.');
    return join(this.#folder, `${conversation}${ending}`);
  }
}

async function endsInsideLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last.toString() !== '\n';
}

/** A place in a file by its bytes; another file under the same name is another journal. */
async function readLinesFrom(file: FileHandle, from = ''): Promise<JournalPart> {
  const { size, ino } = await file.stat();
  const [of, before] = from.split(' ').map(Number);
  const isStart = of !== ino || before === undefined || before > size;
  const start = isStart ? 0 : before;
  const bytes = Buffer.alloc(size - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  const length = bytes.subarray(0, bytesRead).lastIndexOf('\n') + 1;
  return { text: bytes.toString('utf8', 0, length), end: `${ino} ${start + length}`, isStart };
}

/** Renames a file on the local disk. */
export const renameFile: RenameFile = (from, to) => rename(from.fsPath, to.fsPath);

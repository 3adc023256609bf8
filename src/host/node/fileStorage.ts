import { mkdir, open, readdir, readFile, rename, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { RenameFile } from '../changes/changeFiles.ts';
import type { JournalStorage } from '../chat/journal.ts';

/** What the names of journals end with. */
const ending = '.jsonl';

/** Journals as files of this machine, which can be appended to. */
export class FileStorage implements JournalStorage {
  readonly #folder: string;
  /** Those whose last line this one wrote, to its end. */
  readonly #whole = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async append(conversation: string, text: string): Promise<void> {
    const file = await this.#open(conversation);
    try {
      // A crash may have left half a line: what comes must not become part of it.
      const isWhole = this.#whole.delete(conversation) || !(await endsInsideLine(file));
      await file.appendFile(isWhole ? text : `\n${text}`);
      await file.datasync();
      if (text.endsWith('\n')) this.#whole.add(conversation);
    } finally {
      await file.close();
    }
  }

  async read(conversation: string): Promise<string | undefined> {
    return ifThere(readFile(this.#path(conversation), 'utf8'));
  }

  /** The conversations that have a journal. */
  async list(): Promise<readonly string[]> {
    const names = await ifThere(readdir(this.#folder));
    return (names ?? [])
      .filter((name) => name.endsWith(ending))
      .map((name) => basename(name, ending));
  }

  /** The folder is there but for the first time. */
  async #open(conversation: string): Promise<FileHandle> {
    const path = this.#path(conversation);
    const file = await ifThere(open(path, 'a+'));
    if (file !== undefined) return file;
    await mkdir(this.#folder, { recursive: true });
    return open(path, 'a+');
  }

  #path(conversation: string): string {
    // An id is made here, but it is read back from storage that others can write to.
    if (!/^[\w-]+$/.test(conversation)) throw new Error('This is not a chat ID.');
    return join(this.#folder, `${conversation}${ending}`);
  }
}

/** What is there; undefined where there is nothing of that name. */
async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function endsInsideLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last.toString() !== '\n';
}

/** Renames a file of this machine. */
export const renameFile: RenameFile = (from, to) => rename(from.fsPath, to.fsPath);

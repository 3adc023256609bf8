import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { JournalStorage } from '../chat/journal.ts';

/** What the names of journals end with. */
const ending = '.jsonl';

/** Journals as files of this machine, which can be appended to. */
export class FileStorage implements JournalStorage {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async append(conversation: string, text: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const file = await open(this.#path(conversation), 'a+');
    try {
      // A crash may have left half a line: what comes must not become part of it.
      const gap = (await endsInsideLine(file)) ? '\n' : '';
      await file.appendFile(gap + text);
      await file.datasync();
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

  #path(conversation: string): string {
    // An id is made here, but it is read back from storage that others can write to.
    if (!/^[\w-]+$/.test(conversation)) throw new Error('This is no id of a chat.');
    return join(this.#folder, `${conversation}${ending}`);
  }
}

/** What is read; undefined where there is nothing of that name. */
async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function endsInsideLine(file: Awaited<ReturnType<typeof open>>): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last.toString() !== '\n';
}

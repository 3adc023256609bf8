import { stat, type FileHandle } from 'node:fs/promises';
import { background, orUndefined } from '../../core/support/background.ts';

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
export class HeldFile {
  readonly #path: string;
  readonly #onDidClose: () => void;
  #opened: Opened | undefined;
  #queue: Promise<unknown> = Promise.resolve();
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
    return this.#enqueue(async () => {
      clearTimeout(this.#timer);
      try {
        const { file, size } = (await this.#current()) ?? (await this.#open(open));
        return await work(file, size);
      } finally {
        // The timer must not keep the process alive.
        this.#timer = setTimeout(() => background(this.close()), maxIdle).unref();
      }
    });
  }

  close(): Promise<void> {
    return this.#enqueue(async () => {
      clearTimeout(this.#timer);
      await this.#close();
      this.#onDidClose();
    });
  }

  async #current(): Promise<{ file: FileHandle; size: number } | undefined> {
    if (this.#opened === undefined) return undefined;
    const { file, device, inode } = this.#opened;
    // If something is wrong with the path, opening it again reports it.
    const now = await orUndefined(stat(this.#path));
    if (now?.dev === device && now.ino === inode) return { file, size: now.size };
    await this.#close();
    return undefined;
  }

  async #open(open: () => Promise<FileHandle>): Promise<{ file: FileHandle; size: number }> {
    const file = await open();
    const { dev: device, ino: inode, size } = await file.stat();
    this.#opened = { file, device, inode };
    return { file, size };
  }

  async #close(): Promise<void> {
    const { file } = this.#opened ?? {};
    this.#opened = undefined;
    await file?.close();
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = orUndefined(result);
    return result;
  }
}

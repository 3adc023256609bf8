import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SharedLines } from '../usage/sharedLines.ts';
import { orMissing } from './diskFiles.ts';
import { createOwnerFolder, ownerOnly } from './ownerOnly.ts';

/** Lines of a file on the local disk, which only its owner can read. */
export class FileLines implements SharedLines {
  readonly #path: string;
  /** Bytes that were read. */
  #position = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** One write, so that lines of several windows never mix. */
  async append(line: string): Promise<void> {
    const file = await this.#openToAppend();
    try {
      // A line that a crash left unfinished ends here, and costs only itself.
      const bytes = Buffer.from(`\n${line}\n`);
      const { bytesWritten } = await file.write(bytes);
      if (bytesWritten < bytes.length) throw new Error('The line was only written in part.');
    } finally {
      await file.close();
    }
  }

  async next(): Promise<readonly string[]> {
    const file = await orMissing(open(this.#path, 'r'));
    if (file === undefined) return [];
    try {
      const bytes = await this.#readNew(file);
      // Another window may be writing the last line.
      const end = bytes.lastIndexOf('\n') + 1;
      this.#position += end;
      const lines = bytes.toString('utf8', 0, end).split('\n');
      return lines.filter((line) => line !== '');
    } finally {
      await file.close();
    }
  }

  async #readNew(file: FileHandle): Promise<Buffer> {
    const { size } = await file.stat();
    // Somebody deleted the file, and it began again.
    if (size < this.#position) this.#position = 0;
    const bytes = Buffer.alloc(size - this.#position);
    let length = 0;
    while (length < bytes.length) {
      const position = this.#position + length;
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, position);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  }

  async #openToAppend(): Promise<FileHandle> {
    const file = await orMissing(open(this.#path, 'a', ownerOnly.file));
    if (file !== undefined) return file;
    await createOwnerFolder(dirname(this.#path));
    return open(this.#path, 'a', ownerOnly.file);
  }
}

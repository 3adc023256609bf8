import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from '../../core/support/id.ts';
import type { StoredText } from '../history/savedChats.ts';
import { orMissing } from './diskFiles.ts';
import { createOwnerFolder, ownerOnly } from './ownerOnly.ts';

/** A text in one file that only its owner can read. Several windows may replace it at any time. */
export class OwnerFile implements StoredText {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  read(): Promise<string | undefined> {
    return orMissing(readFile(this.#path, 'utf8'));
  }

  async write(text: string): Promise<void> {
    // A crash while writing leaves the previous file intact.
    const half = `${this.#path}.${newId()}.tmp`;
    await createOwnerFolder(dirname(this.#path));
    try {
      await writeFile(half, text, { mode: ownerOnly.file });
      await rename(half, this.#path);
    } finally {
      await rm(half, { force: true });
    }
  }
}

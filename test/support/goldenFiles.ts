import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from './paths.ts';

/** Compares texts with golden files. `UPDATE_TRANSCRIPTS=1` updates them. */
export class GoldenFiles {
  readonly #folder: string;
  readonly #used = new Set<string>();

  /** @param name of the folder in `test/fixtures` */
  constructor(name: string) {
    this.#folder = join(projectFolder, 'test/fixtures', name);
  }

  compare(name: string, text: string): void {
    const file = `${name.replaceAll(/[^a-z0-9]+/g, '-')}.txt`;
    const path = join(this.#folder, file);
    this.#used.add(file);
    if (process.env['UPDATE_TRANSCRIPTS'] === '1') {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(path, text);
    }
    assert.ok(existsSync(path), `${file} is missing. UPDATE_TRANSCRIPTS=1 writes it.`);
    assert.equal(text, readFileSync(path, 'utf8'));
  }

  /** Fails if a golden file was compared with nothing. */
  checkAllUsed(): void {
    const files = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    assert.deepEqual(
      files.filter((file) => !this.#used.has(file)),
      [],
    );
  }
}

import { readFileSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../core/support/id.ts';
import type { HostProcess, LeaseFiles } from '../chat/leases.ts';
import { orMissing } from './diskFiles.ts';
import { ownerOnly } from './ownerOnly.ts';

/** Leases as files on the local disk. */
export class DiskLeaseFiles implements LeaseFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async names(): Promise<readonly string[]> {
    return (await orMissing(readdir(this.#folder))) ?? [];
  }

  read(name: string): Promise<string | undefined> {
    return orMissing(readFile(join(this.#folder, name), 'utf8'));
  }

  async create(name: string, text: string): Promise<boolean> {
    await mkdir(this.#folder, { recursive: true, mode: ownerOnly.folder });
    const path = join(this.#folder, name);
    const whole = await this.#write(text);
    try {
      // Nobody can read half of it, and only one of several windows succeeds.
      await link(whole, path);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      // Not every file system has links.
      return await createExclusively(path, text);
    } finally {
      await rm(whole, { force: true });
    }
  }

  async replace(name: string, text: string): Promise<void> {
    const path = join(this.#folder, name);
    if ((await orMissing(readFile(path, 'utf8'))) === undefined) return;
    await rename(await this.#write(text), path);
  }

  remove(name: string): Promise<void> {
    return rm(join(this.#folder, name), { force: true });
  }

  async #write(text: string): Promise<string> {
    const path = join(this.#folder, `${newId()}.tmp`);
    await writeFile(path, text, { mode: ownerOnly.file });
    return path;
  }
}

async function createExclusively(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: ownerOnly.file });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** This process, for windows on the same machine. */
export function hostProcess(): HostProcess {
  return { machine: `${hostname()} ${bootId()}`, id: process.pid, isRunning };
}

/** Identifies the start of the machine: after another one, the numbers mean other processes. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

import { join } from 'node:path';
import { DiskFiles } from '../../src/host/node/diskFiles.ts';

/** Kind of failure; `half` means that a full disk writes some bytes before it fails. */
export type DiskFault = 'full' | 'half' | 'read-only';

/** Current fault of a disk, and the number of failed writes. */
export interface DiskState {
  fault: DiskFault | undefined;
  failures: number;
}

/** Kept files on a disk that fails while the test sets a fault. */
export class FailingDisk extends DiskFiles {
  readonly #state: DiskState;

  constructor(folder: string, state: DiskState) {
    super(folder);
    this.#state = state;
  }

  override folder(path: string): FailingDisk {
    return new FailingDisk(join(this.location, path), this.#state);
  }

  override async append(file: string, lines: string, mustExist = false): Promise<void> {
    if (this.#state.fault === 'half')
      await super.append(file, lines.slice(0, lines.length / 2), mustExist);
    this.#check();
    await super.append(file, lines, mustExist);
  }

  override create(file: string, text: string): Promise<boolean> {
    this.#check();
    return super.create(file, text);
  }

  override write(file: string, text: string): Promise<void> {
    this.#check();
    return super.write(file, text);
  }

  override remove(path: string): Promise<void> {
    // A full disk can still delete files.
    if (this.#state.fault === 'read-only') this.#check();
    return super.remove(path);
  }

  #check(): void {
    const { fault } = this.#state;
    if (fault === undefined) return;
    this.#state.failures += 1;
    const code = fault === 'read-only' ? 'EROFS' : 'ENOSPC';
    throw Object.assign(new Error(code), { code });
  }
}

import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder that is deleted when disposed. */
export class TemporaryFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** A short path, because VS Code creates sockets in it, and without symbolic links. */
  static async create(): Promise<TemporaryFolder> {
    return new TemporaryFolder(await realpath(await mkdtemp(join(tmpdir(), 'aside-'))));
  }

  async dispose(): Promise<void> {
    // A process that was just ended may still write its last lines.
    await rm(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

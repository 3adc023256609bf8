import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder that is deleted when disposed. */
export class TemporaryFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Uses a short path without symbolic links, because VS Code creates sockets in it. */
  static async create(): Promise<TemporaryFolder> {
    return new TemporaryFolder(await realpath(await mkdtemp(join(tmpdir(), 'aside-'))));
  }

  async dispose(): Promise<void> {
    // A process that was just stopped may still write.
    await rm(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

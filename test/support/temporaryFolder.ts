import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

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

  /** Writes a file, and the folders above it. Returns its absolute path. */
  async put(path: string, text: string, mode = 0o644): Promise<string> {
    const file = join(this.path, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    await chmod(file, mode);
    return file;
  }

  async dispose(): Promise<void> {
    // A process that was just stopped may still write.
    await rm(this.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

import type { LockFiles } from '../../src/host/chat/chatLocks.ts';

export class MemoryLocks implements LockFiles {
  readonly #files = new Map<string, string>();

  names(): Promise<readonly string[]> {
    return Promise.resolve([...this.#files.keys()].sort());
  }

  read(name: string): Promise<string | undefined> {
    return Promise.resolve(this.#files.get(name));
  }

  create(name: string, text: string): Promise<boolean> {
    const isNew = !this.#files.has(name);
    if (isNew) this.#files.set(name, text);
    return Promise.resolve(isNew);
  }

  replace(name: string, text: string): Promise<void> {
    if (this.#files.has(name)) this.#files.set(name, text);
    return Promise.resolve();
  }

  remove(name: string): Promise<void> {
    this.#files.delete(name);
    return Promise.resolve();
  }
}

import type { FileStatus, FileSystemView } from '../../../../src/core/files/disk.ts';
import { segmentsOf, type Platform, type Location } from '../../../../src/core/files/places.ts';

interface Entry {
  status: FileStatus;
  readonly link?: string | undefined;
  text: string | Uint8Array;
}

/** A disk in memory with links, which ignores case on Windows and the Mac. */
export class FakeDisk implements FileSystemView {
  readonly #entries = new Map<string, Entry>();
  readonly #platform: Platform;
  #number = 0;
  /** Name of the method that fails. */
  broken: 'realPath' | 'status' | 'read' | undefined;
  /** True after the broken method was called. */
  failed = false;
  /** Number of calls. */
  looks = 0;

  constructor(platform: Platform = 'linux') {
    this.#platform = platform;
    this.folder('/');
  }

  folder(path: string): this {
    return this.#add(path, { kind: 'folder' });
  }

  file(path: string, text: string | Uint8Array = '', more: Partial<FileStatus> = {}): this {
    return this.#add(path, { kind: 'file', ...more }, text);
  }

  special(path: string): this {
    return this.#add(path, { kind: 'special' });
  }

  link(path: string, to: string): this {
    const key = this.#key(path);
    this.#entries.set(key, { status: this.#status({}), link: to, text: path });
    return this;
  }

  remove(path: string): this {
    this.#entries.delete(this.#key(path));
    return this;
  }

  async realPath({ scheme, authority, path }: Location): Promise<Location | undefined> {
    await this.#countCall('realPath');
    const real = this.#follow(segmentsOf(path), 0);
    return real === undefined ? undefined : { scheme, authority, path: real };
  }

  async status({ path }: Location): Promise<FileStatus | undefined> {
    await this.#countCall('status');
    return this.#entries.get(this.#key(path))?.status;
  }

  links({ path }: Location): Promise<readonly string[]> {
    this.looks += 1;
    const start = path === '/' ? '' : `${this.#key(path)}/`;
    const links = [...this.#entries].filter(([, { link }]) => link !== undefined);
    const inside = links
      .filter(([key]) => key.startsWith(start))
      .map(([, { text }]) => text.toString());
    const names = inside
      .map((link) => segmentsOf(link))
      .filter(({ length }) => length === segmentsOf(path).length + 1);
    return Promise.resolve(names.flatMap((name) => name.slice(-1)));
  }

  async read({ path }: Location, identity: string, bytes: number): Promise<Uint8Array | undefined> {
    await this.#countCall('read');
    const entry = this.#entries.get(this.#key(path));
    const isSame = entry?.link === undefined && entry?.status.identity === identity;
    if (entry?.status.kind !== 'file' || !isSame) return undefined;
    const { text } = entry;
    const content = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    return content.slice(0, bytes);
  }

  #countCall(name: 'realPath' | 'status' | 'read'): Promise<void> {
    this.looks += 1;
    if (this.broken !== name) return Promise.resolve();
    this.failed = true;
    return Promise.reject(new Error('EIO'));
  }

  #add(path: string, status: Partial<FileStatus>, text: string | Uint8Array = ''): this {
    const names = segmentsOf(path);
    if (names.length > 1 && !this.#entries.has(this.#key(names.slice(0, -1).join('/')))) {
      this.folder(`/${names.slice(0, -1).join('/')}`);
    }
    this.#entries.set(this.#key(path), { status: this.#status(status), text });
    return this;
  }

  #status(more: Partial<FileStatus>): FileStatus {
    const identity = `1-${++this.#number}-0`;
    return { kind: 'file', identity, hardLinks: 1, executable: false, ...more };
  }

  #follow(names: readonly string[], depth: number): string | undefined {
    if (depth > 40) throw new Error('ELOOP');
    let position = '';
    for (const [index, name] of names.entries()) {
      const entry = this.#entries.get(this.#key(`${position}/${name}`));
      if (entry === undefined) return undefined;
      if (entry.link !== undefined) {
        const base = entry.link.startsWith('/') ? '' : position;
        const remaining = [...segmentsOf(`${base}/${entry.link}`), ...names.slice(index + 1)];
        const real = this.#follow(remaining, depth + 1);
        if (real === undefined && index === names.length - 1) throw new Error('ENOENT of a link');
        return real;
      }
      position = `${position}/${name}`;
    }
    return position === '' ? '/' : position;
  }

  #key(path: string): string {
    const plain = segmentsOf(path).join('/').normalize('NFC');
    return this.#platform === 'linux' ? plain : plain.toLowerCase();
  }
}

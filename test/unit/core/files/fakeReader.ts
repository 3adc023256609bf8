import type { FolderReader } from '../../../../src/core/files/walkSearch.ts';

/** Reads files in memory, in which `null` is a binary file, and a link in the root. */
export class FakeReader implements FolderReader {
  /** The files whose text was read. */
  readonly opened: string[] = [];
  readonly #files: Readonly<Record<string, string | null>>;

  constructor(files: Readonly<Record<string, string | null>>) {
    this.#files = files;
  }

  entries(folder: string): ReturnType<FolderReader['entries']> {
    const start = folder === '' ? '' : `${folder}/`;
    const below = Object.keys(this.#files).filter((path) => path.startsWith(start));
    const names = new Set(below.map((path) => path.slice(start.length).replace(/\/.*/, '')));
    const entries = [...names].map((name) => ({
      name,
      kind: start + name in this.#files ? ('file' as const) : ('folder' as const),
    }));
    const link = { name: 'link', kind: 'other' as const };
    return Promise.resolve(folder === '' ? [...entries, link] : entries);
  }

  kind(path: string): ReturnType<FolderReader['kind']> {
    return Promise.resolve(path in this.#files ? 'file' : 'folder');
  }

  text(path: string): Promise<string | undefined> {
    this.opened.push(path);
    return Promise.resolve(this.#files[path] ?? undefined);
  }
}

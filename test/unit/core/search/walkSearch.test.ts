import assert from 'node:assert/strict';
import type { SearchScope, TextQuery } from '../../../../src/core/search/fileSearch.ts';
import { WalkSearch, type FolderReader } from '../../../../src/core/search/walkSearch.ts';
import { nothingLeftOut } from '../../../support/nothingLeftOut.ts';

const tree: Readonly<Record<string, string | null>> = {
  '.gitignore': '*.log\n/build/\n',
  'a.ts': 'alpha\nbeta\n',
  'a.log': 'alpha\n',
  'build/out.ts': 'alpha\n',
  'src/.gitignore': '!keep.log\ngenerated.ts\n',
  'src/keep.log': 'alpha\n',
  'src/generated.ts': 'alpha\n',
  'src/deep/b.ts': 'Alpha\n',
  'node_modules/c.ts': 'alpha\n',
  'picture.png': null,
};

/** Reads `tree`, in which `null` is a binary file, and a link in the root. */
class FakeReader implements FolderReader {
  readonly read: string[] = [];

  entries(path: string): ReturnType<FolderReader['entries']> {
    const start = path === '' ? '' : `${path}/`;
    const below = Object.keys(tree).flatMap((key) =>
      key.startsWith(start) ? [key.slice(start.length)] : [],
    );
    const names = [...new Set(below.map((key) => key.replace(/\/.*/, '')))];
    const link = { name: 'link', kind: 'other' as const };
    return Promise.resolve([
      ...names.map((name) => ({
        name,
        kind: below.includes(name) ? ('file' as const) : ('folder' as const),
      })),
      ...(path === '' ? [link] : []),
    ]);
  }

  kind(path: string): ReturnType<FolderReader['kind']> {
    return Promise.resolve(path in tree ? 'file' : 'folder');
  }

  text(path: string): Promise<string | undefined> {
    this.read.push(path);
    return Promise.resolve(tree[path] ?? undefined);
  }
}

const root = { scheme: 'memory', authority: '', path: '/' };

function scope(more: Partial<SearchScope> = {}): SearchScope {
  return {
    root,
    start: '',
    include: [],
    exclude: ['**/node_modules'],
    leftOut: nothingLeftOut,
    ...more,
  };
}

async function files(more: Partial<SearchScope> = {}): Promise<string[]> {
  const paths: string[] = [];
  const search = new WalkSearch(() => new FakeReader());
  await search.files(scope(more), (path) => paths.push(path) > 0, new AbortController().signal);
  return paths.toSorted();
}

const alpha: TextQuery = { text: 'alpha', isRegex: false, context: 0 };

describe('WalkSearch', () => {
  it("lists files that aren't ignored, without following links", async () => {
    assert.deepEqual(await files(), [
      ...['.gitignore', 'a.ts', 'picture.png', 'src/.gitignore', 'src/deep/b.ts', 'src/keep.log'],
    ]);
  });

  it('applies the rules of folders above its start', async () => {
    assert.deepEqual(await files({ start: 'src' }), [
      ...['src/.gitignore', 'src/deep/b.ts', 'src/keep.log'],
    ]);
    assert.deepEqual(await files({ start: 'a.log' }), ['a.log']);
  });

  it('lists only requested files', async () => {
    assert.deepEqual(await files({ include: ['*.ts'] }), ['a.ts', 'src/deep/b.ts']);
    assert.deepEqual(await files({ include: ['src/*.log'] }), ['src/keep.log']);
  });

  it('finds lines', async () => {
    const matches: string[] = [];
    const search = new WalkSearch(() => new FakeReader());
    const take = (match: { path: string; line: number }): boolean =>
      matches.push(`${match.path}:${match.line}`) > 0;
    await search.lines(scope(), alpha, take, new AbortController().signal);
    assert.deepEqual(matches.toSorted(), ['a.ts:1', 'src/deep/b.ts:1', 'src/keep.log:1']);
  });

  it('stops when it has enough lines', async () => {
    let count = 0;
    const search = new WalkSearch(() => new FakeReader());
    await search.lines(scope(), alpha, () => ++count < 2, new AbortController().signal);
    assert.equal(count, 2);
  });

  it('stops when it is aborted', async () => {
    const stop = new AbortController();
    const search = new WalkSearch(() => new FakeReader());
    const walked = search.files(scope(), () => (stop.abort(), true), stop.signal);
    await assert.rejects(walked, { name: 'AbortError' });
  });

  describe('in 200,000 files', () => {
    const folders = 100;
    /** A reader of generated files that counts its calls. */
    const reader = (perFolder: number, counts: { calls: number }): FolderReader => {
      const many = (count: number, kind: 'file' | 'folder') =>
        Array.from({ length: count }, (_, index) => ({ name: `${kind}${index}`, kind }));
      return {
        entries(path) {
          counts.calls += 1;
          return Promise.resolve(path === '' ? many(folders, 'folder') : many(perFolder, 'file'));
        },
        kind: () => Promise.resolve('folder'),
        text() {
          counts.calls += 1;
          return Promise.resolve('alpha');
        },
      };
    };

    it('reads each folder once, and no file if only names are needed', async () => {
      const counts = { calls: 0 };
      const search = new WalkSearch(() => reader(2000, counts));
      let count = 0;
      await search.files(scope(), () => ++count > 0, new AbortController().signal);
      assert.deepEqual([count, counts.calls], [200_000, folders + 1]);
    });

    it('reads few more files than requested', async () => {
      const counts = { calls: 0 };
      const search = new WalkSearch(() => reader(2000, counts));
      let count = 0;
      await search.lines(scope(), alpha, () => ++count < 100, new AbortController().signal);
      assert.equal(count, 100);
      assert.ok(counts.calls < 150, `${counts.calls} calls`);
    });

    it('yields in a long folder, and stops there when it is aborted', async () => {
      const stop = new AbortController();
      const search = new WalkSearch(() => reader(200_000, { calls: 0 }));
      let count = 0;
      setTimeout(() => stop.abort());
      const walked = search.files(scope(), () => ++count > 0, stop.signal);
      await assert.rejects(walked, { name: 'AbortError' });
      assert.ok(count < 20_000, `${count} files`);
    });
  });

  it('reads nothing for an expression that needs ripgrep', async () => {
    const reader = new FakeReader();
    const search = new WalkSearch(() => reader);
    const query = { ...alpha, text: '(', isRegex: true };
    const { signal } = new AbortController();
    await assert.rejects(
      search.lines(scope(), query, () => true, signal),
      /folders on disk/,
    );
    assert.deepEqual(reader.read, []);
    await assert.rejects(search.linesOf('a', '', query), /folders on disk/);
  });
});

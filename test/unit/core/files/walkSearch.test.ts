import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SearchScope, TextQuery } from '../../../../src/core/files/fileSearch.ts';
import { findLines, WalkSearch } from '../../../../src/core/files/walkSearch.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';
import { FakeReader } from './fakeReader.ts';
import { nothingLeftOut } from '../../../support/nothingLeftOut.ts';

/** `null` is a binary file. */
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
  const search = new WalkSearch(() => new FakeReader(tree));
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
    const search = new WalkSearch(() => new FakeReader(tree));
    const take = (match: { path: string; line: number }): boolean =>
      matches.push(`${match.path}:${match.line}`) > 0;
    await search.lines(scope(), alpha, take, new AbortController().signal);
    assert.deepEqual(matches.toSorted(), ['a.ts:1', 'src/deep/b.ts:1', 'src/keep.log:1']);
  });

  it('stops when it has enough lines', async () => {
    let count = 0;
    const search = new WalkSearch(() => new FakeReader(tree));
    await search.lines(scope(), alpha, () => ++count < 2, new AbortController().signal);
    assert.equal(count, 2);
  });

  it('yields in a long folder, and stops there when it is aborted', async () => {
    const stop = new AbortController();
    const many = Array.from({ length: 200_000 }, (_, index) => ({
      name: `file${index}`,
      kind: 'file' as const,
    }));
    const search = new WalkSearch(() => ({
      entries: () => Promise.resolve(many),
      kind: () => Promise.resolve('folder'),
      text: () => Promise.resolve('alpha'),
    }));
    let count = 0;
    setTimeout(() => stop.abort());
    const walked = search.files(scope(), () => ++count > 0, stop.signal);
    await assert.rejects(walked, { name: 'AbortError' });
    assert.ok(count < 20_000, `${count} files`);
  });
});

const text = 'Alpha\r\nbeta alpha\r\n\r\ngamma (x)\r\n';

function linesWith(query: Partial<TextQuery>, of = text): string[] {
  const lines = findLines('a', of, { text: '', isRegex: false, context: 0, ...query });
  return lines.map((line) => `${line.line}${line.fits ? ':' : '-'}${line.text}`);
}

describe('findLines', () => {
  it('ignores case for a query in lower case, and matches it otherwise', () => {
    assert.deepEqual(linesWith({ text: 'alpha' }), ['1:Alpha', '2:beta alpha']);
    assert.deepEqual(linesWith({ text: 'Alpha' }), ['1:Alpha']);
  });

  it('includes the surrounding lines, each once and in order', () => {
    assert.deepEqual(linesWith({ text: 'beta', context: 1 }), ['1-Alpha', '2:beta alpha', '3-']);
    assert.deepEqual(linesWith({ text: 'alpha', context: 5 }), [
      ...['1:Alpha', '2:beta alpha', '3-', '4-gamma (x)'],
    ]);
  });

  it('truncates long lines', () => {
    const [line = ''] = linesWith({ text: 'needle' }, `needle${'x'.repeat(100_000)}`);
    assert.ok(line.length < 500);
    const [emoji = ''] = linesWith({ text: 'needle' }, `needle${'😀'.repeat(1000)}`);
    const [odd = ''] = linesWith({ text: 'needle' }, `needle ${'😀'.repeat(1000)}`);
    for (const line of [emoji, odd]) assert.doesNotMatch(line, /\p{Surrogate}/u);
  });

  it('finds whole words and escaped text in an expression', () => {
    const words = 'beta\nalphabeta\nBeta, beta\ngamma (x)\n';
    assert.deepEqual(linesWith({ text: '\\bbeta\\b', isRegex: true }, words), [
      '1:beta',
      '3:Beta, beta',
    ]);
    assert.deepEqual(linesWith({ text: '\\bBeta', isRegex: true }, words), ['3:Beta, beta']);
    assert.deepEqual(linesWith({ text: 'a \\(x\\)', isRegex: true }, words), ['4:gamma (x)']);
  });

  it('finds the same with an escaped expression as with its text', () => {
    const part = fc.string({
      unit: fc.constantFrom(...Array.from('aB.*()[]{}|^$\\/-_" ')),
      minLength: 1,
    });
    fc.assert(
      fc.property(part, fc.array(part), (text, lines) => {
        const escaped = text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
        const searched = [...lines, `x${text}y`].join('\n');
        assert.deepEqual(
          linesWith({ text: escaped, isRegex: true }, searched),
          linesWith({ text }, searched),
        );
      }),
    );
  });

  for (const expression of 'a.b a$ \\w+ (a|b) a\\bb \\p{L} ( (a+)+$ \\1 a\\'.split(' ')) {
    it(`reports that ${expression} needs a folder on disk`, () => {
      assert.throws(() => linesWith({ text: expression, isRegex: true }), ToolError);
    });
  }
});

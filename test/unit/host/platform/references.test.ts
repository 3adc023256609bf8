import assert from 'node:assert/strict';
import type { Clock } from '../../../../src/core/support/clock.ts';
import { FuzzyPathIndex } from '../../../../src/core/files/fuzzyPathIndex.ts';
import type { ReferencePlace } from '../../../../src/protocol/rpc.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { findReferences } = await withoutVsCode(
  () => import('../../../../src/host/platform/references.ts'),
);
const { UserError } = await import('../../../../src/host/platform/errors.ts');

const files = 'src/a.ts src/deep/only.ts x/same.ts y/same.ts .env key.key no/b.ts'.split(' ');
const symbols: Readonly<Record<string, readonly ReferencePlace[]>> = {
  toFahrenheit: [
    { path: 'no/b.ts', line: 1 },
    { path: 'src/a.ts', line: 7 },
  ],
  hiddenName: [{ path: 'no/b.ts', line: 1 }],
  outsideName: [{ path: '/lib/es.d.ts', line: 1 }],
  ab: [{ path: 'src/a.ts', line: 1 }],
};

/** Finds references; also returns what was searched. */
async function look(words: readonly string[], isTrusted = true, isSlow = false) {
  const seen: string[] = [];
  const index = new FuzzyPathIndex(files);
  const clock: Clock = {
    wall: () => 0,
    monotonic: () => 0,
    after(_, callback) {
      if (isSlow) callback();
      return { dispose: () => undefined };
    },
  };
  const places = await findReferences(
    words.map((word) => ({ text: word.replaceAll('`', ''), isCode: word.startsWith('`') })),
    {
      isTrusted: () => isTrusted,
      clock,
      denied: () => Promise.resolve([{ scheme: 'file', authority: '', path: '/w/no' }]),
      index: {
        onlyFileNamed(name) {
          seen.push(`index ${name}`);
          return Promise.resolve(index.onlyFileNamed(name));
        },
      },
      find(path) {
        seen.push(`file ${path}`);
        if (path.startsWith('/') || path.startsWith('..')) {
          return Promise.reject(new UserError('outside'));
        }
        const uri = { scheme: 'file', authority: '', path: `/w/${path}` };
        return Promise.resolve({ uri, isThere: files.includes(path) });
      },
      symbolsNamed(name) {
        seen.push(`symbol ${name}`);
        return isSlow ? new Promise(() => undefined) : Promise.resolve(symbols[name] ?? []);
      },
    },
  );
  return { places, seen };
}

describe('the files and symbols that words of a reply name', () => {
  const cases: readonly (readonly [word: string, place: ReferencePlace | null])[] = [
    ['src/a.ts', { path: 'src/a.ts' }],
    ['`src/a.ts`', { path: 'src/a.ts' }],
    ['`only.ts`', { path: 'src/deep/only.ts' }],
    ['only.ts', null],
    ['`same.ts`', null],
    ['src/missing.ts', null],
    ['`missing.ts`', null],
    ['../a.ts', null],
    ['/etc/passwd', null],
    ['.env', null],
    ['`.env`', null],
    ['key.key', null],
    ['no/b.ts', null],
    ['`b.ts`', null],
    ['`toFahrenheit`', { path: 'src/a.ts', line: 7 }],
    ['toFahrenheit', null],
    ['`tofahrenheit`', null],
    ['`hiddenName`', null],
    ['`outsideName`', null],
    ['`ab`', null],
  ];
  it('are existing files and symbols that may be read, in the order of the words', async () => {
    const { places } = await look(cases.map(([word]) => word));
    assert.deepEqual(
      places,
      cases.map(([, reference]) => reference),
    );
  });

  it('are not searched for in an untrusted workspace', async () => {
    const { places, seen } = await look(['src/a.ts', '`toFahrenheit`'], false);
    assert.deepEqual([places, seen], [[null, null], []]);
  });

  it("don't wait for a slow language service, and request only a few names", async () => {
    const names = Array.from({ length: 60 }, (_, index) => `\`name${index}\``);
    const { places, seen } = await look([...names, 'src/a.ts'], true, true);
    assert.deepEqual(places.at(-1), { path: 'src/a.ts' });
    assert.equal(seen.filter((query) => query.startsWith('symbol')).length, 20);
  });
});

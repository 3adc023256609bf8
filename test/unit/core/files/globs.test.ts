import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compileGlob, compileGlobs } from '../../../../src/core/files/globs.ts';
import { runs } from '../../../support/sample.ts';

const seed = Number(process.env['SEED'] ?? 7);

/** Globs, paths, and whether they match. */
const table: readonly (readonly [string, string, boolean])[] = [
  ['*.ts', 'a.ts', true],
  ['*.ts', 'a.tsx', false],
  ['/a.ts', 'src/a.ts', false],
  ['./a.ts', 'a.ts', true],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'web/src/a.ts', false],
  ['src/**/*.ts', 'src/a.ts', true],
  ['**/node_modules', 'a/node_modules', true],
  ['src/**', 'src', true],
  ['src/', 'src', true],
  ['src/', 'web/src', true],
  ['*.{ts,tsx}', 'a.tsx', true],
  ['{src,test}/**/*.{ts,js}', 'test/x/a.js', true],
  ['{src,test}/**/*.{ts,js}', 'web/a.js', false],
  ['a{b,c{d,e}}.ts', 'ace.ts', true],
  ['{a', '{a', true],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['[]]x', ']x', true],
  ['[ab', '[ab', true],
  ['\\*', '*', true],
  ['a.b', 'aXb', false],
  ['ü*', 'über', true],
  ['?', '😀', true],
  ['', 'a', false],
];

describe('compileGlob', () => {
  for (const [glob, path, isMatch] of table) {
    it(`${isMatch ? 'matches' : 'does not match'} ${path} with ${glob}`, () => {
      assert.equal(compileGlob(glob)(path), isMatch);
    });
  }

  it('agrees with an exhaustive implementation', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '/', '*', '**', '?'), { maxLength: 7 });
    const path = fc.array(fc.constantFrom('a', 'b', '/'), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(text, path, (pieces, letters) => {
        // A leading slash prevents a match in all folders.
        const glob = `/x${pieces.join('')}`;
        const name = `x${letters.join('')}`;
        assert.equal(
          compileGlob(glob)(name),
          matchesExhaustively(glob.slice(1).replace(/\/$/, ''), name),
        );
      }),
      { seed, numRuns: 3000 },
    );
  });

  it('takes linear time for an adversarial glob', () => {
    const glob = `${'*a'.repeat(200)}b`;
    const start = performance.now();
    assert.equal(compileGlob(glob)('a'.repeat(5000)), false);
    assert.equal(compileGlob(`${'**/a/'.repeat(50)}b`)('a/'.repeat(1000)), false);
    assert.equal(compileGlob('{a,b}'.repeat(50))('x'), false);
    assert.ok(performance.now() - start < 15_000);
  });

  it('compiles any long glob in linear time', () => {
    const length = runs(200_000);
    for (const piece of ['[', '[!', '[^]', '\\[', '{a', '*/']) {
      const glob = piece.repeat(length / piece.length);
      assert.equal(compileGlob(`${glob}x`)('y'), false, piece);
    }
    const nested = '{'.repeat(length) + '}'.repeat(length);
    assert.equal(compileGlob(nested)('y'), false);
    assert.equal(compileGlob(`{${'a,'.repeat(50)}}{${','.repeat(length)}}`)('y'), false);
  });

  it('combines several globs', () => {
    const test = compileGlobs(['*.ts', '/web']);
    assert.deepEqual(['a.ts', 'web', 'x/web'].map(test), [true, true, false]);
  });
});

/** Tries all possible matches, segment by segment. */
function matchesExhaustively(glob: string, path: string): boolean {
  const segments = (globs: readonly string[], names: readonly string[]): boolean => {
    const [first, ...others] = globs;
    if (first === undefined) return names.length === 0;
    const [name, ...inner] = names;
    if (first === '**')
      return segments(others, names) || (names.length > 0 && segments(globs, inner));
    return name !== undefined && fitsName(first, name) && segments(others, inner);
  };
  return segments(glob.split('/'), path.split('/'));
}

function fitsName(glob: string, name: string): boolean {
  const [first] = glob;
  if (first === undefined) return name === '';
  const end = glob.slice(1);
  if (first === '*') return fitsName(end, name) || (name !== '' && fitsName(glob, name.slice(1)));
  return name !== '' && (first === '?' || first === name[0]) && fitsName(end, name.slice(1));
}

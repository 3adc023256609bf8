import assert from 'node:assert/strict';
import fc from 'fast-check';
import { listOf, readFrontMatter } from '../../../../src/core/support/frontMatter.ts';

describe('readFrontMatter', () => {
  it('reads values, and lists in one line or in several', () => {
    const text =
      '---\nName: "a"\nlist: [x, \'y, z\']\nlines:\n  - p # why\n  - q\nempty:\n---\nbody';
    const file = readFrontMatter(text);
    assert.equal(file?.body, 'body');
    assert.equal(file.fields.get('name'), 'a');
    assert.deepEqual(listOf(file.fields.get('list') ?? ''), ['x', 'y, z']);
    assert.deepEqual(listOf(file.fields.get('lines') ?? ''), ['p', 'q']);
    assert.deepEqual(listOf(file.fields.get('empty') ?? ''), []);
  });

  it('takes linear time, whatever a line or a list contains', () => {
    const blanks = ' '.repeat(200_000);
    const start = performance.now();
    for (const line of [
      `a: x${blanks}y`,
      `a: ${blanks}x`,
      `a: "x"${blanks}y`,
      `a: x${' #'.repeat(100_000)}\r`,
      `a:\n- x${blanks}y`,
      `${blanks}x`,
      `a:${'\n- x'.repeat(100_000)}`,
    ]) {
      readFrontMatter(`---\n${line}\n---\n`);
    }
    assert.ok(performance.now() - start < 15_000, `${performance.now() - start} ms`);
  });

  it('returns the whole file without front matter, and undefined if it is not terminated', () => {
    assert.equal(readFrontMatter('\ufeffbody\n---\n')?.body, 'body\n---\n');
    assert.equal(readFrontMatter('---\nname: a\n'), undefined);
  });

  it('accepts any text', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(
            '---\n',
            '\n',
            ':',
            '- ',
            '[',
            ']',
            '{',
            '}',
            ',',
            "'",
            '"',
            'a',
            ' #',
          ),
        }),
        (text) => {
          const file = readFrontMatter(text);
          for (const value of file?.fields.values() ?? []) listOf(value);
        },
      ),
    );
  });
});

describe('listOf', () => {
  it('does not split the alternatives of a glob', () => {
    assert.deepEqual(listOf('src/**/*.{ts,tsx}, test/**'), ['src/**/*.{ts,tsx}', 'test/**']);
  });
});

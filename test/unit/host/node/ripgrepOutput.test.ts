import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readFoundLine, withoutDot } from '../../../../src/core/search/ripgrep.ts';
import { DelimitedReader } from '../../../../src/host/node/ripgrepRun.ts';

const seed = Number(process.env['SEED'] ?? 7);

function read(pieces: readonly string[], end = '\n'): string[] {
  const parts: string[] = [];
  const reader = new DelimitedReader(end, (part) => parts.push(part) > 0);
  for (const piece of pieces) reader.read(piece);
  reader.finish();
  return parts;
}

describe('PartReader', () => {
  it('finds the same parts wherever the pieces are cut', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\0'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(60)), (whole, cuts) => {
        const places = [0, ...cuts.toSorted((first, second) => first - second), whole.length];
        const pieces = places.map((start, index) => whole.slice(start, places[index + 1]));
        const expected = whole.split('\n');
        if (expected.at(-1) === '') expected.pop();
        assert.deepEqual(read(pieces), expected);
      }),
      { seed },
    );
  });

  it('buffers no unterminated part', () => {
    const piece = 'x'.repeat(600_000);
    assert.deepEqual(read([piece, piece, '\n', 'short\n']), ['', 'short']);
  });
});

describe('readFoundLine', () => {
  it('reads matching lines, and those around', () => {
    const hit = { path: 'src/a.ts', line: 12, text: 'a: b-c', fits: true };
    assert.deepEqual(readFoundLine('./src/a.ts\x0012:a: b-c'), hit);
    assert.deepEqual(readFoundLine('./src/a.ts\x0012-a: b-c\r'), { ...hit, fits: false });
    assert.equal(readFoundLine('a\x001:')?.text, '');
  });

  it("ignores output that isn't a line of a file", () => {
    for (const other of ['--', '', 'a.ts:12:x', './a\0x:y', './a\0:', './a\x0012', './a\x0012 x']) {
      assert.equal(readFoundLine(other), undefined, JSON.stringify(other));
    }
  });

  it('does not mistake a NUL in a line for the end of the path', () => {
    assert.equal(readFoundLine('./a\x001:x\x002:y')?.text, 'x\x002:y');
  });
});

describe('withoutDot', () => {
  it('makes paths relative, with slashes', () => {
    assert.equal(withoutDot('./a/b'), 'a/b');
    assert.equal(withoutDot('.\\a\\b', '\\'), 'a/b');
    assert.equal(withoutDot('.github/a'), '.github/a');
    assert.equal(withoutDot('./a\\b'), 'a\\b');
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applySplices, splicesBetween } from '../../../../src/core/edits/lineDiff.ts';

const seed = Number(process.env['SEED'] ?? 7);
const text = fc
  .array(fc.constantFrom('a', 'b', '\n', '\r\n', '🦊', '🦉', ' '), { maxLength: 60 })
  .map((parts) => parts.join(''));

describe('splicesBetween', () => {
  it('transforms one text into the other', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        assert.equal(applySplices(before, splicesBetween(before, after)), after);
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('splits no character and no line ending', () => {
    const isCut = (whole: string, offset: number): boolean =>
      /^(?:[\ud800-\udbff][\udc00-\udfff]|\r\n)$/.test(whole.slice(offset - 1, offset + 1));
    fc.assert(
      fc.property(text, text, (before, after) => {
        for (const { start, end } of splicesBetween(before, after)) {
          assert.equal(isCut(before, start) || isCut(before, end), false);
        }
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('changes only the differences', () => {
    const before = 'one\ntwo words here\nthree\nfour\n';
    const after = 'one\ntwo other words here\nthree\n4\n';
    assert.deepEqual(splicesBetween(before, after), [
      { start: 8, end: 8, text: 'other ' },
      { start: 25, end: 29, text: '4' },
    ]);
    assert.deepEqual(splicesBetween('same', 'same'), []);
  });
});

describe('splice', () => {
  it('accepts changes in any order, including adjacent ones', () => {
    const changes = [
      { start: 2, end: 3, text: 'C' },
      { start: 0, end: 2, text: '' },
      { start: 3, end: 3, text: '!' },
    ];
    assert.equal(applySplices('abcd', changes), 'C!d');
  });

  it('refuses overlapping changes', () => {
    const changes = [
      { start: 0, end: 2, text: 'x' },
      { start: 1, end: 3, text: 'y' },
    ];
    assert.throws(() => applySplices('abcd', changes), RangeError);
  });
});

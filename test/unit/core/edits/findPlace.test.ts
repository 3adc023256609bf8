import assert from 'node:assert/strict';
import fc from 'fast-check';
import { occurrences } from '../../../../src/core/edits/findMatch.ts';

const seed = Number(process.env['SEED'] ?? 7);

describe('occurrences', () => {
  it('finds what stands in a text, also where it overlaps', () => {
    assert.deepEqual([...occurrences('aaa', 'aa')], [0, 1]);
    assert.deepEqual([...occurrences('abcabc', 'abc')], [0, 3]);
    assert.deepEqual([...occurrences('abc', 'x')], []);
    assert.deepEqual([...occurrences('abc', '')], []);
  });

  it('finds the same as a look at each place', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 60 });
    const search = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(text, search, (whole, part) => {
        const offsets = Array.from(whole, (_, index) => index);
        const places = offsets.filter((offset) => whole.startsWith(part, offset));
        assert.deepEqual([...occurrences(whole, part)], places);
      }),
      { seed, numRuns: 2000 },
    );
  });
});

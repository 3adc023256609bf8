import assert from 'node:assert/strict';
import fc from 'fast-check';
import { truncateText } from '../../../../src/core/support/text.ts';

describe('cutText', () => {
  it('keeps text that fits', () => {
    assert.equal(truncateText('abc', 3), 'abc');
    assert.equal(truncateText('abc', 2), 'ab');
    assert.equal(truncateText('a😀', 3), 'a😀');
    assert.equal(truncateText('a😀', 0), '');
  });

  it('splits no character', () => {
    assert.equal(truncateText('a😀b', 2), 'a');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, most) => {
        const cut = truncateText(text, most);
        assert.ok(text.startsWith(cut));
        assert.doesNotMatch(cut, /\p{Surrogate}/u);
        assert.ok(cut.length >= Math.min(text.length, most) - 1);
      }),
      { seed: Number(process.env['SEED'] ?? 7) },
    );
  });
});

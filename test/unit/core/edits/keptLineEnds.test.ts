import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  hasMixedLineEnds,
  withLineEndsOf,
  withLineEnds,
} from '../../../../src/core/edits/lineEnds.ts';

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', '\n', '\r\n', '\r'), { maxLength: 40 })
  .map((parts) => parts.join(''));
const plain = (one: string): string => withLineEnds(one, '\n');

describe('withLineEndsOf', () => {
  it('keeps the line ends around what changed', () => {
    const mixed = 'one\r\ntwo\nthree\r\nfour\rfive';
    assert.equal(withLineEndsOf(mixed, 'one\n2\nthree\nfour\nfive'), mixed.replace('two', '2'));
    assert.equal(withLineEndsOf(mixed, 'one\r\nthree\r\nfour\r\n5'), 'one\r\nthree\r\nfour\r5');
    assert.equal(
      withLineEndsOf(mixed, '0\none\ntwo\nmore\nthree\nfour\nfive\n'),
      '0\r\none\r\ntwo\nmore\nthree\r\nfour\rfive\r',
    );
    assert.equal(withLineEndsOf('', 'a\r\nb'), 'a\nb');
  });

  it('brings back a text that nobody changed, and changes nothing but line ends', () => {
    fc.assert(
      fc.property(text, text, (original, other) => {
        assert.equal(withLineEndsOf(original, plain(original)), original);
        assert.equal(plain(withLineEndsOf(original, other)), plain(other));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('hasMixedLineEnds', () => {
  it('knows a text of one kind', () => {
    for (const one of ['', 'a', 'a\nb\n', 'a\r\nb', 'a\rb\r'])
      assert.equal(hasMixedLineEnds(one), false, JSON.stringify(one));
    for (const several of ['a\nb\r\n', 'a\rb\n', 'a\n\r'])
      assert.equal(hasMixedLineEnds(several), true, JSON.stringify(several));
  });
});

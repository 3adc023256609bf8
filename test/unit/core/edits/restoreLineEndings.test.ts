import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  hasMixedLineEndings,
  withLineEndingsOf,
  withLineEndings,
} from '../../../../src/core/edits/lineEndings.ts';

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', '\n', '\r\n', '\r'), { maxLength: 40 })
  .map((parts) => parts.join(''));
const plain = (text: string): string => withLineEndings(text, '\n');

describe('withLineEndingsOf', () => {
  it('keeps the line endings around a change', () => {
    const mixed = 'one\r\ntwo\nthree\r\nfour\rfive';
    assert.equal(withLineEndingsOf(mixed, 'one\n2\nthree\nfour\nfive'), mixed.replace('two', '2'));
    assert.equal(withLineEndingsOf(mixed, 'one\r\nthree\r\nfour\r\n5'), 'one\r\nthree\r\nfour\r5');
    assert.equal(
      withLineEndingsOf(mixed, '0\none\ntwo\nmore\nthree\nfour\nfive\n'),
      '0\r\none\r\ntwo\nmore\nthree\r\nfour\rfive\r',
    );
    assert.equal(withLineEndingsOf('', 'a\r\nb'), 'a\nb');
  });

  it('restores an unchanged text, and only changes line endings', () => {
    fc.assert(
      fc.property(text, text, (original, other) => {
        assert.equal(withLineEndingsOf(original, plain(original)), original);
        assert.equal(plain(withLineEndingsOf(original, other)), plain(other));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('hasMixedLineEndings', () => {
  it('is false for a text with one kind of line ending', () => {
    for (const text of ['', 'a', 'a\nb\n', 'a\r\nb', 'a\rb\r'])
      assert.equal(hasMixedLineEndings(text), false, JSON.stringify(text));
    for (const several of ['a\nb\r\n', 'a\rb\n', 'a\n\r'])
      assert.equal(hasMixedLineEndings(several), true, JSON.stringify(several));
  });
});

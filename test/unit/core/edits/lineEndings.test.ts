import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  hasMixedLineEndings,
  isSameTextIgnoringLineEndings,
  NormalizedText,
  withLineEndings,
  withLineEndingsOf,
  withoutByteOrderMark,
} from '../../../../src/core/edits/lineEndings.ts';

const seed = Number(process.env['SEED'] ?? 7);
const text = fc
  .array(fc.constantFrom('a', 'b', '\n', '\r\n', '\r'), { maxLength: 40 })
  .map((parts) => parts.join(''));

describe('NormalizedText', () => {
  it('normalizes line endings, and maps every offset back', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (original, first, second) => {
        const normalized = new NormalizedText(original);
        assert.equal(normalized.text, withLineEndings(original, '\n'));
        const length = normalized.text.length + 1;
        const [start = 0, end = 0] = [first % length, second % length].toSorted((a, b) => a - b);
        const replaced = normalized.replace(start, end, '|');
        const plain = normalized.text.slice(0, start) + '|' + normalized.text.slice(end);
        assert.equal(withLineEndings(replaced, '\n'), plain);
        const [head = '', tail = ''] = replaced.split('|');
        assert.ok(original.startsWith(head) && original.endsWith(tail), replaced);
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('writes the line ending that is used at the position', () => {
    const mixed = new NormalizedText('a\r\nb\nc');
    assert.equal(mixed.replace(0, 0, '\n'), '\r\na\r\nb\nc');
    assert.equal(mixed.replace(3, 3, '\n'), 'a\r\nb\n\nc');
    assert.equal(mixed.replace(5, 5, '\n'), 'a\r\nb\nc\n');
    assert.equal(new NormalizedText('a').replace(1, 1, '\n'), 'a\n');
    assert.equal(new NormalizedText('a\rb\r').replace(3, 3, '\n'), 'a\rb\r\r');
  });
});

describe('isSameTextIgnoringLineEndings', () => {
  it('ignores only line endings and a byte order mark', () => {
    assert.equal(isSameTextIgnoringLineEndings('a\r\nb\rc\n', '\ufeffa\nb\nc\r\n'), true);
    assert.equal(isSameTextIgnoringLineEndings('a\n', 'a'), false);
    assert.equal(isSameTextIgnoringLineEndings('a ', 'a'), false);
    assert.equal(withLineEndings('a\r\nb\rc\n', '\r\n'), 'a\r\nb\r\nc\r\n');
  });
});

describe('withoutByteOrderMark', () => {
  it('removes the mark only from the beginning', () => {
    assert.equal(withoutByteOrderMark('\u{feff}a\u{feff}'), 'a\u{feff}');
    assert.equal(withoutByteOrderMark('a'), 'a');
  });
});

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

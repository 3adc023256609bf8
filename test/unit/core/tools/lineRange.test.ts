import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lineNumber, numberLines, splitLines } from '../../../../src/core/tools/lineRange.ts';

const seed = Number(process.env['SEED'] ?? 7);

describe('splitLines', () => {
  it('knows every end of a line, and none at the very end', () => {
    assert.deepEqual(splitLines('a\r\nb\rc\nd'), ['a', 'b', 'c', 'd']);
    assert.deepEqual(splitLines('a\n'), ['a']);
    assert.deepEqual(splitLines('a\n\n'), ['a', '']);
    assert.deepEqual(splitLines(''), []);
    assert.deepEqual(splitLines('a\u2028b'), ['a\u2028b']);
  });

  it('gives back what was joined', () => {
    const line = fc.string().filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n', '\r'), (lines, end) => {
        assert.deepEqual(splitLines(lines.map((one) => one + end).join('')), lines);
      }),
      { seed },
    );
  });
});

describe('numberLines', () => {
  const lines = ['one', '\ttwo', '', 'four'];

  it('numbers from 1, both ends included', () => {
    const all = { text: '1\tone\n2\t\ttwo\n3\t\n4\tfour', first: 1, last: 4 };
    assert.deepEqual(numberLines(lines, {}, 1000), all);
    assert.deepEqual(numberLines(lines, { start: 2, end: 3 }, 1000), {
      text: '2\t\ttwo\n3\t',
      first: 2,
      last: 3,
    });
    assert.equal(numberLines(lines, { start: 4, end: 99 }, 1000).last, 4);
  });

  it('stops where there is no room, but shows one line', () => {
    assert.equal(numberLines(lines, {}, 13).last, 2);
    assert.equal(numberLines(lines, { start: 2 }, 0).text, '2\t\ttwo');
  });

  it('cuts a line that is far too long and says so', () => {
    const { text } = numberLines(['x'.repeat(1_000_000)], {}, 100);
    assert.ok(text.length < 5000);
    assert.match(text, /… \(996000 more characters\)$/);
    const emoji = numberLines([`${'x'.repeat(3999)}${'😀'.repeat(9)}`], {}, 100).text;
    assert.match(emoji, /x… \(18 more characters\)$/, 'no character is cut in two');
  });

  it('shows all lines to who goes on reading where it was cut', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('', 'a', 'bbbbbb'), { minLength: 1 }), (texts) => {
        const read: string[] = [];
        for (let start = 1; start <= texts.length;) {
          const { text, last } = numberLines(texts, { start }, 20);
          read.push(text);
          start = last + 1;
        }
        const expected = texts.map((text, index) => `${index + 1}\t${text}`);
        assert.equal(read.join('\n'), expected.join('\n'));
      }),
      { seed },
    );
  });
});

describe('lineNumber', () => {
  it('takes whole numbers from 1 on', () => {
    const fits = (value: unknown): boolean => lineNumber().safeParse(value).success;
    assert.deepEqual([1, 80, 0, -1, 1.5, '1', NaN].map(fits), [
      ...[true, true, false, false, false, false, false],
    ]);
  });
});

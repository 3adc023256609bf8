import fc from 'fast-check';
import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import {
  lineNumber,
  numberLines,
  sniffContent,
  splitLines,
} from '../../../../src/core/files/fileText.ts';

const seed = Number(process.env['SEED'] ?? 7);

describe('splitLines', () => {
  it('splits at every line ending, except the last one', () => {
    assert.deepEqual(splitLines('a\r\nb\rc\nd'), ['a', 'b', 'c', 'd']);
    assert.deepEqual(splitLines('a\n'), ['a']);
    assert.deepEqual(splitLines('a\n\n'), ['a', '']);
    assert.deepEqual(splitLines(''), []);
    assert.deepEqual(splitLines('a\u2028b'), ['a\u2028b']);
  });

  it('returns joined lines', () => {
    const line = fc.string().filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n', '\r'), (lines, end) => {
        assert.deepEqual(splitLines(lines.map((line) => line + end).join('')), lines);
      }),
      { seed },
    );
  });
});

describe('numberLines', () => {
  const lines = ['one', '\ttwo', '', 'four'];

  it('numbers lines from 1, including both ends of the range', () => {
    const all = { text: '1\tone\n2\t\ttwo\n3\t\n4\tfour', first: 1, last: 4 };
    assert.deepEqual(numberLines(lines, {}, 1000), all);
    assert.deepEqual(numberLines(lines, { start: 2, end: 3 }, 1000), {
      text: '2\t\ttwo\n3\t',
      first: 2,
      last: 3,
    });
    assert.equal(numberLines(lines, { start: 4, end: 99 }, 1000).last, 4);
  });

  it('stops at the size limit, but shows at least one line', () => {
    assert.equal(numberLines(lines, {}, 13).last, 2);
    assert.equal(numberLines(lines, { start: 2 }, 0).text, '2\t\ttwo');
  });

  it('truncates a very long line and says where to continue', () => {
    const { text } = numberLines(['x'.repeat(1_000_000)], {}, 100);
    assert.ok(text.length < 5000);
    assert.match(text, /… \(996000 more characters, from column 4001\)$/);
  });

  it('shows a whole long line when continuing at the column', () => {
    const cut = /^1\t([^]*)… \(\d+ more characters, from column (\d+)\)$/;
    const piece = fc.array(fc.constantFrom('a', '🦊', '\t'), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(piece, fc.integer({ min: 1, max: 10_000 }), (characters, count) => {
        const line = characters.join('').repeat(count);
        const read: string[] = [];
        let column: number | undefined;
        do {
          const { text } = numberLines([line], { column }, 39_000);
          assert.ok(text.length < 30_000 && !/\p{Surrogate}/u.test(text));
          const [, part, next] = cut.exec(text) ?? [];
          read.push(part ?? text.slice('1\t'.length));
          column = next === undefined ? undefined : Number(next);
        } while (column !== undefined);
        assert.equal(read.join(''), line);
      }),
      { seed, numRuns: 100 },
    );
  });

  it('shows each line from a column on', () => {
    assert.equal(numberLines(lines, { column: 3 }, 1000).text, '1\te\n2\two\n3\t\n4\tur');
  });

  it('shows all lines if reading continues after each cut', () => {
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
  it('accepts whole numbers from 1 on', () => {
    const fits = (value: unknown): boolean => lineNumber().safeParse(value).success;
    assert.deepEqual([1, 80, 0, -1, 1.5, '1', NaN].map(fits), [
      ...[true, true, false, false, false, false, false],
    ]);
  });
});

const words = 'Grüße, 東京\n';
const utf8 = new TextEncoder().encode(words);
const utf16 = new Uint8Array(Buffer.from('const a = 1;\n', 'utf16le'));

function swapped(bytes: Uint8Array): Uint8Array {
  return bytes.map((_, index) => bytes[index % 2 === 0 ? index + 1 : index - 1] ?? 0);
}

describe('sniffContent', () => {
  it('detects UTF-8, with and without a mark', () => {
    assert.equal(sniffContent(utf8), 'utf-8');
    assert.equal(sniffContent(Uint8Array.of(0xef, 0xbb, 0xbf, ...utf8)), 'utf-8');
    assert.equal(sniffContent(new Uint8Array()), 'utf-8');
  });

  it('detects UTF-16 as text, with and without a mark', () => {
    assert.equal(sniffContent(Uint8Array.of(0xff, 0xfe, ...utf16)), 'other-text');
    assert.equal(sniffContent(Uint8Array.of(0xfe, 0xff, ...swapped(utf16))), 'other-text');
    assert.equal(sniffContent(utf16), 'other-text');
    assert.equal(sniffContent(swapped(utf16)), 'other-text');
  });

  it('detects Latin-1 as text', () => {
    const latin1 = new Uint8Array(Buffer.from('Grüße, Ångström\n', 'latin1'));
    assert.equal(sniffContent(latin1), 'other-text');
  });

  it('detects content with a NUL, or with many control characters, as binary', () => {
    assert.equal(sniffContent(Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 2)), 'binary');
    assert.equal(sniffContent(Uint8Array.of(0, 1, 0, 2, 0, 3, 0, 4)), 'binary');
    const random = Array.from({ length: 9000 }, (_, index) => String(Math.sin(index)));
    assert.equal(sniffContent(deflateSync(random.join())), 'binary');
  });

  it('detects every UTF-8 text', () => {
    const text = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(text, (text) => {
        assert.equal(sniffContent(new TextEncoder().encode(text)), 'utf-8');
      }),
      { seed },
    );
  });
});

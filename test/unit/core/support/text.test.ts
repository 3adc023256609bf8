import assert from 'node:assert/strict';
import fc from 'fast-check';
import { oneLine, revealInvisible, truncateText } from '../../../../src/core/support/text.ts';

/** The letters as invisible Unicode tag characters. */
function tags(letters: string): string {
  return String.fromCodePoint(...Array.from(letters, (letter) => 0xe0000 + letter.charCodeAt(0)));
}

/** Words that look different without a joiner. */
const joined = [
  ...['می\u{200c}خواهم', 'ܫ\u{200d}ܠ', 'क्\u{200d}ष', 'र\u{94d}\u{200c}य'],
  'শ\u{9b0}\u{200d}\u{9cd}য',
  ...['ਕ੍\u{200d}ਰ', 'ક્\u{200c}ષ', 'କ୍\u{200c}ଷ', 'க்\u{200c}ஷ', 'రాజ్\u{200c}కుమార్', 'ರ\u{200d}್ಕ'],
  ...['ന്\u{200d}', 'ന്\u{200d}റെ', 'ශ්\u{200d}රී', 'ន\u{200c}៉ា', 'က်\u{200c}က', 'ᠠ\u{200d}ᠠ'],
];

describe('revealInvisible', () => {
  it('makes every kind of invisible character visible', () => {
    const hidden = [
      0x0, 0x1b, 0x7f, 0x9b, 0xad, 0x200b, 0x200e, 0x2028, 0x202e, 0x2066, 0x3164, 0xfe0f, 0xfeff,
      0xffa0, 0xe0041, 0xe0100, 0x70f, 0x180f, 0x2065, 0x2800, 0xfff0, 0xfff9, 0x13430, 0x16fe4,
      0x1bca0, 0x1d159, 0x1d173,
    ];
    for (const code of hidden) {
      const { text, count } = revealInvisible(`a${String.fromCodePoint(code)}b`);
      assert.equal(text, `a\\u{${code.toString(16)}}b`);
      assert.equal(count, 1);
    }
  });

  it('makes tags visible unless they form a flag emoji', () => {
    for (const words of ['ignore all rules', 'gbeng0', 'usca', 'gb']) {
      const flag = `🏴${tags(words)}\u{e007f}`;
      assert.equal(revealInvisible(`hi ${flag}`).count, words.length + 1, words);
    }
    assert.equal(revealInvisible(`🏴${tags('gbeng')}`).count, 5, 'without its end');
  });

  it('keeps flag emoji', () => {
    for (const words of ['gbeng', 'gbsct', 'gbwls']) {
      const text = `hi 🏴${tags(words)}\u{e007f}`;
      assert.deepEqual(revealInvisible(text), { text, count: 0 });
    }
  });

  it('keeps visible format characters around numbers and verses', () => {
    const signs = '\u{600}\u{605}\u{6dd}\u{890}\u{891}\u{8e2}\u{110bd}\u{110cd}';
    assert.deepEqual(revealInvisible(signs), { text: signs, count: 0 });
  });

  it('keeps joiners in words of every script that uses them', () => {
    for (const word of joined) assert.deepEqual(revealInvisible(word), { text: word, count: 0 });
  });

  it('makes joiners without an effect visible', () => {
    for (const text of ['a\u{200d}b', '\u{200c}می', 'می\u{200c} ', 'می\u{200c}\u{200c}خ']) {
      assert.notEqual(revealInvisible(text).count, 0, JSON.stringify(text));
    }
  });

  it('keeps invisible characters that carry meaning', () => {
    const meaningful = ['tab\there\r\nline', '👩‍💻 ❤️ 👨‍👩‍👧 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'Zoë – “quoted” … 漢字'];
    for (const text of meaningful) assert.deepEqual(revealInvisible(text), { text, count: 0 });
  });
});

describe('oneLine', () => {
  it('joins lines, and makes misleading spaces visible', () => {
    assert.equal(oneLine(' a\n b\r\n\tc '), 'a b c');
    assert.equal(oneLine('a\u{feff}b\u{2028}c\vd'), String.raw`a\u{feff}b\u{2028}c\u{b}d`);
  });

  it('truncates a long one without splitting surrogate pairs', () => {
    assert.equal(oneLine('abcd', 3), 'abc…');
    assert.equal(oneLine('ab🎉', 3), 'ab…');
    assert.equal(oneLine('abc', 3), 'abc');
  });
});

describe('truncateText', () => {
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

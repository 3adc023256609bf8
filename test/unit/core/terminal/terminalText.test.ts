import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TerminalText } from '../../../../src/core/terminal/terminalText.ts';
import { runs } from '../../../support/sample.ts';

function plain(...chunks: readonly string[]): string {
  const text = new TerminalText();
  return chunks.map((chunk) => text.read(chunk)).join('') + text.end();
}

/** Output of a program, and the text that remains. */
const cases: readonly (readonly [what: string, sent: string, text: string])[] = [
  ['plain lines', 'one\r\ntwo\r\n', 'one\ntwo\n'],
  ['a last line without an end', 'one\r\ntwo', 'one\ntwo'],
  ['tabs and empty lines', '\ta\r\n\r\nb', '\ta\n\nb'],
  ['several returns before a feed', 'one\r\r\ntwo', 'one\ntwo'],
  ['colours', '\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mmore\x1b[m', 'red more'],
  ['a link (OSC 8)', '\x1b]8;;https://evil.test\x1b\\text\x1b]8;;\x1b\\', 'text'],
  ['the clipboard (OSC 52)', 'a\x1b]52;c;aGk=\x07b', 'ab'],
  ['a title', '\x1b]0;rm -rf\x07done', 'done'],
  ['a cleared screen', 'secret\x1b[2J\x1b[Hshown', 'secretshown'],
  ['an overwritten line', 'rm -rf /\recho ok', 'echo ok/'],
  ['a line erased from the cursor on', 'rm -rf /\r\x1b[Kecho ok', 'echo ok'],
  ['a line erased as a whole', 'rm -rf /\x1b[2K\rok', 'ok'],
  ['a line erased up to the cursor', 'abcd\x1b[2D\x1b[1K', '   d'],
  ['a line erased up to its end', 'abc\x1b[1Kd', '   d'],
  ['a line erased at its start', 'abc\r\x1b[1K', ' bc'],
  ['a progress bar', '10%\r50%\r100%\r\ndone', '100%\ndone'],
  ['a spinner', '|\b/\b-\b\\\bok', 'ok'],
  ['moves to the right', 'a\x1b[3Cb', 'a   b'],
  ['moves to the left', 'abc\x1b[2Dx', 'axc'],
  ['moves to a column', 'abc\x1b[1Gx\x1b[5Gy', 'xbc y'],
  ['moves far beyond the end of the line', '\x1b[999999999Cx', `${' '.repeat(1000)}x`],
  ['sixels (DCS)', 'a\x1bPq#0;2;0;0;0~~\x1b\\b', 'ab'],
  ['APC, PM, SOS', 'a\x1b_x\x1b\\b\x1b^y\x07c\x1bXz\x1b\\d', 'abcd'],
  ['C1 sequences', 'a\x9b31mb\x9d0;t\x9cc\x90q\x9cd', 'abcd'],
  ['other escapes', 'a\x1b(B\x1b7\x1b8\x1b=\x1b>\x1bMb', 'ab'],
  ['bells, NUL, DEL', 'a\x07b\0c\x7fd\x1ae', 'abcde'],
  ['incomplete sequences', 'a\x1b[12\x1b[31mb\x1b[1\x07c', 'abc'],
  ['a string ended by CAN', 'a\x1b]0;x\x18b', 'ab'],
  ['a string that never ends', 'a\x1b]0;x\ny', 'a'],
  ['sequences with other parameters', 'a\x1b[?25l\x1b[>0c\x1b[1;2Gb', 'ab'],
  ['text without controls', 'é 漢字 👩‍💻 a‮b', 'é 漢字 👩‍💻 a‮b'],
  ['the prompt before', '$ ls\r\n\x1b]633;C\x07out', '$ ls\nout'],
  ['the prompt after', 'out\r\n\x1b]633;D;0\x07\x1b]633;A\x07$ ', 'out\n'],
  [
    'the prompt between two lines',
    'a\r\n\x1b]633;D;0\x07$ b\x1b]633;C\x07c\r\n\x1b]133;D\x07$',
    'a\nc\n',
  ],
];

describe('TerminalText', () => {
  for (const [what, sent, expected] of cases) {
    it(`reads ${what}`, () => assert.equal(plain(sent), expected));
  }

  it('reads megabytes in one chunk', () => {
    for (const piece of ['y\n', 'x', '\r\n', '\r', '\x1b[31m', '\x1b[', '\x1b]'])
      assert.ok(plain(piece.repeat(400_000)).length <= 800_000);
  });

  it('emits a line as soon as it is final', () => {
    const text = new TerminalText();
    assert.equal(text.read('one\r\ntw'), 'one\n');
    assert.equal(text.read('o\r'), '');
    assert.equal(text.read('\nthree'), 'two\n');
    assert.equal(text.end(), 'three');
  });

  it('hides no output of a program that claims to have ended', () => {
    const hidden = 'x'.repeat(5000);
    assert.equal(plain(`a\x1b]633;D;0\x07${hidden}\r\n`), `a${hidden}\n`);
  });

  it('returns the same text without controls, whatever the chunks are', () => {
    const piece = fc.oneof(
      fc.constantFrom('\x1b', '[', ']', '\r', '\n', '\b', '\x07', '\x9b', '\x9d', '\x9c', '\\'),
      fc.constantFrom('K', '2K', '1K', '3C', '2D', 'G', '5G', '633;C', '633;D;0', '0;t', 'P', 'm'),
      fc.constantFrom('\x1b[', '\x1b]633;C\x07', '\x1b]633;D\x07', 'x'.repeat(3000), '\r\r\n'),
      fc.constantFrom('\x1b[' + '1'.repeat(300), '\x1b' + ' '.repeat(250), '1'.repeat(249)),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    const sent = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(sent, fc.array(fc.nat(200), { maxLength: 10 }), (sentText, cuts) => {
        const places = [0, ...cuts.map((cut) => cut % (sentText.length + 1)), sentText.length];
        const sorted = places.toSorted((a, b) => a - b);
        const chunks = sorted.map((end, index) => sentText.slice(sorted[index - 1] ?? 0, end));
        const whole = plain(sentText);
        assert.equal(plain(...chunks), whole);
        assert.doesNotMatch(whole, /(?![\n\t])\p{Cc}/u);
      }),
      { seed: Number(process.env['SEED'] ?? 7), numRuns: runs(2000, 4) },
    );
  });

  it('buffers a limited part of an unterminated line', () => {
    const text = new TerminalText();
    let settled = 0;
    for (let chunk = 0; chunk < 1000; chunk++) settled += text.read('x'.repeat(1000)).length;
    assert.ok(settled > 1_000_000 - 10_000);
    assert.equal(settled + text.end().length, 1_000_000);
  });
});

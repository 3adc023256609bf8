import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as z from 'zod';
import type { TerminalSize } from '../../../../src/core/tools/terminalText.ts';
import { TerminalText } from '../../../../src/core/tools/terminalText.ts';
import { shownBy, withoutBlanks } from '../../../support/emulatedTerminal.ts';
import { runs } from '../../../support/sample.ts';

function plain(...chunks: readonly string[]): string {
  const text = new TerminalText();
  return chunks.map((chunk) => text.read(chunk)).join('') + text.end();
}

function plainIn(size: TerminalSize, sent: string): string {
  const text = new TerminalText(undefined, size);
  return text.read(sent) + text.end();
}

/** Text whose tabs are spaces. Of the other characters, only the Chinese ones are wide. */
function withSpaces(text: string): string {
  const widthOf = (before: string): number =>
    before.replace(/[漢字]/g, '--').replace(/\p{M}/gu, '').length;
  return text
    .split('\n')
    .map((line) =>
      line.split('\t').reduce((before, part) => {
        return before + ' '.repeat(8 - (widthOf(before) % 8)) + part;
      }),
    )
    .join('\n');
}

const recordings = z
  .array(z.object({ program: z.string(), columns: z.number(), rows: z.number(), sent: z.string() }))
  .parse(
    JSON.parse(
      readFileSync(new URL('../../../fixtures/terminalRecordings.json', import.meta.url), 'utf8'),
    ),
  );

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
  ['a cleared screen', 'secret\x1b[2J\x1b[Hshown', 'secret\nshown'],
  ['a line erased from the cursor on', 'rm -rf /\r\x1b[Kecho ok', 'echo ok'],
  ['a progress bar', '10%\r50%\r100%\r\ndone', '100%\ndone'],
  ['a spinner', '|\b/\b-\b\\\bok', 'ok'],
  ['moves far beyond the end of the line', '\x1b[999999999Cx', `${' '.repeat(1000)}x`],
  ['sixels (DCS)', 'a\x1bPq#0;2;0;0;0~~\x1b\\b', 'ab'],
  ['APC, PM, SOS', 'a\x1b_x\x1b\\b\x1b^y\x07c\x1bXz\x1b\\d', 'abcd'],
  ['C1 sequences', 'a\x9b31mb\x9d0;t\x9cc\x90q\x9cd', 'abcd'],
  ['other escapes', 'a\x1b(B\x1b7\x1b8\x1b=\x1b>\x1bMb', 'ab'],
  ['bells, NUL, DEL', 'a\x07b\0c\x7fd\x1ae', 'abcde'],
  ['incomplete sequences', 'a\x1b[12\x1b[31mb\x1b[1\x07c', 'abc'],
  ['a string ended by CAN', 'a\x1b]0;x\x18b', 'ab'],
  ['a string that never ends', 'a\x1b]0;x\ny', 'a'],
  ['sequences with other parameters', 'a\x1b[?25l\x1b[>0c\x1b[1;2Gb', 'b'],
  ['text without controls', 'é 漢字 👩‍💻 a‮b', 'é 漢字 👩‍💻 a‮b'],
  ['the prompt before', '$ ls\r\n\x1b]633;C\x07out', '$ ls\nout'],
  ['the prompt after', 'out\r\n\x1b]633;D;0\x07\x1b]633;A\x07$ ', 'out\n'],
  [
    'bars that are drawn again, with the cursor up',
    'a: 0\r\nb: 0\r\n\x1b[2A\x1b[2Ka: 1\r\n\x1b[2Kb: 1\r\n\x1b[2A\x1b[2Ka: 2\r\n\x1b[2Kb: 2\r\nDone\r\n',
    'a: 2\nb: 2\nDone\n',
  ],
  [
    'tasks that are erased upwards',
    '- a\r\n- b\r\n\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[G- a ok\r\n- b ok\r\n',
    '- a ok\n- b ok\n',
  ],
  [
    'rows by position after a screen was cleared',
    'before\r\n\x1b[2J\x1b[Hone\r\ntwo\r\n\x1b[H\x1b[Jthree',
    'before\nthree',
  ],
  [
    'rows by position at the end of a long output',
    `${'line\r\n'.repeat(100)}\x1b[30;1Hlast\x1b[29;1Hbefore`,
    `${'line\n'.repeat(99)}before\nlast`,
  ],
  ['a program that fills the screen', 'a\x1b[?1049h\x1b[2J\x1b[Hpager\x1b[?1049l b', 'a b'],
  ['one that still does', 'a\r\n\x1b[?1049h\x1b[Hpager', 'a\npager'],
  ['wide characters', '漢字\x1b[2GX\r\n😀😀\x1b[3Gab', ' X字\n😀ab'],
  ['marks over a character', 'e\u0301\x1b[2Dxe\u0301\u0301', 'xe\u0301\u0301'],
  [
    'rows far below',
    'a\x1b[999999999;999999999H\x1b[Ab',
    `a${'\n'.repeat(198)}${' '.repeat(1000)}b`,
  ],
  ['blank rows below the cursor', 'a\r\n\r\n\r\n\x1b[2A', 'a\n'],
  ['a reset', 'a\x1bcb', 'a\nb'],
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
    const text = new TerminalText(undefined, { columns: 80, rows: 2 });
    assert.equal(text.read('one\r\ntwo\r'), '');
    assert.equal(text.read('\nthree'), 'one\n');
    assert.equal(text.open, 'two\nthree');
    assert.equal(text.end(), 'two\nthree');
  });

  it('passes on each row once, as it was when the cursor left it', () => {
    let passed = '';
    const text = new TerminalText((row) => (passed += row));
    text.read('a: 0\r\nb: 0\r\n\x1b[2Aa: 1\r\n');
    assert.equal(passed, 'a: 0\nb: 0\n');
    text.read('b: 1\r\nlast');
    assert.equal(passed, 'a: 0\nb: 0\n');
    text.end();
    assert.equal(passed, 'a: 0\nb: 0\nlast');
  });

  for (const { program, sent, ...size } of recordings) {
    it(`shows what a terminal shows of ${program}`, async () => {
      const shown = await shownBy(sent, size);
      assert.equal(withoutBlanks(plainIn(size, sent)), shown);
      assert.equal(withoutBlanks(plain(sent)), shown);
    });
  }

  it('shows what a terminal shows of any output', async () => {
    const count = fc.constantFrom('', '0', '1', '2', '3', '5', '9', '40');
    const text = fc.constantFrom('a', 'bc', 'word', '漢字', 'é', 'e\u0301', '0123456789'.repeat(3));
    const controls = ['\r', '\n', '\r\n', '\b', '\t', '\v', '\x1bM', '\x1bD', '\x1b[31m'];
    const states = ['\x1b7', '\x1b8', '\x1b[s', '\x1b[u', '\x1b[?7l', '\x1b[?7h', '\x1b]0;t\x07'];
    const pager = '\x1b[?1049h\x1b[Hpager\x1b[?1049l';
    const sequence = (numbers: string, finals: readonly string[]): fc.Arbitrary<string> =>
      fc
        .tuple(count, count, fc.constantFrom(...finals))
        .map(([a, b, final]) => `\x1b[${numbers.replace('a', a).replace('b', b)}${final}`);
    const piece = fc.oneof(
      { weight: 3, arbitrary: text },
      { weight: 3, arbitrary: fc.constantFrom(...controls, ...states, pager) },
      { weight: 3, arbitrary: sequence('a', 'A B C D E F G H d f K P X @ L M S T a `'.split(' ')) },
      sequence('a;b', ['H', 'f', 'r']),
      fc.constantFrom('\x1b[J', '\x1b[1J', '\x1b[2J'),
    );
    // Where lines are wrapped, what is wide or a tab would have to be compared by columns, and
    // xterm.js forgets at an erasure up to the cursor that another row is wrapped.
    const size = fc.record({ columns: fc.constantFrom(10, 20, 1000), rows: fc.constantFrom(4, 6) });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), size, async (pieces, terminal) => {
        const all = pieces.join('');
        const sent = terminal.columns < 100 ? all.replace(/[\t漢字]|\x1b\[1J/g, '') : all;
        // A terminal loses what it clears while only some of its rows scroll.
        fc.pre(!sent.includes('\x1b[2J') || !/\x1b\[[\d;]*r/.test(sent));
        const shown = await shownBy(sent, terminal);
        assert.equal(withoutBlanks(withSpaces(plainIn(terminal, sent))), shown);
      }),
      { seed: Number(process.env['SEED'] ?? 7), numRuns: runs(4000, 4) },
    );
  });

  it('hides no output of a program that claims to have ended', () => {
    const hidden = 'x'.repeat(5000);
    assert.equal(plain(`a\x1b]633;D;0\x07${hidden}\r\n`), `a${hidden}\n`);
  });

  it('returns the same text without controls, whatever the chunks are', () => {
    const piece = fc.oneof(
      fc.constantFrom('\x1b', '[', ']', '\r', '\n', '\b', '\x07', '\x9b', '\x9d', '\x9c', '\\'),
      fc.constantFrom(...'K 2K 1K 3C 2D G 5G A 2J 3;9H ?1049h 633;C 633;D;0 0;t P m'.split(' ')),
      fc.constantFrom('\x1b[', '\x1b]633;C\x07', '\x1b]633;D\x07', '\x1b[2A', '\r\r\n'),
      fc.constantFrom('漢', 'x'.repeat(3000)),
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

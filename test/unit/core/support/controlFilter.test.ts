import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ControlFilter } from '../../../../src/core/support/controlSequences.ts';
import { runs } from '../../../support/sample.ts';

function filtered(...pieces: string[]): string {
  const filter = new ControlFilter();
  return pieces.map((piece) => filter.write(piece)).join('');
}

const cases: readonly (readonly [string, string, string])[] = [
  ['text, tabs and line feeds', 'a\tb\nc', 'a\tb\nc'],
  ['line endings', 'a\r\nb\rc\n\rd\r', 'a\nb\nc\n\nd\n'],
  ['a line ending around a removed character', 'a\r\u0085\nb', 'a\nb'],
  ['colours', 'a\x1b[1;31mb\x1b[0m', 'ab'],
  ['a link and a title', '\x1b]8;;https://evil.test\x1b\\a\x1b]8;;\x1b\\\x1b]0;x\x07b', 'ab'],
  ['a string that never ends', 'a\x1b]0;x\nb', 'a\nb'],
  ['a sequence that never ends', 'a\x1b[12\nb\x1b', 'a\nb'],
  ['what a terminal would overwrite', 'rm -rf\b\b\b\x1b[2K x', 'rm -rf x'],
  ['quotation marks of a wrong encoding', 'â\u0080\u009dtext\u009b', 'âtext'],
];

describe('ControlFilter', () => {
  for (const [what, text, expected] of cases) {
    it(`reads ${what}`, () => assert.equal(filtered(text), expected));
  }

  it('returns the same text however it is cut, without control characters', () => {
    const piece = fc.oneof(
      fc.constantFrom('\x1b', '\x1b[', '\x1b]', '\r', '\n', '\x07', '\x85', '\x9b', '\x9c', 'm'),
      fc.constantFrom('\\', 'a', '\x1b[' + '1'.repeat(300)),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const whole = filtered(pieces.join(''));
        assert.equal(filtered(...pieces), whole);
        assert.doesNotMatch(whole, /(?![\n\t])\p{Cc}/u);
      }),
      { seed: Number(process.env['SEED'] ?? 7), numRuns: runs(2000) },
    );
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BoundedTerminalText } from '../../../../src/core/tools/commandOutput.ts';
import { maskSecrets } from '../../../../src/core/support/secretTokens.ts';
import { privateKey } from '../support/secrets.ts';

function bounded(head: number, tail: number, ...pieces: readonly string[]): string {
  const output = new BoundedTerminalText(head, tail);
  for (const piece of pieces) output.read(piece);
  output.end();
  return output.text;
}

describe('BoundedTerminalText', () => {
  it('keeps both ends of longer output, and reports how much is missing', () => {
    assert.equal(bounded(3, 4, 'ab cd ef gh'), 'ab \n… 5 characters left out …\n gh');
    assert.equal(bounded(3, 0, 'ab cdef'), 'ab \n… 4 characters left out …\n');
  });

  it('splits no character', () => {
    const text = bounded(301, 301, `a${'😀'.repeat(1000)}d`);
    assert.doesNotMatch(text, /\p{Surrogate}/u);
  });

  it('keeps the beginning and the end, whatever the chunks are', () => {
    const pieces = fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 30 }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(pieces, fc.nat(50), fc.nat(50), (generated, head, tail) => {
        const all = generated.join('');
        if (all.length <= head + tail) {
          assert.equal(bounded(head, tail, ...generated), all);
          return;
        }
        const first = all.slice(0, head).replace(/\S+$/, '');
        const last = all.slice(all.length - tail).replace(/^\S+/, '');
        const missing = all.length - first.length - last.length;
        const expected = `${first}\n… ${missing} characters left out …\n${last}`;
        assert.equal(bounded(head, tail, ...generated), expected);
      }),
      { seed: Number(process.env['SEED'] ?? 7) },
    );
  });

  it('shows no half of a token, and no key without its first line, wherever output is cut', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const lines = privateKey.split('\n');
    const text = `${'word '.repeat(20)}${token}\n${privateKey}\n${token} ${'word '.repeat(20)}`;
    for (let cut = 0; cut < text.length - 10; cut++) {
      for (const [head, tail] of [
        [cut, text.length - cut - 10],
        [0, cut],
        [cut, 0],
      ] as const) {
        const { text: masked } = maskSecrets(bounded(head, tail, text));
        assert.ok(!masked.includes('a1B2'), masked);
        for (const line of lines.slice(1, -2))
          assert.ok(!masked.includes(line.slice(0, 40)), masked);
      }
    }
  });
});

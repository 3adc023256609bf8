import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BoundedOutput } from '../../../../src/core/terminal/commandOutput.ts';
import { keptBytes } from '../../../support/keptBytes.ts';
import { runs } from '../../../support/sample.ts';

function bounded(head: number, tail: number, ...pieces: readonly string[]): string {
  const output = new BoundedOutput(head, tail);
  for (const piece of pieces) output.add(piece);
  return output.text;
}

describe('BoundedOutput', () => {
  it('keeps all of what fits', () => {
    assert.equal(bounded(4, 4), '');
    assert.equal(bounded(4, 4, 'abc'), 'abc');
    assert.equal(bounded(4, 4, 'abc', 'defgh'), 'abcdefgh');
  });

  it('keeps both ends of what does not, and tells how much is missing', () => {
    assert.equal(bounded(2, 3, 'abcdef'), 'ab\n… 1 characters left out …\ndef');
    assert.equal(bounded(2, 0, 'abcdef'), 'ab\n… 4 characters left out …\n');
  });

  it('cuts no character in two', () => {
    assert.equal(bounded(2, 2, 'a😀bc😀d'), 'a\n… 4 characters left out …\nd');
  });

  it('keeps the first and the last characters, however they come', () => {
    const pieces = fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 30 }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(pieces, fc.nat(50), fc.nat(50), (given, head, tail) => {
        const all = given.join('');
        const missing = all.length - head - tail;
        const expected =
          missing <= 0
            ? all
            : `${all.slice(0, head)}\n… ${missing} characters left out …\n${all.slice(all.length - tail)}`;
        assert.equal(bounded(head, tail, ...given), expected);
      }),
      { seed: Number(process.env['SEED'] ?? 7) },
    );
  });

  it('stays small', async () => {
    const output = new BoundedOutput(100, 100);
    const before = await keptBytes();
    const chunks = runs(12_500, 4);
    for (let chunk = 0; chunk < chunks; chunk++) output.add('y\n'.repeat(4000));
    assert.ok((await keptBytes()) - before < chunks * 2400);
    assert.ok(output.text.includes(` ${chunks * 8000 - 200} characters left out `));
  });
});

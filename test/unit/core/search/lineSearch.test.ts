import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { TextQuery } from '../../../../src/core/search/fileSearch.ts';
import { findLines } from '../../../../src/core/search/walkSearch.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';

const text = 'Alpha\r\nbeta alpha\r\n\r\ngamma (x)\r\n';

function linesWith(query: Partial<TextQuery>, of = text): string[] {
  const lines = findLines('a', of, { text: '', isRegex: false, context: 0, ...query });
  return lines.map((line) => `${line.line}${line.fits ? ':' : '-'}${line.text}`);
}

describe('findLines', () => {
  it('ignores case for a query in lower case, and matches it otherwise', () => {
    assert.deepEqual(linesWith({ text: 'alpha' }), ['1:Alpha', '2:beta alpha']);
    assert.deepEqual(linesWith({ text: 'Alpha' }), ['1:Alpha']);
  });

  it('matches text literally', () => {
    assert.deepEqual(linesWith({ text: '(x)' }), ['4:gamma (x)']);
    assert.deepEqual(linesWith({ text: '.' }), []);
  });

  it('includes the surrounding lines, each once and in order', () => {
    assert.deepEqual(linesWith({ text: 'beta', context: 1 }), ['1-Alpha', '2:beta alpha', '3-']);
    assert.deepEqual(linesWith({ text: 'alpha', context: 5 }), [
      ...['1:Alpha', '2:beta alpha', '3-', '4-gamma (x)'],
    ]);
  });

  it('truncates long lines', () => {
    const [line = ''] = linesWith({ text: 'needle' }, `needle${'x'.repeat(100_000)}`);
    assert.ok(line.length < 500);
    const [emoji = ''] = linesWith({ text: 'needle' }, `needle${'😀'.repeat(1000)}`);
    const [odd = ''] = linesWith({ text: 'needle' }, `needle ${'😀'.repeat(1000)}`);
    for (const line of [emoji, odd]) assert.doesNotMatch(line, /\p{Surrogate}/u);
  });

  it('finds whole words and escaped text in an expression', () => {
    const words = 'beta\nalphabeta\nBeta, beta\ngamma (x)\n';
    assert.deepEqual(linesWith({ text: '\\bbeta\\b', isRegex: true }, words), [
      '1:beta',
      '3:Beta, beta',
    ]);
    assert.deepEqual(linesWith({ text: '\\bBeta', isRegex: true }, words), ['3:Beta, beta']);
    assert.deepEqual(linesWith({ text: 'a \\(x\\)', isRegex: true }, words), ['4:gamma (x)']);
  });

  it('finds the same with an escaped expression as with its text', () => {
    const part = fc.string({
      unit: fc.constantFrom(...Array.from('aB.*()[]{}|^$\\/-_" ')),
      minLength: 1,
    });
    fc.assert(
      fc.property(part, fc.array(part), (text, lines) => {
        const escaped = text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
        const searched = [...lines, `x${text}y`].join('\n');
        assert.deepEqual(
          linesWith({ text: escaped, isRegex: true }, searched),
          linesWith({ text }, searched),
        );
      }),
    );
  });

  for (const expression of [
    'a.b',
    'a$',
    '\\w+',
    '(a|b)',
    'a\\b b',
    '\\p{L}',
    '(',
    '(a+)+$',
    '\\1',
    'a\\',
  ]) {
    it(`reports that ${expression} needs a folder on disk`, () => {
      assert.throws(() => linesWith({ text: expression, isRegex: true }), ToolError);
    });
  }
});

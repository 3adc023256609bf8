import assert from 'node:assert/strict';
import fc from 'fast-check';
import { countTokens, splitTokens } from '../../../src/local/completionsEndpoint.ts';

describe('tokens', () => {
  it('can be joined to the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.equal(splitTokens(text).join(''), text);
      }),
    );
  });

  it('never split a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        for (const token of splitTokens(text)) assert.doesNotMatch(token, /\p{Surrogate}/u);
      }),
    );
  });

  it('are empty for an empty text, and at most one for each character', () => {
    assert.equal(countTokens(''), 0);
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const count = countTokens(text);
        assert.ok(count >= 1 && count <= text.length);
      }),
    );
  });

  it('have about four characters in English text and in code', () => {
    const texts = [
      'The service accepts a list of conversation messages and returns the reply of the model.',
      'export function add(first: number, second: number): number {\n  return first + second;\n}\n',
    ];
    for (const text of texts) {
      const ratio = text.length / countTokens(text);
      assert.ok(ratio > 3 && ratio < 5, `${ratio} characters a token`);
    }
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { messageMark, messagesOf } from '../../../src/host/pageMessages.ts';
import { english } from '../../support/translations.ts';

describe('the translations of a page', () => {
  const all = Object.keys(english.messages);
  const bundle = Object.fromEntries(all.map((text) => [text, text.toUpperCase()]));

  it('are those that it uses, and hardly others', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...all), { maxLength: 300 }), (used) => {
        const given = messagesOf(used.map(messageMark).join(''), bundle);
        for (const text of used) assert.equal(given[text], text.toUpperCase());
        assert.ok(Object.keys(given).length <= used.length + 20);
      }),
    );
  });

  it('are none where it uses none', () => assert.deepEqual(messagesOf('', bundle), {}));

  it('have marks of one length, whatever the message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        assert.match(messageMark(text), /^[a-z\d]{3}$/);
      }),
    );
  });
});

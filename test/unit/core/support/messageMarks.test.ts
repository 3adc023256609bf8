import assert from 'node:assert/strict';
import fc from 'fast-check';
import { markedTexts, markSalt } from '../../../../build/translations.ts';
import {
  packTexts,
  messageMark,
  messagesOf,
  unpackTexts,
} from '../../../../src/core/support/messageMarks.ts';
import { english } from '../../../support/translations.ts';

const all = Object.keys(english.messages);

describe('the marks of messages', () => {
  it('are different for all messages of the product', () => {
    const messages = new Map<string, string>();
    for (const text of all) {
      const mark = messageMark(text, markSalt);
      assert.equal(messages.get(mark), undefined, text);
      messages.set(mark, text);
    }
  });

  it('have the same length for any message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        assert.match(messageMark(text, markSalt), /^[\w-]{3}$/);
      }),
    );
  });
});

describe('the texts of a packaged bundle', () => {
  const markOf = (text: string): string => messageMark(text, markSalt);

  it('are the translations, by the marks of their messages', () => {
    const translation = fc.option(fc.string({ unit: 'grapheme', minLength: 1 }), {
      nil: undefined,
    });
    const bundle = fc.array(fc.tuple(fc.constantFrom(...all), translation));
    fc.assert(
      fc.property(bundle, (pairs) => {
        const texts = new Map(pairs);
        const marks = [...texts.keys()].map(markOf).join('');
        const expected = [...texts].flatMap(([message, text]) =>
          text === undefined ? [] : [[markOf(message), text.replaceAll('\t', ' ')]],
        );
        assert.deepEqual(
          unpackTexts(packTexts([...texts.values()]), marks),
          Object.fromEntries(expected),
        );
      }),
    );
  });
});

describe('the translations of a page', () => {
  const bundle = markedTexts(Object.fromEntries(all.map((text) => [text, text.toUpperCase()])));

  it('are only those that the page uses', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...all), { maxLength: 300 }), (used) => {
        const messages = messagesOf(
          used.map((text) => messageMark(text, markSalt)).join(''),
          bundle,
        );
        for (const text of used)
          assert.equal(messages[messageMark(text, markSalt)], text.toUpperCase());
        assert.equal(Object.keys(messages).length, used.length);
      }),
    );
  });

  it('are empty for a page without messages', () => assert.deepEqual(messagesOf('', bundle), {}));
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { languages, pairsOf, type Language } from '../../support/translations.ts';

const file = new URL('../../fixtures/translations/terms.json', import.meta.url);
const byLanguage = z.object(
  Object.fromEntries(languages.map((language) => [language, z.array(z.string())])),
);
const patterns = z.record(z.enum(['english', ...languages]), z.string());
const terms = z
  .object({
    /** The version of VS Code, and the language packs. */
    from: z.string(),
    /** What VS Code calls something, in English, and in each language; some have several names. */
    terms: z.record(z.string(), byLanguage),
    /** How to find the word of a term in a longer text, whatever its case and ending. */
    words: z.record(z.string(), patterns),
  })
  .parse(JSON.parse(readFileSync(file, 'utf8')));

describe('the terms of VS Code', () => {
  it('are fifty-eight, and are found in VS Code’s own texts', () => {
    assert.equal(Object.keys(terms.terms).length, 58);
    for (const [term, words] of Object.entries(terms.words)) {
      for (const language of languages) {
        const translations = terms.terms[term]?.[language] ?? [];
        assert.ok(translations.length > 0, `${term} in ${language}`);
        for (const text of translations)
          assert.match(text.toLowerCase(), new RegExp(words[language], 'u'));
      }
    }
  });

  for (const language of languages) {
    it(`are the same in Aside, where a text is one of them: ${language}`, () => {
      assert.deepEqual(otherTerms(language), []);
    });

    it(`are the same in Aside, where they are words of a longer text: ${language}`, () => {
      assert.deepEqual(otherWords(language), []);
    });
  }
});

/** Without what a place adds: a capital letter, three dots where a dialog follows, a full stop. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/\s/g, ' ')
    .replace(/(?:\.\.\.|…|[.。])$/, '');
}

function otherTerms(language: Language): readonly string[] {
  return pairsOf(language).flatMap(({ from, to }) =>
    Object.entries(terms.terms)
      .filter(([term]) => plain(term) === plain(from))
      .map(([, translations]) => translations[language] ?? [])
      .filter((names) => !names.map(plain).includes(plain(to)))
      .map((names) => `${from} → ${to}, not ${names.join(' or ')}`),
  );
}

/** Code in a text is no word of it. */
function prose(text: string): string {
  return text.replace(/`[^`]*`/g, ' ');
}

function otherWords(language: Language): readonly string[] {
  return pairsOf(language).flatMap(({ from, to }) =>
    Object.entries(terms.words)
      .filter(
        ([, words]) =>
          new RegExp(String.raw`\b(?:${words.english})\b`, 'i').test(prose(from)) &&
          !new RegExp(words[language], 'u').test(to.toLowerCase()),
      )
      .map(([term]) => `${term} (${terms.terms[term]?.[language]?.join(', ')}): ${from} → ${to}`),
  );
}

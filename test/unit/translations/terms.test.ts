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
    /** Version of VS Code and its language packs. */
    from: z.string(),
    /** English terms of VS Code, and one or more translations in each language. */
    terms: z.record(z.string(), byLanguage),
    /** Patterns that find a term in a longer text, in any case and with any ending. */
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
    it(`are the same in Aside if a text is a term: ${language}`, () => {
      assert.deepEqual(otherTerms(language), []);
    });

    it(`are the same in Aside if a longer text contains a term: ${language}`, () => {
      assert.deepEqual(otherWords(language), []);
    });
  }
});

/** The text without capitals, ellipsis and full stop, which depend on its place. */
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

function withoutCode(text: string): string {
  return text.replace(/`[^`]*`/g, ' ');
}

function otherWords(language: Language): readonly string[] {
  return pairsOf(language).flatMap(({ from, to }) =>
    Object.entries(terms.words)
      .filter(
        ([, words]) =>
          new RegExp(String.raw`\b(?:${words.english})\b`, 'i').test(withoutCode(from)) &&
          !new RegExp(words[language], 'u').test(to.toLowerCase()),
      )
      .map(([term]) => `${term} (${terms.terms[term]?.[language]?.join(', ')}): ${from} → ${to}`),
  );
}

import assert from 'node:assert/strict';
import {
  countedIn,
  countedMessages,
  english,
  languages,
  messagesIn,
  pairsOf,
  translated,
  type Language,
} from '../../support/translations.ts';
import { readSource, sourceFiles } from '../../support/sourceFiles.ts';
import { faultsOf } from './faults.ts';
import { sameAsEnglish } from './sameAsEnglish.ts';

for (const language of languages) {
  describe(`the translation ${language}`, () => {
    it('has exactly the texts of English', () => {
      const { messages, manifest } = translated(language);
      assert.deepEqual(differentKeys(messages, english.messages), []);
      assert.deepEqual(differentKeys(manifest, english.manifest), []);
    });

    it('keeps placeholders, and has the plural forms of its language', () => {
      const wrong = pairsOf(language).flatMap((pair) =>
        faultsOf(pair, language, countedMessages.has(pair.from)).map(
          (fault) => `${fault}: ${pair.from} → ${pair.to}`,
        ),
      );
      assert.deepEqual(wrong, []);
    });

    it('has no untranslated text', () => {
      const same = pairsOf(language).filter(({ from, to }) => from === to && /[a-z]{3}/.test(from));
      const allowed = sameAsEnglish(language);
      assert.deepEqual(
        same.map(({ from }) => from).filter((text) => !allowed.has(text)),
        [],
      );
    });

    it('uses its own names for buttons, commands and regions', () => {
      assert.deepEqual(wrongNames(language), []);
    });
  });
}

/** Keys that only one of the objects has. */
function differentKeys(some: object, others: object): readonly string[] {
  return [
    ...Object.keys(others)
      .filter((key) => !(key in some))
      .map((key) => `missing: ${key}`),
    ...Object.keys(some)
      .filter((key) => !(key in others))
      .map((key) => `not in English: ${key}`),
  ];
}

/** Texts that name a button or command, quoted or bold, by another name than its translation. */
function wrongNames(language: Language): readonly string[] {
  const pairs = pairsOf(language);
  const nameOf = (text: string) => pairs.filter(({ from }) => from === text).map(({ to }) => to);
  return pairs.flatMap(({ from, to }) =>
    [...from.matchAll(/"(?:Aside: )?([^"`]+)"|\*\*(?:Aside: )?([^*]+)\*\*/g)]
      .map(([, quoted, bold]) => nameOf(quoted ?? bold ?? ''))
      .filter((names) => names.length > 0 && !names.some((name) => to.includes(name)))
      .map((names) => `“${names.join('” or “')}” is not in: ${to}`),
  );
}

describe('messages about a number of things', () => {
  it('use plural forms everywhere', () => {
    const plain = sourceFiles.flatMap((file) => {
      const text = readSource(file);
      const counted = countedIn(text);
      const said = messagesIn(text).filter((message) => countedMessages.has(message));
      return said.length === counted.length ? [] : [`${file}: ${said.join(' · ')}`];
    });
    assert.deepEqual(plain, []);
    assert.ok(countedMessages.size > 40, `${countedMessages.size}`);
  });
});

describe('the check of translations', () => {
  const faults = (from: string, to: string, language: Language = 'de', isCounted = false) =>
    faultsOf({ key: from, from, to }, language, isCounted);

  it('accepts correct translations', () => {
    assert.deepEqual(faults('{0} of {1} files', 'Von {1} Dateien {0}'), []);
    assert.deepEqual(faults('{0} files', '{0} файл¦{0} файла¦{0} файлов', 'ru', true), []);
    assert.deepEqual(faults('{0} files', 'Файлов: {0}', 'ru', true), []);
    assert.deepEqual(faults('0 to 0.3 is precise', '0 bis 0,3 ist präzise'), []);
    assert.deepEqual(faults('About {0}%', 'Rund {0} %'), []);
    assert.deepEqual(faults('JSON', 'JSON', 'ja'), []);
  });

  for (const [what, from, to, language, isCounted] of [
    ['a lost placeholder', '{0} in {1}', '{0} darin'],
    ['a new placeholder', 'in {0}', 'in {0} {1}'],
    ['a placeholder lost in one form', '{0} files', '{0} fichier¦fichiers', 'fr', true],
    ['a changed setting', 'See `#aside.baseUrl#`.', 'Siehe `#aside.base#`.'],
    ['a lost mark', '**Open**', '**Öffnen'],
    ['an icon', '$(add) New', '$(hinzu) Neu'],
    ['a link', '[a](command:x)', '[a](command:y)'],
    ['a space at the end', 'Write a function ', 'Schreibe eine Funktion'],
    ['a lost ellipsis', 'Open…', 'Öffnen'],
    ['an added ellipsis', 'Open', 'Öffnen…'],
    ['another number', 'Up to 5 MB', 'Bis zu 6 MB'],
    ['a text in another script', 'Open the file', 'Open die file', 'ja'],
    ['two of three forms', '{0} files', '{0} файл¦{0} файлов', 'ru', true],
    ['one of three forms', '{0} files', '{0} файлов', 'ru', true],
    ['forms that nobody chooses', '{0} files', '{0} Datei¦{0} Dateien'],
    ['forms in a language without', '{0} files', '{0} 件¦{0} 件', 'ja', true],
    ['a name that is kept', 'Ask Aside', 'Frag Daneben'],
  ] as const) {
    it(`finds ${what}`, () => assert.notDeepEqual(faults(from, to, language, isCounted), []));
  }
});

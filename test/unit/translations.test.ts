import assert from 'node:assert/strict';
import { readSource, sourceFiles } from '../support/sourceFiles.ts';
import {
  countedIn,
  countedMessages,
  english,
  languages,
  messagesIn,
  pairsOf,
  translated,
  type Language,
  type Pair,
} from '../support/translations.ts';

/** Number of plural forms for whole numbers below a million. */
const formsOf: Readonly<Record<Language, number>> = {
  de: 2,
  fr: 2,
  es: 2,
  'pt-br': 2,
  ru: 3,
  ja: 1,
  ko: 1,
  'zh-cn': 1,
  'zh-tw': 1,
};

/** Parts of a text that a translation must have too, in any order. */
const parts = [/\{\d+\}/g, /\$\([\w~-]+\)/g, /#[\w.]+#/g, /\]\([^)]*\)/g, /\*\*|`/g, /\n/g];

/** Faults of a translation as text; empty if it is usable. */
function faultsOf({ from, to }: Pair, language: Language, isCounted: boolean): readonly string[] {
  const forms = to.split('¦');
  const lost = forms.flatMap((form) =>
    parts.filter((part) => matches(from, part) !== matches(form, part)),
  );
  const isComplete = isCounted
    ? forms.length === 1 || forms.length === formsOf[language]
    : forms.length === 1;
  return [...lost.map(String), ...(isComplete ? [] : [`${forms.length} forms of a number`])];
}

/** Matches in sorted order. A language may repeat a placeholder. */
function matches(text: string, part: RegExp): string {
  const all = text.match(part) ?? [];
  return (part === parts[0] ? [...new Set(all)] : all).toSorted().join(' ');
}

describe('texts that people read', () => {
  it('are all in the bundle for translators, which `npm run l10n` updates', () => {
    const texts = new Set(sourceFiles.flatMap((file) => messagesIn(readSource(file))));
    assert.deepEqual([...texts].sort(), Object.keys(english.messages).sort());
  });

  it('use plural forms for every number of things', () => {
    const plain = sourceFiles.flatMap((file) => {
      const text = readSource(file);
      const texts = messagesIn(text).filter((message) => countedMessages.has(message));
      return texts.length === countedIn(text).length ? [] : [`${file}: ${texts.join(' · ')}`];
    });
    assert.deepEqual(plain, []);
    assert.ok(countedMessages.size > 40, `${countedMessages.size}`);
  });

  it('differ by more than capitals, contractions and punctuation, or are the same', () => {
    const spellings = new Map<string, Set<string>>();
    for (const text of [...Object.keys(english.messages), ...Object.values(english.manifest)]) {
      const spelling = text.replace(/[.?…]+$/, '');
      const key = `${styleOf(spelling)} ${plain(spelling)}`;
      spellings.set(key, (spellings.get(key) ?? new Set()).add(spelling));
    }
    const different = [...spellings.values()].filter(({ size }) => size > 1);
    assert.deepEqual(
      different.map((some) => [...some].join(' | ')),
      [],
    );
  });
});

describe('translations', () => {
  for (const language of languages) {
    it(`have exactly the texts of English: ${language}`, () => {
      const { messages, manifest } = translated(language);
      assert.deepEqual(Object.keys(messages).sort(), Object.keys(english.messages).sort());
      assert.deepEqual(Object.keys(manifest).sort(), Object.keys(english.manifest).sort());
    });

    it(`keep placeholders, and have the plural forms of the language: ${language}`, () => {
      const wrong = pairsOf(language).flatMap((pair) =>
        faultsOf(pair, language, countedMessages.has(pair.from)).map(
          (fault) => `${fault}: ${pair.from} → ${pair.to}`,
        ),
      );
      assert.deepEqual(wrong, []);
    });
  }

  it('with faults are noticed', () => {
    const faults = (from: string, to: string, language: Language, isCounted = false) =>
      faultsOf({ key: from, from, to }, language, isCounted);
    assert.deepEqual(faults('{0} of {1} files', 'Von {1} Dateien {0}', 'de'), []);
    assert.deepEqual(faults('{0} files', '{0} файл¦{0} файла¦{0} файлов', 'ru', true), []);
    for (const [from, to] of [
      ['{0} in {1}', '{0} darin'],
      ['in {0}', 'in {0} {1}'],
      ['See `#aside.baseUrl#`.', 'Siehe `#aside.base#`.'],
      ['**Open**', '**Öffnen'],
      ['$(add) New', '$(hinzu) Neu'],
      ['[a](command:x)', '[a](command:y)'],
      ['{0} files', '{0} Datei¦{0} Dateien'],
    ] as const)
      assert.notDeepEqual(faults(from, to, 'de'), [], to);
    assert.notDeepEqual(faults('{0} files', '{0} файл¦{0} файлов', 'ru', true), []);
    assert.notDeepEqual(faults('{0} files', '{0} 件¦{0} 件', 'ja', true), []);
  });
});

type Style = 'word' | 'title' | 'sentence' | 'inside';

/** Capitalization of a text: `Send without Tools` is a title, `Send without tools` a sentence. */
function styleOf(text: string): Style {
  const [first = '', ...others] = text.match(/[A-Za-z][\w']*/g) ?? [];
  if (/^[a-z]/.test(first)) return 'inside';
  if (others.length === 0) return 'word';
  return others.some((word) => /^[A-Z]/.test(word)) ? 'title' : 'sentence';
}

/** A text without differences that happen by accident: capital letters, contractions, punctuation. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll("can't", 'cannot')
    .replaceAll("n't", ' not')
    .replaceAll(/[^\p{L}\p{N}{}%+']+/gu, ' ')
    .trim();
}

import type { Language, Pair } from '../../support/translations.ts';

/** Patterns whose matches must be the same in a translation, in any order. */
const patterns: Readonly<Record<string, RegExp>> = {
  placeholders: /\{\d+\}/g,
  icons: /\$\([\w~-]+\)/g,
  settings: /#[\w.]+#/g,
  links: /\]\([^)]*\)|\bhttps?:\/\/(?:[\w./-]*\w)?/g,
  'code that is no prose': /`[^\s<`]+`/g,
  marks: /\*\*|`/g,
  'line breaks': /\n/g,
  'the name Aside': /\bAside\b|\baside\.\w+/g,
};

const separator = '¦';

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

/** Letters that every sentence in the language contains. */
const script: Partial<Record<Language, RegExp>> = {
  ru: /\p{Script=Cyrillic}/u,
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  ko: /\p{Script=Hangul}/u,
  'zh-cn': /\p{Script=Han}/u,
  'zh-tw': /\p{Script=Han}/u,
};

/** Faults of a translation as text; empty if it is usable. */
export function faultsOf(pair: Pair, language: Language, isCounted: boolean): readonly string[] {
  const forms = pair.to.split(separator);
  return [
    ...forms.flatMap((form) => formFaults(pair.from, form, language)),
    ...numberFaults(pair, forms, language, isCounted),
  ];
}

function formFaults(from: string, to: string, language: Language): readonly string[] {
  const different = Object.entries(patterns).filter(
    ([, pattern]) => matches(from, pattern) !== matches(to, pattern),
  );
  return [
    ...different.map(([what]) => `other ${what}`),
    ...(edges(from) === edges(to) ? [] : ['other spaces at the ends']),
    ...(endsOpen(from) === endsOpen(to) ? [] : ['“…” at the end only here or only there']),
    ...(/ {2}|\p{Cc}(?<!\n)|\p{Co}|\ufffd/u.test(to) ? ['two spaces or signs that are none'] : []),
    ...(figures(from).every((figure) => figures(to).includes(figure)) ? [] : ['other numbers']),
    ...(script[language]?.test(to) === false && hasProse(from) ? ['not in its script'] : []),
  ];
}

/** Matches in sorted order, which a language may change. Placeholders and names may be repeated. */
function matches(text: string, pattern: RegExp): string {
  const all = text.match(pattern) ?? [];
  return [...(isOnceEnough(pattern) ? new Set(all) : all)].sort().join(' ');
}

function isOnceEnough(pattern: RegExp): boolean {
  return pattern === patterns['placeholders'] || pattern === patterns['the name Aside'];
}

function edges(text: string): string {
  return `${/^\s*/.exec(text)?.[0]}|${/\s*$/.exec(text)?.[0]}`;
}

function endsOpen(text: string): boolean {
  return /…\s*$|……$/.test(text);
}

/** Numbers in the text, with the same separators for all languages. */
function figures(text: string): readonly string[] {
  const digits = text.replace(/\{\d+\}|`[^`]*`/g, ' ').replace(/(?<=\d)[.,\s](?=\d{3}(?!\d))/g, '');
  return (digits.match(/\d+(?:[.,]\d+)?/g) ?? []).map((figure) => figure.replace(',', '.'));
}

/** True if the text contains more than names, codes and units. */
function hasProse(text: string): boolean {
  return /[a-z]{2}.* [a-z]{3}|^[A-Z]?[a-z]{3,}$/.test(text.replace(/`[^`]*`|\{\d+\}/g, ''));
}

function numberFaults(
  { from, to }: Pair,
  forms: readonly string[],
  language: Language,
  isCounted: boolean,
): readonly string[] {
  if (!isCounted) return forms.length > 1 ? ['forms for numbers where none is counted'] : [];
  if (forms.length > 1)
    return forms.length === formsOf[language] ? [] : [`${forms.length} forms of a number`];
  // Russian words depend on a number only if they follow it.
  const agrees = language === 'ru' && /\{0\}[  ]\p{Script=Cyrillic}{3}/u.test(to);
  return agrees && from.includes('{0} ') ? ['one form of a number'] : [];
}

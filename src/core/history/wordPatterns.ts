/**
 * The patterns of a query: for the texts of a chat, and for its journal as it is stored. There,
 * texts are JSON strings, and a streamed text is cut between records.
 */
import { anyOf, composedForms, escapePattern, wordPattern } from '../conversation/findInTurns.ts';
import { truncateText } from '../support/text.ts';

/** Further characters of a query only count once a chat was read. */
const maxStoredLength = 100;

/** Markup that may stand between the words of a query besides white space. */
const marks = '*_~`';

/**
 * The pattern of a query in the texts of a chat: its words in any case, apart by white space or
 * marks of emphasis and code. Undefined if the query has no words.
 */
export function wordsPattern(query: string): RegExp | undefined {
  const words = wordsOf(query);
  if (words.length === 0) return undefined;
  // The gap is limited: a word of marks would else be searched again and again in a line of them.
  return new RegExp(words.map(wordPattern).join(`[\\s${marks}]{1,100}`), 'iu');
}

/**
 * Two patterns of a query for ripgrep, which searches across lines and ignores case: together they
 * find at least every journal with a text that fits {@link wordsPattern}.
 */
export interface StoredPatterns {
  /** The words in one record, or cut between two that follow each other: nearly as fast as a word. */
  readonly usual: string;
  /** The words wherever they were cut, with whatever between, and with needless escapes. */
  readonly any: string;
}

/** See {@link StoredPatterns}. The query has words. */
export function storedPatterns(query: string): StoredPatterns {
  const words = wordsOf(truncateText(query.trimStart(), maxStoredLength));
  return {
    usual: joined(words, storedCharacter, nextRecord),
    any: joined(words, cutCharacter, laterRecord),
  };
}

/** @param cut the pattern of where a text was cut between two records */
function joined(
  words: readonly string[],
  toPattern: (character: string) => string,
  cut: string,
): string {
  const patterns = words.map((word) =>
    anyOf(composedForms(word).map((form) => Array.from(form, toPattern).join(optional(cut)))),
  );
  return patterns.join(`(?:${storedGap}|${cut})+`);
}

/** From the end of a text in one record to its rest in the next one. */
const nextRecord = String.raw`","at":\d+\}\}\n\{"number":[^\n]*?"text":"`;
/** To its rest in any later one. */
const laterRecord = '"[,}](?s:.)*?"text":"';

function optional(pattern: string): string {
  return `(?:${pattern})?`;
}

/** White space and marks, also escaped. */
const storedGap = `(?:[\\s\\x{FEFF}*_~\\x60]|\\\\+(?:[nrtf]|u[0-9a-f]{4}))`;

/** A character in a JSON string, or in one inside another. */
function storedCharacter(character: string): string {
  if (character === '"') return '\\\\+"';
  if (character === '\\') return '\\\\+';
  const isEscaped = character < ' ' || /^[\ud800-\udfff]$/.test(character);
  return isEscaped ? `\\\\+(?:[bfnrt]|${escapesOf(character)})` : escapePattern(character);
}

/** The same also as a needless escape, and where the record ended inside the character. */
function cutCharacter(character: string): string {
  if (character === '/') return '\\\\*/';
  if (character.length === 1)
    return `(?:${storedCharacter(character)}|\\\\+${escapesOf(character)})`;
  const escaped = inAnyCase(character).map((one) =>
    one
      .split('')
      .map((half) => `\\\\+u${codeOf(half)}`)
      .join(optional(laterRecord)),
  );
  return anyOf([escapePattern(character), ...escaped]);
}

/** The escapes of a UTF-16 unit in any case. */
function escapesOf(unit: string): string {
  return `u${anyOf(inAnyCase(unit).map(codeOf))}`;
}

function codeOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, '0');
}

/** All letters that are the same but for their case: there are three of `σ`, two of them small. */
function inAnyCase(character: string): readonly string[] {
  const pattern = new RegExp(escapePattern(character), 'giu');
  const others = /\p{Changes_When_Casemapped}/u.test(character)
    ? (casedLetters().match(pattern) ?? [])
    : [];
  return [...new Set([character, ...others])];
}

/** The planes of Unicode with letters that have cases. */
const casedPlanes = 0x20000;

let knownLetters: string | undefined;

/** Every letter that has a case, in one text: searched with the flag that is also searched with. */
function casedLetters(): string {
  if (knownLetters !== undefined) return knownLetters;
  const all = Array.from({ length: casedPlanes }, (_, code) => String.fromCodePoint(code)).join('');
  return (knownLetters = (all.match(/\p{Changes_When_Casemapped}/gu) ?? []).join(''));
}

function wordsOf(query: string): readonly string[] {
  return query.split(/\s+/u).filter((word) => word !== '');
}

/**
 * The patterns of a query: for the texts of a chat, and for its journal as it is stored. There,
 * texts are JSON strings, and a streamed text is cut between records.
 */
import { anyOf, composedForms, escapePattern, wordPattern } from '../conversation/findInTurns.ts';
import { truncateText } from '../support/text.ts';

/**
 * Maximum number of characters of a query to find in journals. The rest is matched only in the
 * chats that are read.
 */
const maxStoredLength = 100;

/** Markup that may stand between the words of a query besides white space. */
const marks = '*_~`';

/**
 * The pattern of a query in the texts of a chat: its words in any case, separated by white space or
 * marks of emphasis and code. Undefined if the query has no words.
 */
export function wordsPattern(query: string): RegExp | undefined {
  const words = wordsOf(query);
  if (words.length === 0) return undefined;
  // The gap is limited: otherwise a word of marks would be searched repeatedly in a line of them.
  return new RegExp(words.map(wordPattern).join(`[\\s${marks}]{1,100}`), 'iu');
}

/**
 * Two patterns of a query for ripgrep, which searches across lines and ignores case. Together they
 * match at least every journal with a text that matches {@link wordsPattern}.
 */
export interface StoredPatterns {
  /** The words in one record, or cut between two consecutive ones. Nearly as fast as a single word. */
  readonly usual: string;
  /** The words with any text in between, and with unnecessary escapes. */
  readonly any: string;
}

/** See {@link StoredPatterns}. The query must have words. */
export function storedPatterns(query: string): StoredPatterns {
  const words = wordsOf(truncateText(query.trimStart(), maxStoredLength));
  return {
    usual: joined(words, storedCharacter, nextRecord),
    any: joined(words, cutCharacter, laterRecord),
  };
}

/** @param cut the pattern for a cut of a text between two records */
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

/** Matches from the end of a text in one record to its continuation in the next one. */
const nextRecord = String.raw`","at":\d+\}\}\n\{"number":[^\n]*?"text":"`;
/** Matches up to the continuation in any later record. */
const laterRecord = '"[,}](?s:.)*?"text":"';

function optional(pattern: string): string {
  return `(?:${pattern})?`;
}

/** White space and marks, with or without escapes. */
const storedGap = `(?:[\\s\\x{FEFF}*_~\\x60]|\\\\+(?:[nrtf]|u[0-9a-f]{4}))`;

/** A character in a JSON string, or in one inside another. */
function storedCharacter(character: string): string {
  if (character === '"') return '\\\\+"';
  if (character === '\\') return '\\\\+';
  const isEscaped = character < ' ' || /^[\ud800-\udfff]$/.test(character);
  return isEscaped ? `\\\\+(?:[bfnrt]|${escapesOf(character)})` : escapePattern(character);
}

/** A character, also as an unnecessary escape, and where the record ended inside it. */
function cutCharacter(character: string): string {
  if (character === '/') return '\\\\*/';
  if (character.length === 1)
    return `(?:${storedCharacter(character)}|\\\\+${escapesOf(character)})`;
  const escaped = inAnyCase(character).map((variant) =>
    variant
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

/** All letters that differ only in case: there are three of `σ`, two of them lower case. */
function inAnyCase(character: string): readonly string[] {
  const pattern = new RegExp(escapePattern(character), 'giu');
  const others = /\p{Changes_When_Casemapped}/u.test(character)
    ? (casedLetters().match(pattern) ?? [])
    : [];
  return [...new Set([character, ...others])];
}

/** End of the Unicode planes that have letters with case. */
const casedPlanes = 0x20000;

let knownLetters: string | undefined;

/** All letters with case in one text. Searching it ignores case just as the search itself does. */
function casedLetters(): string {
  if (knownLetters !== undefined) return knownLetters;
  const all = Array.from({ length: casedPlanes }, (_, code) => String.fromCodePoint(code)).join('');
  return (knownLetters = (all.match(/\p{Changes_When_Casemapped}/gu) ?? []).join(''));
}

function wordsOf(query: string): readonly string[] {
  return query.split(/\s+/u).filter((word) => word !== '');
}

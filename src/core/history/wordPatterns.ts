/**
 * Finds the words of a query: in the texts of a chat, and in its journal as it is stored. There,
 * texts are JSON strings, and a streamed text is cut between records.
 */
import { anyOf, composedForms, escapePattern, wordPattern } from '../conversation/findInTurns.ts';
import { oneLine, truncateText } from '../support/text.ts';
import {
  messagesOf,
  partText,
  type Conversation,
  type Turn,
} from '../conversation/conversation.ts';
import { turnsOfAllPaths } from '../conversation/paths.ts';
import { isObject, parseJson } from '../support/json.ts';

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

/** A match of a query in a chat. */
export interface FoundPlace {
  readonly turn: string;
  /** The line around the words, without invisible characters; cut if it is long. */
  readonly line: string;
}

/** Characters of the line before the words, and of all of it. */
const maxBefore = 40;
const maxLine = 160;

/** Characters that are searched without yielding, within a few milliseconds. */
const pieceLength = 1_000_000;

/** A match is at most this many times as long as its pattern, whose gaps are longer than they look. */
const mostOfPattern = 10;

/**
 * Returns the first place, on the chosen path before others, where a message, a reply, the name of a
 * file or a tool call fits the pattern. Yields every few milliseconds of work, so that the caller can
 * spread the search over time.
 * @param pattern of `wordsPattern`
 */
export function* findPlace(
  conversation: Conversation,
  pattern: RegExp,
): Generator<undefined, FoundPlace | undefined> {
  let searched = 0;
  for (const turn of turnsOfAllPaths(conversation))
    for (const text of textsOf(turn))
      for (let start = 0; start < text.length; start += pieceLength) {
        const end = start + pieceLength;
        const match = pattern.exec(text.slice(start, end + pattern.source.length * mostOfPattern));
        if (match !== null && match.index < pieceLength)
          return { turn: turn.id, line: lineAround(text, start + match.index, match[0].length) };
        searched += Math.min(pieceLength, text.length - start);
        if (searched < pieceLength) continue;
        searched = 0;
        yield;
      }
  return undefined;
}

function* textsOf({ question, parts, changes = [] }: Turn): Generator<string, void> {
  yield question.text;
  for (const { attachments } of messagesOf({ question, parts }))
    for (const { name, path } of attachments) yield `${path}\n${name}`;
  for (const part of parts)
    if (part.type === 'tool-call') {
      yield `${part.title ?? ''}\n${part.name}\n${part.arguments}`;
      yield* stringsIn(parseJson(part.arguments));
    } else yield partText(part);
  for (const { path } of changes) yield path;
}

/** The texts in the arguments of a call, before they were written as JSON. */
function* stringsIn(value: unknown): Generator<string, void> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* stringsIn(item);
  else if (isObject(value)) for (const field of Object.values(value)) yield* stringsIn(field);
}

function lineAround(text: string, at: number, length: number): string {
  const lineStart = text.lastIndexOf('\n', at) + 1;
  const lineEnd = text.indexOf('\n', at + length);
  const start = at - lineStart > maxBefore ? at - maxBefore : lineStart;
  const line = text.slice(
    start,
    Math.min(lineEnd < 0 ? text.length : lineEnd, start + maxLine * 2),
  );
  // The second half of a surrogate pair is dropped, too.
  return (start > lineStart ? '…' : '') + oneLine(line.replace(/^[\udc00-\udfff]/, ''), maxLine);
}

import type { Conversation, Part, Turn } from '../conversation/conversation.ts';
import { turnsOfAllPaths } from '../conversation/paths.ts';
import { isObject, parseJson } from '../support/json.ts';
import { oneLine } from '../support/text.ts';

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
  for (const { name, path } of question.attachments) yield `${path}\n${name}`;
  for (const part of parts) yield* textsOfPart(part);
  for (const { path } of changes) yield path;
}

function* textsOfPart(part: Part): Generator<string, void> {
  if (part.type !== 'tool-call') {
    yield part.text;
    return;
  }
  yield `${part.title ?? ''}\n${part.name}\n${part.arguments}`;
  yield* stringsIn(parseJson(part.arguments));
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

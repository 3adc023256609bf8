import fc from 'fast-check';
import type { ConversationEvent } from '../../src/core/conversation/events.ts';
import { writeEvent, writeHeader } from '../../src/core/conversation/record.ts';
import { turnStart, userMessage } from './turns.ts';

/** Characters that JSON escapes differently, or that a cut can split. */
const character = fc.constantFrom(
  ...['a', 'b', 'E', 'é', '検', '索', '😀', '"', '\\', '/', '.', '(', '$', '-', '#'],
  ...['ſ', 'K', 'ß', 'İ', '\u2028', '\u0007', '\ud83d'],
);
const word = fc.string({ unit: character, minLength: 1, maxLength: 6 });
const gap = fc.constantFrom(' ', '\n', '\r\n', '\t', '  ', ' **', '` ', '\u00a0', '\ufeff ');

/** Words as a query, and as they appear in a text. */
export const searchedWords = fc
  .array(fc.tuple(word, gap), { minLength: 1, maxLength: 4 })
  .map((pairs) => ({
    query: pairs.map(([text]) => text).join(' '),
    text: pairs
      .map(([word, after], index) => (index === pairs.length - 1 ? word : word + after))
      .join(''),
  }))
  // These characters count as white space, so they would split a word of the query.
  .filter(({ query }) => !/[\u2028\ufeff]/u.test(query));

/** Records that may separate two parts of a text. */
const between: readonly ConversationEvent[] = [
  { type: 'options-change', options: { temperature: 1, stop: ['"text":"'] } },
  { type: 'files-change', turn: 'turn', changes: [] },
  { type: 'request-start' },
];

/** A text in pieces, with the records after each. */
export interface CutText {
  readonly pieces: readonly string[];
  readonly after: readonly (readonly ConversationEvent[])[];
}

/** All ways to cut a text, as a connection may. */
export function cutsOf(text: string): fc.Arbitrary<CutText> {
  const at = fc.integer({ min: 0, max: text.length });
  return fc.array(at, { maxLength: 8 }).chain((offsets) => {
    const edges = [0, ...offsets.toSorted((a, b) => a - b), text.length];
    const pieces = edges.slice(1).map((end, index) => text.slice(edges[index], end));
    const events = fc.array(fc.constantFrom(...between), { maxLength: 2 });
    const after = fc.array(events, { minLength: pieces.length, maxLength: pieces.length });
    return after.map((all) => ({ pieces, after: all }));
  });
}

/** A journal with one turn, whose reply is stored in pieces. */
export function cutJournal(
  conversation: string,
  { pieces, after }: CutText,
  message = 'Why?',
): string {
  const events: ConversationEvent[] = [
    turnStart({ id: 'turn', question: userMessage(message), model: 'demo/m' }),
  ];
  pieces.forEach((text, index) => {
    events.push({ type: 'text-delta', text, at: index }, ...(after[index] ?? []));
  });
  events.push({ type: 'turn-end', status: 'finished', at: 9 });
  return journalOf(conversation, events);
}

/** A journal of events from one writer. */
export function journalOf(
  conversation: string,
  events: readonly ConversationEvent[],
  workspace = '',
): string {
  const lines = events.map((event, index) => writeEvent(event, index + 1, { writer: 'window' }));
  return writeHeader({ conversation, workspace, at: 1 }) + lines.join('');
}

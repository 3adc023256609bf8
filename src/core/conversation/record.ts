/**
 * The journal format of a conversation: a header line of JSON, then one line for each event. Each
 * line names its writer, since two windows of version 1.0 could write to one journal.
 */
import * as z from 'zod/mini';
import { parseJson } from '../support/json.ts';
import type { ConversationEvent } from './events.ts';
import { storedEvent } from './eventSchema.ts';

const version = 1;

const knownTypes: readonly string[] = storedEvent.def.options.flatMap(
  ({ shape }) => shape.type.def.values,
);

const lineOrigin = z.object({
  number: z.int().check(z.minimum(1)),
  /** Absent in lines of versions that recorded no writer. */
  writer: z.optional(z.string().check(z.minLength(1))),
  after: z.optional(z.object({ lines: z.record(z.string(), z.number()), damaged: z.number() })),
});
const eventLine = z.extend(lineOrigin, { event: storedEvent });
const word = z.string().check(z.regex(/^[a-z-]{3,40}$/));
const laterLine = z.extend(lineOrigin, {
  event: z.object({ type: word, event: z.optional(z.object({ type: word })) }),
});

export interface EventLine extends z.infer<typeof lineOrigin> {
  /** Undefined for an event of a later version. */
  readonly event: ConversationEvent | undefined;
}

/** The lines that a writer had read before it wrote its first. */
export interface JournalPosition {
  /**
   * The number of the last line by its writer; the writer is empty in versions that recorded none.
   * Includes other writers only if their lines overlap.
   */
  readonly lines: Readonly<Record<string, number>>;
  /** Number of damaged lines up to the position, which were backed up. */
  readonly damaged: number;
}

const journalHeader = z.object({
  version: z.literal(version),
  conversation: z.string().check(z.minLength(1)),
  /** The workspace in which the conversation was started; empty without one. */
  workspace: z.string(),
  at: z.number(),
});
type JournalHeader = Omit<z.infer<typeof journalHeader>, 'version'>;

const newerHeader = z.object({ version: z.number().check(z.minimum(version + 1)) });

/** True if a later version created the journal: it may be read but must not be written. */
export function isNewerVersion(text: string): boolean {
  return newerHeader.safeParse(parseJson(text.slice(0, text.indexOf('\n')))).success;
}

export function writeHeader(record: JournalHeader): string {
  return `${JSON.stringify({ version, ...record })}\n`;
}

export interface LineWriter {
  readonly writer: string;
  /** Only in the first line of a writer. */
  readonly after?: JournalPosition | undefined;
}

/** The line of one event. `number` counts the events of the journal from 1. */
export function writeEvent(event: ConversationEvent, number: number, by?: LineWriter): string {
  return `${JSON.stringify({ number, ...by, event })}\n`;
}

/** The content of a line; undefined if it is damaged or a header. */
export function readEvent(line: string): EventLine | undefined {
  const value = parseJson(line);
  const known = eventLine.safeParse(value).data;
  if (known !== undefined) return known;
  const later = laterLine.safeParse(value).data;
  if (later === undefined) return undefined;
  const { type, event } = later.event;
  return isLaterType(event?.type ?? type) ? { ...later, event: undefined } : undefined;
}

/**
 * True if a word names an event of a later version, rather than being a known one with a damaged
 * letter.
 */
function isLaterType(word: string): boolean {
  return knownTypes.every((type) => {
    if (type.length !== word.length) return type !== word;
    return Array.from(type, (letter, index) => letter !== word[index]).filter(Boolean).length > 1;
  });
}

/** The header of a journal; undefined if the line is damaged or an event. */
export function readHeader(line: string): JournalHeader | undefined {
  return journalHeader.safeParse(parseJson(line)).data;
}

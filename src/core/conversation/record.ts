/**
 * The journal format of a conversation: a header line of JSON, then one line for each event. Each
 * line names its writer, since two windows of version 1.0 could write to one journal.
 */
import * as z from 'zod/mini';
import { parseJson } from '../support/json.ts';
import type { ConversationEvent } from './events.ts';
import { storedEvent } from './conversationSchema.ts';

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

/** A line that was read, with the damage before it. */
export interface PlacedLine extends Omit<EventLine, 'writer'> {
  /** Empty in lines of versions that recorded no writer. */
  readonly writer: string;
  /**
   * Remains of damaged lines before this one. A line that is gone entirely leaves an empty text.
   */
  readonly lost: readonly string[];
  /** True if a skipped number is the only sign of a lost line. */
  readonly isGap?: boolean;
  readonly text: string;
}

type Receive = (line: PlacedLine) => void;

/**
 * Reads the lines of a journal, in any number of chunks of complete lines. Repeated lines are
 * skipped: after a failed write, lines are written again because it is unknown how much of them
 * reached the disk. The number alone does not identify a line, since it may be damaged, and two
 * windows may use the same number for different events.
 */
export class LineReader {
  /**
   * Checksums of each writer's lines by line number. The lines themselves would take too much
   * memory.
   */
  readonly #marks = new Map<string, Map<number, number>>();
  #damaged = 0;
  #lost: readonly string[] = [];
  #last: EventLine | undefined;

  get damaged(): number {
    return this.#damaged;
  }

  /** Remains of the damaged lines after the last readable one. */
  get lost(): readonly string[] {
    return this.#lost;
  }

  read(chunk: string, receive: Receive): void {
    for (const text of chunk.split('\n')) {
      if (text.trim() === '') continue;
      const line = readEvent(text);
      if (line !== undefined) this.#receive(line, text, receive);
      else if (readHeader(text) === undefined) this.#readDamaged(text, receive);
      else this.#lost = this.#lost.filter((part) => !isStartOf(part, text));
    }
  }

  /** Splits lines that were joined because a line break was damaged; some of them may be intact. */
  #readDamaged(text: string, receive: Receive): void {
    this.#damaged += 1;
    const pieces = text.split(lineStart).map((end, index) => (index === 0 ? end : lineStart + end));
    let previous: EventLine | undefined;
    for (const piece of pieces) {
      const whole = firstObject(piece);
      const line = readEvent(whole);
      const isWhole = line?.event !== undefined;
      if (isWhole && isGap(previous, line)) this.#lost = [...this.#lost, ''];
      if (isWhole) this.#receive(line, whole, receive);
      previous = line;
      const remaining = isWhole ? piece.slice(whole.length) : piece;
      const wasLineBreak =
        remaining === '' || (isWhole && remaining.length === 1 && remaining !== '}');
      if (!wasLineBreak) this.#lost = [...this.#lost, remaining];
    }
  }

  #receive(line: EventLine, text: string, receive: Receive): void {
    const { number, writer = '' } = line;
    const marks = this.#marks.get(writer) ?? new Map<number, number>();
    this.#marks.set(writer, marks);
    const mark = markOf(text);
    const isRepeated = marks.get(number) === mark;
    const last = this.#last;
    // No line can be missing between this one and the last readable one.
    const isNext =
      isRepeated ||
      (last === undefined
        ? number === 1 && line.after === undefined
        : last.writer === line.writer && !isGap(last, line));
    this.#lost = this.#lost.filter(
      (part) => !isStartOf(part, text) || !(isNext || part.includes(`"writer":"${writer}"`)),
    );
    if (isRepeated) return;
    marks.set(number, mark);
    // A line that is gone entirely leaves a gap in the numbers.
    const isGone = this.#lost.length === 0 && isGap(last, line);
    const lost = isGone ? [''] : this.#lost;
    this.#lost = [];
    this.#last = line;
    receive({ ...line, writer, lost, text, ...(isGone && { isGap: true }) });
  }
}

/**
 * True if a damaged line is the start of one that was written again, as after a full disk: then
 * nothing of it is lost. A disk counts bytes, so the cut may be within a character.
 */
function isStartOf(damaged: string, line: string): boolean {
  return line.startsWith(damaged.replace(/\ufffd+$/, ''));
}

/** True if lines are missing between two adjacent ones, or before the first. */
function isGap(previous: EventLine | undefined, line: EventLine): boolean {
  if (previous === undefined) return line.number > 1;
  if (previous.writer !== line.writer) return false;
  return line.number > previous.number + 1;
}

/** Start of every event's line. It can't occur within a text, whose quotes are escaped. */
const lineStart = '{"number":';

/** The JSON object at the start of a text; empty if it has no end. */
function firstObject(text: string): string {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString && character === '\\') index++;
    else if (character === '"') inString = !inString;
    else if (!inString && character === '{') depth++;
    else if (!inString && character === '}' && --depth === 0) return text.slice(0, index + 1);
  }
  return '';
}

/** Number of sampled characters of a line for its checksum. */
const markedCharacters = 256;

export function markOf(line: string): number {
  const step = Math.ceil(line.length / markedCharacters);
  let mark = line.length;
  for (let index = 0; index < line.length; index += step)
    mark = (Math.imul(mark, 31) + line.charCodeAt(index)) | 0;
  return mark;
}

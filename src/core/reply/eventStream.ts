import { createParser, type EventSourceMessage } from 'eventsource-parser';

const byteOrderMark = [0xef, 0xbb, 0xbf];

const colon = 0x3a;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Maximum length of an event in characters; limits the memory that a broken stream can use. */
const maxEventBytes = 16 * 1024 * 1024;

/** Allowance for the field name, and for characters counted at the boundaries of reads. */
const slack = 1024;

/** One Server-Sent Event with data. */
export type ServerEvent = Pick<EventSourceMessage, 'event' | 'data'>;

/** Lines that aren't fields of an event. */
export interface StrayLines {
  /** Number of lines that look like damaged fields: part of the stream may be missing. */
  readonly damaged: number;
  /** Their beginnings: a server that aborts may state why in plain text. */
  readonly words: string;
}

/** Maximum number of characters of stray text that is stored. */
const maxWords = 2000;

/**
 * Parses bytes into Server-Sent Events as in the WHATWG standard, with one difference: an event at
 * the end of the stream is delivered even without a blank line after it.
 */
export class EventStream {
  readonly #decoder = new TextDecoder();
  #events: ServerEvent[] = [];
  #overflown = false;
  readonly #parser = createParser({
    maxBufferSize: maxEventBytes + slack,
    onEvent: (event) => this.#receive(event),
    onError: ({ type, line }) => {
      if (type === 'max-buffer-size-exceeded') this.#overflown = true;
      else if (type === 'unknown-field' && line !== undefined) this.#addStray(line);
    },
  });
  #damaged = 0;
  #words = '';
  /** True if `[DONE]` was received; later lines are ignored. */
  #done = false;
  /** True at the end of the data, whose last line may be incomplete. */
  #ending = false;
  /** True if the last read ended with CR, so that LF may follow. */
  #afterCarriageReturn = false;

  /** True after an event exceeded the limit; later events are ignored. */
  get overflown(): boolean {
    return this.#overflown;
  }

  get strayLines(): StrayLines {
    return { damaged: this.#damaged, words: this.#words };
  }

  feed(bytes: Uint8Array): readonly ServerEvent[] {
    return this.#parse(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Returns the events that are completed by the end of the stream. */
  end(): readonly ServerEvent[] {
    this.#ending = true;
    return this.#parse(`${this.#decoder.decode()}\n\n`);
  }

  #parse(text: string): readonly ServerEvent[] {
    if (!this.#overflown) this.#parser.feed(this.#withLineFeeds(text));
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Removes CR. The parser would search for it from each line to the end, in quadratic time. */
  #withLineFeeds(text: string): string {
    const continuation = this.#afterCarriageReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.#afterCarriageReturn = text.endsWith('\r');
    return continuation.includes('\r') ? continuation.replace(/\r\n?/g, '\n') : continuation;
  }

  #addStray(line: string): void {
    if (this.#done) return;
    if (this.#ending && knownFields.some((field) => field.startsWith(line))) return;
    const name = line.slice(0, maxFieldName).split(':', 1)[0] ?? '';
    if (name.trim() === '') return;
    const hasJson = /^\s*[[{]/.test(line.slice(name.length + 1, name.length + maxFieldName));
    const isField = /^[\w-]+$/.test(name) && !/^data|err|fail/i.test(name) && !hasJson;
    // The last line may be plain text rather than part of the stream.
    if (!isField && (!this.#ending || /^\W*data/i.test(name))) this.#damaged += 1;
    if (isField && line.length > name.length) return;
    if (this.#words.length < maxWords) this.#words += `${line.slice(0, maxWords)}\n`;
  }

  #receive(event: ServerEvent): void {
    if (event.data.length > maxEventBytes) this.#overflown = true;
    else if (!this.#overflown) this.#events.push(event);
    if (isDone(event.data)) this.#done = true;
  }
}

/** True if the data of an event marks the end of the stream (section 4.1, rule 2). */
export function isDone(data: string): boolean {
  return data.length < 16 && data.trim().toUpperCase() === '[DONE]';
}

const knownFields = ['data:', 'event:', 'retry:', 'id:'];

/** Maximum number of characters of a field name. */
const maxFieldName = 32;

/**
 * Skips leading white space and event stream comments. Only the colon of an unfinished comment
 * remains, which is enough to parse what follows.
 */
export function withoutComments(bytes: Uint8Array): Uint8Array {
  for (let remaining = bytes; ;) {
    const start = remaining.findIndex((byte) => byte > 0x20 && !byteOrderMark.includes(byte));
    if (start < 0) return remaining.subarray(remaining.length);
    remaining = remaining.subarray(start);
    if (remaining[0] !== colon) return remaining;
    const end = remaining.findIndex((byte) => byte === lineFeed || byte === carriageReturn);
    if (end < 0) return remaining.subarray(0, 1);
    remaining = remaining.subarray(end);
  }
}

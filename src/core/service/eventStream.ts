import { createParser, type EventSourceMessage } from 'eventsource-parser';

const byteOrderMark = [0xef, 0xbb, 0xbf];

const colon = 0x3a;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Maximum length of an event in characters; limits the memory that a broken stream can use. */
const maxEventBytes = 16 * 1024 * 1024;

/** Allowance for the field name, and for characters that are counted at the edges of reads. */
const slack = 1024;

/** One Server-Sent Event with data. */
export type ServerEvent = Pick<EventSourceMessage, 'event' | 'data'>;

/**
 * Parses bytes into Server-Sent Events as in the WHATWG standard, with one difference: an event at
 * the end of the stream is delivered even without a blank line after it, so that no text is lost.
 */
export class EventStream {
  readonly #decoder = new TextDecoder();
  #events: ServerEvent[] = [];
  #overflown = false;
  readonly #parser = createParser({
    maxBufferSize: maxEventBytes + slack,
    onEvent: (event) => this.#receive(event),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') this.#overflown = true;
    },
  });

  /** True after an event that was too long; later events are ignored. */
  get overflown(): boolean {
    return this.#overflown;
  }

  feed(bytes: Uint8Array): readonly ServerEvent[] {
    return this.#parse(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Returns the events that are completed by the end of the stream. */
  end(): readonly ServerEvent[] {
    return this.#parse(`${this.#decoder.decode()}\n\n`);
  }

  #parse(text: string): readonly ServerEvent[] {
    if (!this.#overflown) this.#parser.feed(text);
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #receive(event: ServerEvent): void {
    if (event.data.length > maxEventBytes) this.#overflown = true;
    else if (!this.#overflown) this.#events.push(event);
  }
}

/**
 * Skips leading white space and event stream comments. Of an unfinished comment only the colon
 * remains, however long it is: that is enough to parse what follows.
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

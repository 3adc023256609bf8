import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** The longest event that is read, in characters: bounds what a broken stream can take of memory. */
const maxEventBytes = 16 * 1024 * 1024;

/** Room for the field name and for counting characters at the edges of reads. */
const slack = 1024;

/** One Server-Sent Event with data. */
export type ServerEvent = Pick<EventSourceMessage, 'event' | 'data'>;

/**
 * Bytes to Server-Sent Events, as in the WHATWG standard, with one departure: what stands at the
 * end of the stream without a blank line after it is delivered too, so that no text is lost.
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

  /** True once an event was too long; nothing is read after it. */
  get overflown(): boolean {
    return this.#overflown;
  }

  feed(bytes: Uint8Array): readonly ServerEvent[] {
    return this.#parse(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The events that the end of the stream completes. */
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

const byteOrderMark = [0xef, 0xbb, 0xbf];

/**
 * The bytes from the first on that are neither white space nor a comment of a stream. Of a comment
 * that has not ended yet only the colon is left, however long it is: no more is needed to tell what
 * follows.
 */
export function withoutComments(bytes: Uint8Array): Uint8Array {
  for (let rest = bytes; ;) {
    const start = rest.findIndex((byte) => byte > 0x20 && !byteOrderMark.includes(byte));
    if (start < 0) return rest.subarray(rest.length);
    rest = rest.subarray(start);
    if (rest[0] !== colon) return rest;
    const end = rest.findIndex((byte) => byte === lineFeed || byte === carriageReturn);
    if (end < 0) return rest.subarray(0, 1);
    rest = rest.subarray(end);
  }
}

const colon = 0x3a;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

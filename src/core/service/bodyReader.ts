import { sleep } from '../support/async.ts';
import { background, markHandled, orUndefined } from '../support/background.ts';
import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/event.ts';
import { JsonScanner } from '../support/json.ts';
import { withoutComments } from '../reply/eventStream.ts';
import type { IdleTimeout } from './idleTimeout.ts';
import { ResponseEnd } from '../reply/replyEnd.ts';

/** Maximum time, in milliseconds, for the rest of a finished body. */
const drainLimit = 1000;

/** Maximum wait, in milliseconds, for optional data. */
const deadlineLimit = 5000;

/** Maximum number of bytes per read, so that processing one piece does not block for long. */
const maxPieceBytes = 64 * 1024;

/** Milliseconds of uninterrupted work after which the reader yields to the event loop. */
const maxUninterruptedWork = 8;

type Read = ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>;

/** Maximum number of reads that are asked of the platform in advance. */
const readsAhead = 16;

/**
 * Reads a body piece by piece. Each wait is limited, see {@link IdleTimeout.wait}. However fast the
 * data arrives, the reader yields to the event loop every few milliseconds of work. It reads ahead,
 * since a connection that breaks takes with it what has arrived but wasn't asked for.
 */
export class BodyReader implements Disposable {
  readonly #source: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #reads: Read[] = [];
  readonly #idleTimeout: IdleTimeout;
  readonly #clock: Clock;
  #unread: Uint8Array = new Uint8Array();
  #worked = 0;
  #workingSince: number;
  #draining = false;

  constructor(body: ReadableStream<Uint8Array> | null, idleTimeout: IdleTimeout, clock: Clock) {
    this.#source = body?.getReader();
    this.#idleTimeout = idleTimeout;
    this.#clock = clock;
    this.#workingSince = clock.monotonic();
    this.#readAhead();
  }

  /**
   * Reads the first significant bytes, enough to detect the format of the body. Skips comments of
   * an event stream, which only keep the connection alive. Empty if the body contains nothing else.
   */
  async readStart(): Promise<Uint8Array> {
    let start: Uint8Array = new Uint8Array();
    while (start.length < 8) {
      const more = await this.read();
      if (more === undefined) break;
      start = withoutComments(concat(start, more));
    }
    return start;
  }

  async read(): Promise<Uint8Array | undefined> {
    await this.#yieldToEventLoop();
    if (this.#unread.length === 0) this.#unread = (await this.#readSource()) ?? this.#unread;
    this.#workingSince = this.#clock.monotonic();
    const piece = this.#unread.subarray(0, maxPieceBytes);
    this.#unread = this.#unread.subarray(maxPieceBytes);
    return piece.length > 0 ? piece : undefined;
  }

  /** Makes the remaining data optional: from now on, reading waits only a few seconds for it. */
  setDeadline(): void {
    this.#idleTimeout.setDeadline(deadlineLimit);
  }

  /**
   * From now on, data doesn't reset the idle timeout unless this or {@link clearDeadline} is
   * called.
   */
  ignoreData(): void {
    this.#idleTimeout.setDeadline();
  }

  /** Removes the deadline: more data may follow at any time. */
  clearDeadline(): void {
    this.#idleTimeout.setDeadline(Infinity);
  }

  /**
   * Reads and discards the rest of a finished body in the background, if it is short, so that the
   * connection can be reused.
   */
  drain(): void {
    this.#draining = true;
    const timeout = this.#clock.after(drainLimit, () => this.#cancel());
    background(orUndefined(this.#readRest()).finally(() => timeout.dispose()));
  }

  dispose(): void {
    if (!this.#draining) this.#cancel();
  }

  /** Yields to the event loop after several milliseconds of work. */
  async #yieldToEventLoop(): Promise<void> {
    this.#worked += this.#clock.monotonic() - this.#workingSince;
    if (this.#worked < maxUninterruptedWork) return;
    this.#worked = 0;
    await this.#idleTimeout.wait(sleep(this.#clock, 0));
  }

  async #readRest(): Promise<void> {
    for (let size = 0; size <= maxPieceBytes;) {
      const { done, value } = await this.#nextRead();
      if (done) return;
      size += value.length;
    }
    this.#cancel();
  }

  async #readSource(): Promise<Uint8Array | undefined> {
    for (;;) {
      const { done, value } = await this.#idleTimeout.wait(this.#nextRead());
      if (done || value.length > 0) return value;
    }
  }

  #nextRead(): Read {
    const [next = Promise.resolve({ done: true, value: undefined })] = this.#reads.splice(0, 1);
    this.#readAhead();
    return next;
  }

  #readAhead(): void {
    if (this.#source === undefined) return;
    while (this.#reads.length < readsAhead) {
      const read = this.#source.read();
      // A failure is reported to whoever takes this read, if anybody does.
      markHandled(read);
      this.#reads.push(read);
    }
  }

  #cancel(): void {
    // A rejection only means that the body was already broken.
    if (this.#source !== undefined) markHandled(this.#source.cancel());
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

export interface BodyText {
  readonly text: string;
  /** Where the body ended: after the text or in the middle of it. */
  readonly end: ResponseEnd;
}

/**
 * Reads the rest of a body as text, up to about `limit` bytes. Stops after a complete JSON value.
 */
export async function readText(
  first: Uint8Array,
  reader: BodyReader,
  limit: number,
): Promise<BodyText> {
  const decoder = new TextDecoder();
  const json = new JsonEnd();
  let text = '';
  try {
    let bytes: Uint8Array | undefined = first;
    for (let size = 0; size < limit; bytes = await reader.read()) {
      if (bytes === undefined) {
        return { text: text + decoder.decode(), end: new ResponseEnd('closed') };
      }
      size += bytes.length;
      const piece = decoder.decode(bytes, { stream: true });
      text += piece;
      if (json.follows(piece)) return { text, end: new ResponseEnd('closed') };
    }
    return { text, end: new ResponseEnd('oversized') };
  } catch (error) {
    if (!(error instanceof ResponseEnd)) throw error;
    return { text, end: error };
  }
}

class JsonEnd {
  /** Undefined before the first visible character; null if the text isn't JSON. */
  #scanner: JsonScanner | null | undefined;

  /** Adds the next piece; true if it completes the value. */
  follows(piece: string): boolean {
    if (this.#scanner === undefined && piece.trim() !== '') {
      this.#scanner = /^\s*[[{]/.test(piece) ? new JsonScanner() : null;
    }
    this.#scanner?.add(piece);
    return this.#scanner?.isClosed === true;
  }
}

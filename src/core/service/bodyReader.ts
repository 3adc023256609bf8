import { sleep } from '../support/async.ts';
import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/event.ts';
import { ServiceError } from './errors.ts';
import { withoutComments } from './eventStream.ts';
import type { IdleTimeout } from './idleTimeout.ts';

/** How long, in milliseconds, the rest of a finished body may take. */
const drainLimit = 1000;

/** How long, in milliseconds, is waited for something that can be done without. */
const deadlineLimit = 5000;

/** How many bytes are handed on at a time: what is made of them must not take long. */
const maxPieceBytes = 64 * 1024;

/** How many milliseconds of work may follow on each other before others have a turn. */
const maxWorkMilliseconds = 8;

/**
 * Reads a body piece by piece. Each read is guarded, see {@link WaitGuard.wait}. However fast bytes
 * come, the event loop has a turn every few milliseconds of the work that they make.
 */
export class BodyReader implements Disposable {
  readonly #source: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #idleTimeout: IdleTimeout;
  readonly #clock: Clock;
  #rest: Uint8Array = new Uint8Array();
  #worked = 0;
  #workingSince: number;
  #draining = false;

  constructor(body: ReadableStream<Uint8Array> | null, idleTimeout: IdleTimeout, clock: Clock) {
    this.#source = body?.getReader();
    this.#idleTimeout = idleTimeout;
    this.#clock = clock;
    this.#workingSince = clock.monotonic();
  }

  /**
   * The first bytes that say something, enough of them to tell what the body is. Comments of a
   * stream say no more than that the service is there. Empty where nothing but them came.
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

  /** The next bytes, never none; undefined at the end. */
  async read(): Promise<Uint8Array | undefined> {
    await this.#yieldToEventLoop();
    if (this.#rest.length === 0) this.#rest = (await this.#readSource()) ?? this.#rest;
    this.#workingSince = this.#clock.monotonic();
    const piece = this.#rest.subarray(0, maxPieceBytes);
    this.#rest = this.#rest.subarray(maxPieceBytes);
    return piece.length > 0 ? piece : undefined;
  }

  /** What follows may be missing: from now on it is not waited for longer than a few seconds. */
  setDeadline(): void {
    this.#idleTimeout.setDeadline(deadlineLimit);
  }

  /**
   * Lets the rest of a body that has said its end arrive, for a moment and unseen, if it is little:
   * a connection whose body was read to the end can be used again.
   */
  drain(): void {
    this.#draining = true;
    const giveUp = this.#clock.after(drainLimit, () => this.#cancel());
    this.#readRest()
      .catch(() => undefined)
      .finally(() => giveUp.dispose());
  }

  dispose(): void {
    if (!this.#draining) this.#cancel();
  }

  /** Lets the event loop turn where what was read of late made much work. */
  async #yieldToEventLoop(): Promise<void> {
    this.#worked += this.#clock.monotonic() - this.#workingSince;
    if (this.#worked < maxWorkMilliseconds) return;
    this.#worked = 0;
    await this.#idleTimeout.wait(sleep(this.#clock, 0), 'The pause broke');
  }

  async #readRest(): Promise<void> {
    for (let size = 0; size <= maxPieceBytes;) {
      const { done, value } = (await this.#source?.read()) ?? { done: true, value: undefined };
      if (done) return;
      size += value.length;
    }
    this.#cancel();
  }

  async #readSource(): Promise<Uint8Array | undefined> {
    if (this.#source === undefined) return undefined;
    for (;;) {
      const { done, value } = await this.#idleTimeout.wait(
        this.#source.read(),
        'The connection broke',
      );
      if (done || value.length > 0) return value;
    }
  }

  #cancel(): void {
    // The rejection only says that the body was broken already.
    this.#source?.cancel().catch(() => undefined);
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** A body as text, as far as it came. */
export interface BodyText {
  readonly text: string;
  /** Why there is no more of it; undefined where it came to its end. */
  readonly broken: ServiceError | undefined;
}

/** The rest of a body as text, at most about `limit` bytes of it. */
export async function readText(
  first: Uint8Array,
  reader: BodyReader,
  limit: number,
): Promise<BodyText> {
  const decoder = new TextDecoder();
  let text = decoder.decode(first, { stream: true });
  try {
    for (let size = first.length; size < limit;) {
      const bytes = await reader.read();
      if (bytes === undefined) return { text: text + decoder.decode(), broken: undefined };
      size += bytes.length;
      text += decoder.decode(bytes, { stream: true });
    }
    return { text, broken: new ServiceError('cut', `The body is longer than ${limit} bytes`) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { text, broken: error };
  }
}

import { abortError } from '../support/abort.ts';
import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/disposable.ts';
import { ServiceError } from './errors.ts';

/** How long, in milliseconds, the rest of a finished body may take. */
const drainLimit = 1000;

/**
 * Reads a body piece by piece. A read that takes longer than the limit rejects with `timeout`, a
 * broken connection with `network`, an aborted signal with its reason at once, whatever the
 * platform's stream does.
 */
export class BodyReader implements Disposable {
  readonly #source: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #clock: Clock;
  readonly #silenceLimit: number;
  readonly #signal: AbortSignal;
  readonly #stop = (): void => this.#reject?.(abortError(this.#signal));
  #reject: ((error: unknown) => void) | undefined;
  #timer: Disposable | undefined;
  #readSince = 0;
  #draining = false;

  constructor(
    body: ReadableStream<Uint8Array> | null,
    clock: Clock,
    silenceLimit: number,
    signal: AbortSignal,
  ) {
    this.#source = body?.getReader();
    this.#clock = clock;
    this.#silenceLimit = silenceLimit;
    this.#signal = signal;
    signal.addEventListener('abort', this.#stop, { once: true });
  }

  /** The first bytes, enough of them to tell what the body is; empty for an empty body. */
  async readStart(): Promise<Uint8Array> {
    let start = (await this.read()) ?? new Uint8Array();
    while (start.length < 8) {
      const more = await this.read();
      if (more === undefined) break;
      start = concat(start, more);
    }
    return start;
  }

  /** The next bytes, never none; undefined at the end. */
  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const bytes = await this.#readOnce();
      if (bytes === undefined || bytes.length > 0) return bytes;
    }
  }

  /**
   * Lets the rest of a body that has said its end arrive, for a moment and unseen: a connection
   * whose body was read to the end can be used again.
   */
  drain(): void {
    this.#draining = true;
    const giveUp = this.#clock.after(drainLimit, () => this.#cancel());
    const next = async (): Promise<void> => {
      while (this.#source !== undefined && !(await this.#source.read()).done);
    };
    next()
      .catch(() => undefined)
      .finally(() => giveUp.dispose());
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#signal.removeEventListener('abort', this.#stop);
    if (!this.#draining) this.#cancel();
  }

  #cancel(): void {
    // The rejection only says that the body was broken already.
    this.#source?.cancel().catch(() => undefined);
  }

  #readOnce(): Promise<Uint8Array | undefined> {
    if (this.#signal.aborted) return Promise.reject(abortError(this.#signal));
    const source = this.#source;
    if (source === undefined) return Promise.resolve(undefined);
    this.#watch();
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      source.read().then(
        (result) => resolve(result.done ? undefined : result.value),
        (cause: unknown) =>
          reject(
            this.#signal.aborted
              ? abortError(this.#signal)
              : new ServiceError('network', 'The connection broke', { cause }),
          ),
      );
    });
  }

  /** One timer for many reads: it looks how long the latest read has waited, and sets itself anew. */
  #watch(): void {
    this.#readSince = this.#clock.monotonic();
    this.#timer ??= this.#clock.after(this.#silenceLimit, this.#checkSilence);
  }

  readonly #checkSilence = (): void => {
    const left = this.#readSince + this.#silenceLimit - this.#clock.monotonic();
    if (left > 0) {
      this.#timer = this.#clock.after(left, this.#checkSilence);
      return;
    }
    this.#timer = undefined;
    this.#reject?.(new ServiceError('timeout', 'Nothing came for too long'));
  };
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** The rest of a body as text, at most about `limit` bytes of it. */
export async function readText(
  first: Uint8Array,
  reader: BodyReader,
  limit: number,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = decoder.decode(first, { stream: true });
  for (let size = first.length; size < limit;) {
    const bytes = await reader.read();
    if (bytes === undefined) break;
    size += bytes.length;
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

import { abortError } from '../support/abort.ts';
import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/disposable.ts';
import { ServiceError } from './errors.ts';

/**
 * Guards the waits of one request: each ends when the person stops it, or when nothing came for too
 * long, whatever the platform's `fetch` does with its signal. One wait at a time.
 */
export class WaitGuard implements Disposable {
  readonly #abort = new AbortController();
  readonly #outer: AbortSignal;
  readonly #clock: Clock;
  #silenceLimit: number;
  readonly #stop = (): void => this.#interrupt(abortError(this.#outer));
  #reason: Error | undefined;
  #reject: ((reason: Error) => void) | undefined;
  #timer: Disposable | undefined;
  #waitingSince = 0;

  constructor(outer: AbortSignal, clock: Clock, silenceLimit: number) {
    this.#outer = outer;
    this.#clock = clock;
    this.#silenceLimit = silenceLimit;
    if (outer.aborted) this.#stop();
    else outer.addEventListener('abort', this.#stop, { once: true });
  }

  /** For `fetch`: aborts when a wait was interrupted, and when the request is given up. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * The promise, unless it is interrupted before. Where it rejects by itself, that is a `network`
   * error with these words; silence is `timeout`; an aborted signal rejects with its reason.
   */
  wait<T>(promise: Promise<T>, failure: string): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      this.#watch();
      promise.then(resolve, (cause: unknown) =>
        reject(this.#reason ?? new ServiceError('network', failure, { cause })),
      );
      if (this.#reason !== undefined) reject(this.#reason);
    });
  }

  /** From now on waits are shorter: what follows is good to have, and nothing to wait long for. */
  hurry(silenceLimit: number): void {
    if (silenceLimit >= this.#silenceLimit) return;
    this.#silenceLimit = silenceLimit;
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  /** Ends the request, if it still goes on. */
  giveUp(): void {
    this.#abort.abort();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#outer.removeEventListener('abort', this.#stop);
  }

  #interrupt(reason: Error): void {
    this.#reason = reason;
    this.#abort.abort(reason);
    this.#reject?.(reason);
  }

  /** One timer for many waits: it looks how long the latest one lasts, and sets itself anew. */
  #watch(): void {
    this.#waitingSince = this.#clock.monotonic();
    this.#timer ??= this.#clock.after(this.#silenceLimit, this.#checkSilence);
  }

  readonly #checkSilence = (): void => {
    const left = this.#waitingSince + this.#silenceLimit - this.#clock.monotonic();
    this.#timer = left > 0 ? this.#clock.after(left, this.#checkSilence) : undefined;
    if (left <= 0) this.#interrupt(new ServiceError('timeout', 'Nothing came for too long'));
  };
}

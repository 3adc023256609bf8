import type { Retry } from '../../core/conversation/conversation.ts';

/** The clock of the host, which may differ from the one of the page. */
export class HostClock {
  /** Milliseconds by which the host's clock is ahead. */
  #offset = 0;
  /** Start of each retry, in milliseconds of `performance.now()`. */
  readonly #retryTimes = new WeakMap<Retry, number>();

  /** @param now by the host's clock, in milliseconds since the Unix epoch */
  set(now: number): void {
    this.#offset = now - Date.now();
  }

  now(): number {
    return Date.now() + this.#offset;
  }

  /** Milliseconds until a request is sent again, unaffected by changes of the system clock. */
  untilRetry(retry: Retry): number {
    const time = performance.now();
    const end = this.#retryTimes.get(retry) ?? time + retry.resumeAt - this.now();
    this.#retryTimes.set(retry, end);
    return Math.max(0, end - time);
  }
}

import { abortError } from '../support/async.ts';
import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/event.ts';
import { ResponseEnd, type Ended } from '../reply/replyEnd.ts';
import { isUnreadable } from './retry.ts';

/** A timer that fires later than this, in milliseconds, was delayed, usually by sleep. */
const maxTimerDelay = 1000;

/**
 * Idle limit in milliseconds after such a delay: data that arrived in the meantime is available
 * immediately.
 */
const limitAfterDelay = 5000;

/**
 * Limits the waits of one request: each ends when the signal aborts, or when no data was received
 * for too long, even if the platform's `fetch` ignores its signal. One wait at a time. The wall
 * clock, which can change, isn't used: sleep is detected by delayed timers.
 */
export class IdleTimeout implements Disposable {
  readonly #abort = new AbortController();
  readonly #outer: AbortSignal;
  readonly #clock: Clock;
  readonly #silenceLimit: number;
  readonly #stop = (): void => this.#interrupt(abortError(this.#outer));
  #reason: Error | undefined;
  #reject: ((reason: Error) => void) | undefined;
  #timer: Disposable | undefined;
  /** Time at which the timer is due. All times are on the monotonic clock. */
  #due = 0;
  #waitingSince = 0;
  /** End of the last wait; stored only while there is a deadline. */
  #waitedUntil = 0;
  #delayedUntil = -Infinity;
  /** True if the limit of the current wait has passed. */
  #isOver = false;
  #deadline = Infinity;
  #endAtDeadline: Ended = 'quiet';

  constructor(outer: AbortSignal, clock: Clock, silenceLimit: number) {
    this.#outer = outer;
    this.#clock = clock;
    this.#silenceLimit = silenceLimit;
    if (outer.aborted) this.#stop();
    else outer.addEventListener('abort', this.#stop, { once: true });
  }

  /** Signal for `fetch`: aborts when a wait was interrupted, and when the request is canceled. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * Waits for a promise until it settles or is interrupted. A rejection of the promise, and
   * silence, become a {@link ResponseEnd}; an aborted signal rejects with its reason.
   */
  wait<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      const now = this.#clock.monotonic();
      // Time that the reader used for processing isn't time without data.
      if (this.#deadline < Infinity) this.#deadline += now - this.#waitedUntil;
      this.#waitingSince = now;
      this.#isOver = false;
      // A timer that is overdue here was delayed by the reader, not by sleep.
      if (this.#due < now) this.#stopTimer();
      if (this.#timer === undefined) this.#schedule();
      promise.then(
        (value) => {
          this.#end();
          resolve(value);
        },
        (cause: unknown) => {
          this.#end();
          const ended = isUnreadable(cause) ? 'unreadable' : 'broken';
          reject(this.#reason ?? new ResponseEnd(ended, cause));
        },
      );
      if (this.#reason !== undefined) reject(this.#reason);
    });
  }

  /**
   * Makes further data optional: waits end after this many milliseconds of waiting, however much
   * arrives. Infinity removes the deadline. Without a number, data no longer resets the idle
   * timeout.
   */
  setDeadline(milliseconds?: number): void {
    this.#waitedUntil = this.#clock.monotonic();
    this.#deadline = this.#waitedUntil + (milliseconds ?? this.#silenceLimit);
    this.#endAtDeadline = milliseconds === undefined ? 'silent' : 'quiet';
    this.#stopTimer();
    if (this.#reject !== undefined) this.#schedule();
  }

  /** Aborts the request if it is still running. */
  cancel(): void {
    this.#abort.abort();
  }

  dispose(): void {
    this.#stopTimer();
    this.#outer.removeEventListener('abort', this.#stop);
  }

  #end(): void {
    this.#reject = undefined;
    if (this.#deadline < Infinity) this.#waitedUntil = this.#clock.monotonic();
  }

  #stopTimer(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #interrupt(reason: Error): void {
    this.#reason = reason;
    this.#abort.abort(reason);
    this.#reject?.(reason);
  }

  get #wasDelayed(): boolean {
    return this.#delayedUntil >= this.#waitingSince;
  }

  get #limit(): number {
    const idleLimit = this.#wasDelayed
      ? this.#delayedUntil + limitAfterDelay
      : this.#waitingSince + this.#silenceLimit;
    return Math.min(idleLimit, this.#deadline);
  }

  /**
   * Schedules one timer for many waits: when it fires, it checks the limit of the current wait and
   * is rescheduled.
   */
  #schedule(): void {
    this.#due = this.#limit;
    this.#timer = this.#clock.after(this.#due - this.#clock.monotonic(), this.#check);
  }

  readonly #check = (): void => {
    const now = this.#clock.monotonic();
    this.#timer = undefined;
    if (now > this.#due + maxTimerDelay) this.#delayedUntil = now;
    // No timeout between two waits: there may be data that has not been read yet.
    if (this.#reject === undefined) return;
    if (now < this.#limit) this.#schedule();
    else if (this.#isOver) this.#interrupt(this.#silence(now));
    else {
      this.#isOver = true;
      this.#due = now;
      this.#timer = this.#clock.after(0, this.#check);
    }
  };

  #silence(now: number): ResponseEnd {
    if (this.#wasDelayed) return new ResponseEnd('asleep');
    return new ResponseEnd(now >= this.#deadline ? this.#endAtDeadline : 'silent');
  }
}

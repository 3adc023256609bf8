import type { Clock } from '../support/clock.ts';
import type { ServiceError } from '../reply/errors.ts';

/**
 * A wait that a service demands: its end on the monotonic clock, and the refusal that started it.
 */
interface CoolDown {
  readonly until: number;
  readonly error: ServiceError;
}

/** Shorter waits, in milliseconds, are skipped: timers are less precise. */
const minWait = 20;

/** The waits that services demand by status 429, by origin. All requests of a window share them. */
export class CoolDowns {
  readonly #clock: Clock;
  readonly #byOrigin = new Map<string, CoolDown>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called when a request was refused and waits for `delay` milliseconds. */
  note(origin: string, error: ServiceError, delay: number): void {
    if (error.kind !== 'rate-limited') return;
    const until = this.#clock.monotonic() + delay;
    if (until > (this.#byOrigin.get(origin)?.until ?? -Infinity))
      this.#byOrigin.set(origin, { until, error });
  }

  /** The remaining wait of requests to an origin in milliseconds; undefined if there is none. */
  remaining(origin: string): { readonly delay: number; readonly error: ServiceError } | undefined {
    const coolDown = this.#byOrigin.get(origin);
    if (coolDown === undefined) return undefined;
    const delay = coolDown.until - this.#clock.monotonic();
    if (delay >= minWait) return { delay, error: coolDown.error };
    this.#byOrigin.delete(origin);
    return undefined;
  }
}

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

/** The waits that services demand by status 429. All requests of a window to a service share them. */
export class CoolDowns {
  readonly #clock: Clock;
  readonly #byService = new Map<string, CoolDown>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called when a request was refused and waits for `delay` milliseconds. */
  note(service: string, error: ServiceError, delay: number): void {
    if (error.kind !== 'rate-limited') return;
    const until = this.#clock.monotonic() + delay;
    if (until > (this.#byService.get(service)?.until ?? -Infinity))
      this.#byService.set(service, { until, error });
  }

  /** The remaining wait of requests to a service in milliseconds; undefined if there is none. */
  remaining(service: string): { readonly delay: number; readonly error: ServiceError } | undefined {
    const coolDown = this.#byService.get(service);
    if (coolDown === undefined) return undefined;
    const delay = coolDown.until - this.#clock.monotonic();
    if (delay >= minWait) return { delay, error: coolDown.error };
    this.#byService.delete(service);
    return undefined;
  }
}

import * as z from 'zod/mini';
import type { Usage } from '../../core/conversation/usage.ts';
import type { Clock } from '../../core/support/clock.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { Memento } from '../memento.ts';
import { addModelUsage, type UsageByModel } from './usageTable.ts';

/** The usage of one request. */
export interface UsageRecord {
  readonly model: string;
  readonly usage: Usage;
  /** The demo costs nothing: it counts in the session but in no day. */
  readonly demo: boolean;
}

const stateKey = 'aside.usageToday';

const count = z.number().check(z.minimum(0));
const storedUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cached_tokens: count,
  requests: count,
  estimated: z.boolean(),
});
const storedDay = z.object({
  day: z.string(),
  models: z.array(z.tuple([z.string(), storedUsage])),
});

/**
 * Counts the usage of requests: in this session, since the window was opened, and on this day by the
 * local calendar, which all windows share.
 */
export class Ledger implements Disposable {
  readonly #state: Memento;
  readonly #clock: Clock;
  readonly #changed = new Emitter<undefined>();
  #session: UsageByModel = new Map();
  #writing: Promise<void> = Promise.resolve();

  readonly onDidChange = this.#changed.event;

  /** @param state `globalState` */
  constructor(state: Memento, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Call it once for each request. Resolves when the day's sum is stored. */
  record({ model, usage, demo }: UsageRecord): Promise<void> {
    this.#session = addModelUsage(this.#session, model, usage);
    if (!demo) {
      // One after the other, each adding to the stored sum, since other windows add to it too.
      const add = (): Promise<void> => this.#addToDay(model, usage);
      this.#writing = this.#writing.then(add, add);
    }
    this.#changed.fire(undefined);
    return this.#writing;
  }

  get session(): UsageByModel {
    return this.#session;
  }

  get today(): UsageByModel {
    const stored = storedDay.safeParse(this.#state.get(stateKey));
    if (!stored.success || stored.data.day !== this.#day()) return new Map();
    return new Map(stored.data.models);
  }

  /** `aside.resetUsage`: resets the session, not the day. */
  resetSession(): void {
    this.#session = new Map();
    this.#changed.fire(undefined);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #addToDay(model: string, usage: Usage): Promise<void> {
    const models = [...addModelUsage(this.today, model, usage)];
    try {
      await this.#state.update(stateKey, { day: this.#day(), models });
    } finally {
      this.#changed.fire(undefined);
    }
  }

  /** The local date, for example `2030-01-31`. */
  #day(): string {
    const date = new Date(this.#clock.wall());
    const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
    return parts.map((part) => String(part).padStart(2, '0')).join('-');
  }
}

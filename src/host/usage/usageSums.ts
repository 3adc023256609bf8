import { addUsage, usageCost, type Usage } from '../../core/conversation/usage.ts';
import { isInterrupted, type StoredUsage } from './usageRecord.ts';
import type { UsageByModel } from './usageTable.ts';

interface SumKey {
  readonly day: string;
  readonly service: string;
  readonly model: string;
  readonly workspace: string;
  readonly chat: string;
  readonly purpose: string;
  readonly demo: boolean;
}

export interface PricedUsage {
  readonly usage: Usage;
  /** The currency of the price at that time; empty if the price is unknown. */
  readonly currency: string;
  /** In units of the currency, at prices of that time. */
  readonly cost: number;
}

/** The usage of all requests of a day with the same key. */
export interface UsageSum extends SumKey, PricedUsage {}

export function sumOf(record: StoredUsage): UsageSum {
  const { day, service, model, workspace, chat, purpose, demo, usage, price } = record;
  const currency = price?.currency ?? '';
  const cost = price === undefined ? 0 : usageCost(usage, price);
  return { day, service, model, workspace, chat, purpose, currency, demo, usage, cost };
}

/** Writes the id of a model of a service, given by origin. */
export type WriteModel = (service: string, model: string) => string;

export const bareModel: WriteModel = (_, model) => model;

/** Usage by model, separately for each service. */
export class ServiceUsage {
  readonly #services = new Map<string, Map<string, Usage>>();

  /** @param service origin of the service */
  add(service: string, model: string, usage: Usage): void {
    const models = this.#services.get(service) ?? new Map<string, Usage>();
    this.#services.set(service, models);
    addTo(models, model, usage);
  }

  models(written: WriteModel): UsageByModel {
    const all = new Map<string, Usage>();
    for (const [service, models] of this.#services)
      for (const [model, usage] of models) addTo(all, written(service, model), usage);
    return all;
  }
}

class DaySums {
  readonly #sums = new Map<string, UsageSum>();
  readonly #models = new ServiceUsage();

  get sums(): Iterable<UsageSum> {
    return this.#sums.values();
  }

  /** Usage of models, except the demo's. */
  get models(): ServiceUsage {
    return this.#models;
  }

  /** @param key combines all fields of the sum's key except the day */
  add(sum: UsageSum, key: string): void {
    const { service, model, demo, usage } = sum;
    const known = this.#sums.get(key);
    const joined = known && {
      ...known,
      usage: addUsage(known.usage, usage),
      cost: known.cost + sum.cost,
    };
    this.#sums.set(key, joined ?? sum);
    if (!demo) this.#models.add(service, model, usage);
  }

  ofChat(chat: string): ServiceUsage {
    const models = new ServiceUsage();
    for (const sum of this.#sums.values())
      if (sum.chat === chat && !sum.demo) models.add(sum.service, sum.model, sum.usage);
    return models;
  }
}

/**
 * The sums of lines of the log, counting each request once. The `sent` lines of a request precede
 * its `done` line; otherwise the order is arbitrary.
 */
export class UsageSums {
  readonly #days = new Map<string, DaySums>();
  /** Requests whose own window has not logged an end, by last record. */
  readonly #unsettled = new Map<string, StoredUsage>();
  /**
   * A number for each name. Keys of sums consist of numbers, since names may contain any character.
   */
  readonly #numbers = new Map<string, number>();

  add(record: StoredUsage): void {
    if (record.state === 'sent') this.addUnsettled(record);
    else if (isInterrupted(record)) {
      // Counts once, and not if its own window logged an end.
      if (this.#unsettled.has(record.id)) this.addUnsettled(record);
    } else {
      this.#unsettled.delete(record.id);
      if (record.usage.requests > 0) this.addSum(sumOf(record));
    }
  }

  /** @param record without an end, or with an end that another window logged */
  addUnsettled(record: StoredUsage): void {
    this.#unsettled.set(record.id, record);
  }

  addSum(sum: UsageSum): void {
    const day = this.#days.get(sum.day) ?? new DaySums();
    this.#days.set(sum.day, day);
    day.add(sum, this.#keyOf(sum));
  }

  #keyOf({ service, model, workspace, chat, purpose, currency, demo }: UsageSum): string {
    const number = (name: string): number => {
      const known = this.#numbers.get(name) ?? this.#numbers.size;
      this.#numbers.set(name, known);
      return known;
    };
    const where = `${number(service)} ${number(model)} ${number(workspace)} ${number(chat)}`;
    return `${where} ${number(purpose)} ${number(currency)} ${Number(demo)}`;
  }

  /** Sums of requests whose own window logged an end, including the demo's. */
  get ofSettled(): readonly UsageSum[] {
    return [...this.#days.values()].flatMap(({ sums }) => [...sums]);
  }

  get unsettled(): readonly StoredUsage[] {
    return [...this.#unsettled.values()];
  }

  /** Sums of requests that have ended, including the demo's. */
  get sums(): readonly UsageSum[] {
    return [...this.ofSettled, ...this.#interrupted.map(sumOf)];
  }

  /** Requests that have not ended. */
  get open(): readonly StoredUsage[] {
    return this.unsettled.filter(({ state }) => state === 'sent');
  }

  get #interrupted(): readonly StoredUsage[] {
    return this.unsettled.filter(isInterrupted);
  }

  /**
   * Usage of requests that have ended, except the demo's.
   *
   * @param isIn returns true for days that count
   * @param chat the only chat that counts; all chats if undefined
   */
  settled(
    isIn: (day: string) => boolean,
    chat?: string,
    written: WriteModel = bareModel,
  ): UsageByModel {
    const sum = new Map<string, Usage>();
    for (const [day, sums] of this.#days) {
      if (!isIn(day)) continue;
      const models = chat === undefined ? sums.models : sums.ofChat(chat);
      for (const [model, usage] of models.models(written)) addTo(sum, model, usage);
    }
    for (const { day, demo, chat: its, service, model, usage } of this.#interrupted)
      if (!demo && isIn(day) && (chat === undefined || chat === its))
        addTo(sum, written(service, model), usage);
    return sum;
  }
}

function addTo(sum: Map<string, Usage>, model: string, usage: Usage): void {
  const before = sum.get(model);
  sum.set(model, before === undefined ? usage : addUsage(before, usage));
}

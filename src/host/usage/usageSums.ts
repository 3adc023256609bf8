import { addUsage, usageCost, type Usage } from '../../core/conversation/usage.ts';
import { isInterrupted, type StoredUsage } from './usageRecord.ts';
import type { UsageByModel } from './usageTable.ts';

/** The fields that are equal in all requests of a sum. */
interface SumKey {
  readonly day: string;
  readonly service: string;
  readonly model: string;
  readonly workspace: string;
  readonly chat: string;
  readonly purpose: string;
  readonly demo: boolean;
}

/** Usage with its cost. */
export interface PricedUsage {
  readonly usage: Usage;
  /** The currency of the price at the time; empty if the price isn't known. */
  readonly currency: string;
  /** At the prices of the time, in units of the currency. */
  readonly cost: number;
}

/** The usage of all requests of a day that have everything else in common as well. */
export interface UsageSum extends SumKey, PricedUsage {}

/** One request as a sum. */
export function sumOf(record: StoredUsage): UsageSum {
  const { day, service, model, workspace, chat, purpose, demo, usage, price } = record;
  const currency = price?.currency ?? '';
  const cost = price === undefined ? 0 : usageCost(usage, price);
  return { day, service, model, workspace, chat, purpose, currency, demo, usage, cost };
}

/** Writes a model of a service, given by its origin. */
export type WriteModel = (service: string, model: string) => string;

/** Writes a model as its service does. */
export const bareModel: WriteModel = (_, model) => model;

/** The usage of models, those of each service apart. */
export class ServiceUsage {
  readonly #services = new Map<string, Map<string, Usage>>();

  /** @param service the origin */
  add(service: string, model: string, usage: Usage): void {
    const models = this.#services.get(service) ?? new Map<string, Usage>();
    this.#services.set(service, models);
    addTo(models, model, usage);
  }

  /** The usage by the written ids of the models. */
  models(written: WriteModel): UsageByModel {
    const all = new Map<string, Usage>();
    for (const [service, models] of this.#services)
      for (const [model, usage] of models) addTo(all, written(service, model), usage);
    return all;
  }
}

/** The sums of one day. */
class DaySums {
  readonly #sums = new Map<string, UsageSum>();
  readonly #models = new ServiceUsage();

  get sums(): Iterable<UsageSum> {
    return this.#sums.values();
  }

  /** Usage of the models, without the demo's. */
  get models(): ServiceUsage {
    return this.#models;
  }

  /** @param key made of all fields that are equal in a sum, besides the day */
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
 * The sums of lines of the log, counting each line once. The lines `sent` of a request come before its
 * line `done`; others have no order.
 */
export class UsageSums {
  readonly #days = new Map<string, DaySums>();
  /** The requests whose own window has not written an end, by their last record. */
  readonly #unsettled = new Map<string, StoredUsage>();
  /** A number for each name. Keys of sums are made of them, since names may contain anything. */
  readonly #numbers = new Map<string, number>();

  add(record: StoredUsage): void {
    if (record.state === 'sent') this.addUnsettled(record);
    else if (isInterrupted(record)) {
      // Counts once, and not if its own window wrote an end.
      if (this.#unsettled.has(record.id)) this.addUnsettled(record);
    } else {
      this.#unsettled.delete(record.id);
      if (record.usage.requests > 0) this.addSum(sumOf(record));
    }
  }

  /** @param record one without an end, or with one that another window wrote */
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

  /** Sums of requests whose own window wrote an end, including the demo's. */
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

  /** The requests without an end. */
  get open(): readonly StoredUsage[] {
    return this.unsettled.filter(({ state }) => state === 'sent');
  }

  get #interrupted(): readonly StoredUsage[] {
    return this.unsettled.filter(isInterrupted);
  }

  /**
   * The usage of requests that have ended, without the demo's.
   * @param isIn returns true for days that count
   * @param chat the only chat that counts; all chats if absent
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

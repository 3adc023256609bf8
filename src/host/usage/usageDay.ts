import type { RequestTokens } from '../../core/service/budget.ts';
import type { StoredUsage } from './usageRecord.ts';
import { addModelUsage, type UsageByModel } from './usageTable.ts';

/** A request without an end: it is running in some window, or was interrupted. */
export interface OpenRequest {
  readonly id: string;
  readonly model: string;
  readonly usage: StoredUsage['usage'];
  readonly reserve: RequestTokens;
}

/** The sums of one day. Records may come in any order and repeatedly: each request counts once. */
export class UsageDay {
  readonly #done = new Set<string>();
  readonly #open = new Map<string, StoredUsage>();
  readonly #chats = new Map<string, UsageByModel>();
  #settled: UsageByModel = new Map();

  add(record: StoredUsage): void {
    const { id, state, model, chat, usage } = record;
    if (this.#done.has(id)) return;
    if (state === 'sent') {
      this.#open.set(id, record);
      return;
    }
    this.#open.delete(id);
    this.#done.add(id);
    if (usage.requests === 0) return;
    this.#settled = addModelUsage(this.#settled, model, usage);
    if (chat === '') return;
    this.#chats.set(chat, addModelUsage(this.#chats.get(chat) ?? new Map(), model, usage));
  }

  /** Everything that counts as used, requests without an end by their estimate. */
  get total(): UsageByModel {
    return [...this.#open.values()].reduce(
      (sum, { model, usage }) => addModelUsage(sum, model, usage),
      this.#settled,
    );
  }

  /** The usage of requests that have ended, of the day or of one chat. */
  settled(chat?: string): UsageByModel {
    return chat === undefined ? this.#settled : (this.#chats.get(chat) ?? new Map());
  }

  /** The requests without an end, of the day or of one chat. */
  open(chat?: string): readonly OpenRequest[] {
    const all = [...this.#open.values()];
    return chat === undefined ? all : all.filter((record) => record.chat === chat);
  }
}

import { zeroUsage, type Usage } from '../../core/conversation/usage.ts';
import type { RequestTokens } from '../../core/service/budget.ts';
import type { Clock } from '../../core/support/clock.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { SharedLines } from './sharedLines.ts';
import { UsageDay } from './usageDay.ts';
import {
  localDay,
  readUsageRecord,
  writeUsageRecord,
  type RequestOrigin,
  type StoredUsage,
  type UsageRecord,
} from './usageRecord.ts';
import { addModelUsage, type UsageByModel } from './usageTable.ts';

/** A request that is about to be sent. */
export interface PlannedRequest extends RequestOrigin {
  readonly service: string;
  readonly model: string;
  /** Its usage as of now, by estimate. */
  readonly usage: () => Usage;
  /** The demo costs nothing: it counts in the session but in no day. */
  readonly demo: boolean;
  /** Whether a budget limits it, so that it must wait for what other windows have used. */
  readonly isLimited: boolean;
}

/** The most that a request may use whose end isn't known. */
export interface Reservation extends RequestTokens {
  readonly model: string;
}

/** What counts in the budgets of a request. */
export interface CountedUsage {
  readonly day: UsageByModel;
  readonly chat: UsageByModel;
  readonly dayReserved: readonly Reservation[];
  readonly chatReserved: readonly Reservation[];
}

interface LedgerOptions {
  /** The log of a day, given as `2030-01-31`. */
  readonly lines: (day: string) => SharedLines;
  readonly clock: Clock;
  /** The workspace of this window; empty without one. */
  readonly workspace: string;
  readonly onError: (what: string, error: unknown) => void;
}

type RequestOutcome = NonNullable<UsageRecord['outcome']>;

/** Ends a request with its usage. Resolves when that is stored. */
export type EndRequest = (usage: Usage, outcome: RequestOutcome) => Promise<void>;

interface RunningRequest {
  readonly model: string;
  readonly usage: () => Usage;
  readonly end: EndRequest;
}

const nothing: RequestTokens = { prompt: 0, reply: 0 };

/**
 * Counts the usage of requests from the moment that they are sent: in this session, since the window
 * was opened, and on the day when they were sent, by the local calendar. All windows share the days.
 */
export class Ledger implements Disposable {
  readonly #options: LedgerOptions;
  readonly #changed = new Emitter<undefined>();
  /** The requests of this window that are running. */
  readonly #running = new Map<string, RunningRequest>();
  #session: UsageByModel = new Map();
  #date = '';
  #day = new UsageDay();
  #lines: SharedLines | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #stored: Promise<unknown> = Promise.resolve();

  readonly onDidChange = this.#changed.event;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  get session(): UsageByModel {
    return [...this.#running.values()].reduce(
      (sum, { model, usage }) => addModelUsage(sum, model, usage()),
      this.#session,
    );
  }

  get today(): UsageByModel {
    this.#turnPage();
    return this.#day.total;
  }

  /** What counts as used now, for requests of a chat; empty outside chats. */
  counted(chat: string): CountedUsage {
    this.#turnPage();
    return {
      day: this.#day.settled(),
      chat: this.#day.settled(chat),
      dayReserved: this.#day.open().map(({ model, reserve }) => ({ model, ...reserve })),
      chatReserved: this.#day.open(chat).map(({ id, model, usage, reserve }) => {
        // The chat itself counts the estimate of an interrupted request.
        const known = this.#running.has(id) ? 0 : usage.prompt_tokens;
        return { model, prompt: Math.max(0, reserve.prompt - known), reply: reserve.reply };
      }),
    };
  }

  /** Reads what other windows have counted. */
  refresh(): Promise<void> {
    return this.#enqueue(() => this.#readNew());
  }

  /**
   * Reserves what a request may use, and stores that it is sent. Requests of several windows reserve
   * in the order of their lines, so that together they stay within a budget.
   *
   * @param allow decides from what is used; rejects with what it throws
   */
  open<Allowed extends { readonly reserve: RequestTokens }>(
    planned: PlannedRequest,
    allow: (counted: CountedUsage) => Allowed,
  ): Promise<{ readonly allowed: Allowed; readonly end: EndRequest }> {
    return this.#enqueue(async () => {
      const id = newId();
      if (planned.demo) {
        const allowed = allow(this.counted(planned.chat));
        return { allowed, end: this.#run(id, planned, () => Promise.resolve()) };
      }
      if (planned.isLimited) await this.#readNew();
      else this.#turnPage();
      const { reserve } = allow(this.counted(planned.chat));
      const sent = this.#recordOf(id, planned, reserve);
      const lines = this.#lines;
      const store: EndRequest = (usage, outcome) =>
        this.#store({ ...sent, state: 'done', usage, outcome, reserve: nothing }, lines);
      const before = await this.#claim(sent, planned.isLimited);
      try {
        return { allowed: allow(before), end: this.#run(id, planned, store) };
      } catch (error) {
        void store(zeroUsage, 'refused');
        throw error;
      }
    });
  }

  /** `aside.resetUsage`: resets the session, not the day. */
  resetSession(): void {
    this.#session = new Map();
    this.#changed.fire(undefined);
  }

  /** Ends what is still running, as the window closes. Resolves when everything is stored. */
  async close(): Promise<void> {
    for (const { usage, end } of this.#running.values()) void end(usage(), 'stopped');
    await this.#stored;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #recordOf(id: string, planned: PlannedRequest, reserve: RequestTokens): UsageRecord {
    const { clock, workspace } = this.#options;
    const { purpose, chat, service, model, usage } = planned;
    const request = { id, state: 'sent', at: clock.wall(), service, model } as const;
    return { ...request, workspace, chat, purpose, usage: usage(), reserve };
  }

  /** Writes the line of a request, and returns what the lines before it count, if that matters. */
  async #claim(sent: UsageRecord, isLimited: boolean): Promise<CountedUsage> {
    await this.#append(writeUsageRecord(sent), this.#lines);
    const found: { before?: CountedUsage } = {};
    if (isLimited)
      await this.#readNew((record) => {
        if (record.id === sent.id) found.before ??= this.counted(sent.chat);
      });
    // If the line can't be stored or read, it counts in this window alone.
    const before = found.before ?? this.counted(sent.chat);
    this.#count(sent);
    return before;
  }

  /** Counts a request of this window from now on. */
  #run(id: string, { model, usage }: PlannedRequest, store: EndRequest): EndRequest {
    const end: EndRequest = (used, outcome) => {
      if (!this.#running.delete(id)) return Promise.resolve();
      if (used.requests > 0) this.#session = addModelUsage(this.#session, model, used);
      const storing = store(used, outcome);
      this.#changed.fire(undefined);
      return storing;
    };
    this.#running.set(id, { model, usage, end });
    this.#changed.fire(undefined);
    return end;
  }

  /** Counts at once, and stores a line in the log of the day when the request was sent. */
  #store(record: UsageRecord, lines: SharedLines | undefined): Promise<void> {
    this.#count(record);
    const storing = this.#append(writeUsageRecord(record), lines);
    this.#stored = Promise.all([this.#stored, storing]);
    return storing;
  }

  #count(record: UsageRecord): void {
    if (localDay(record.at) === this.#date) this.#day.add(record);
  }

  /** A line that can't be stored still counts in this window. */
  async #append(line: string, lines: SharedLines | undefined): Promise<void> {
    try {
      await lines?.append(line);
    } catch (error) {
      this.#options.onError('Writing the usage', error);
    }
  }

  /** @param onLine called before a line is counted */
  async #readNew(onLine?: (record: StoredUsage) => void): Promise<void> {
    this.#turnPage();
    try {
      const lines = (await this.#lines?.next()) ?? [];
      for (const line of lines) {
        const record = readUsageRecord(line);
        if (record === undefined) continue;
        onLine?.(record);
        this.#day.add(record);
      }
      if (lines.length > 0) this.#changed.fire(undefined);
    } catch (error) {
      this.#options.onError('Reading the usage', error);
    }
  }

  #turnPage(): void {
    const today = localDay(this.#options.clock.wall());
    if (today === this.#date) return;
    this.#date = today;
    this.#day = new UsageDay();
    this.#lines = this.#options.lines(today);
  }

  /** One after the other, so that each request counts those before it. */
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

import { zeroUsage, type Usage } from '../../core/conversation/usage.ts';
import type { RequestTokens } from '../../core/service/budget.ts';
import { TaskQueue } from '../../core/support/async.ts';
import { background } from '../../core/support/background.ts';
import { anyEvent, Emitter, type Disposable, type Event } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { Leases } from '../leases.ts';
import { UsageLog, type CountedUsage, type UsageLogOptions } from './usageLog.ts';
import {
  interruptedRecord,
  localDay,
  unwrittenTokens,
  type PriceThen,
  type RequestOrigin,
  type LoggedOutcome,
  type StoredUsage,
  type UsageRecord,
} from './usageRecord.ts';
import { ServiceUsage } from './usageSums.ts';
import { addModelUsage, type UsageByModel } from './usageTable.ts';

export interface PlannedRequest extends RequestOrigin {
  readonly service: string;
  readonly model: string;
  readonly usage: () => Usage;
  /** Current price of the model; undefined if unknown. */
  readonly price?: PriceThen | undefined;
  /** The demo is free: its usage counts in the session only. */
  readonly demo: boolean;
  /** True if a budget applies, so that the usage of other windows must be read first. */
  readonly isLimited: boolean;
}

interface LedgerOptions extends UsageLogOptions {
  /** Leases of running windows that have sent requests. The ledger disposes of them. */
  readonly leases: Leases;
  /** The workspace of this window; empty without one. */
  readonly workspace: string;
}

/** Milliseconds without a request after which a window releases its lease. */
const releaseDelay = 60_000;

/** Milliseconds before lines that could not be stored are retried. */
const storeAgainDelay = 60_000;

/** Ends a request with its usage. Resolves when that is stored. */
export type EndRequest = (usage: Usage, outcome: LoggedOutcome) => Promise<void>;

export interface OpenedRequest<Allowed> {
  readonly allowed: Allowed;
  /**
   * Logs the usage so far if it is much more than logged; otherwise returns undefined. If this
   * process is killed, the log has the usage up to when the promise resolved.
   */
  readonly note: () => Promise<void> | undefined;
  readonly end: EndRequest;
}

interface RunningRequest extends PlannedRequest {
  readonly end: EndRequest;
}

const nothing: RequestTokens = { prompt: 0, reply: 0 };

/** For requests without a budget, since counting before each of them takes time. */
const nothingCounted: CountedUsage = {
  day: new Map(),
  month: new Map(),
  chat: new Map(),
  dayReserved: [],
  monthReserved: [],
  chatReserved: [],
};

/**
 * Counts the usage of this window's requests from the moment they are sent: in the session, which
 * starts with the window, and in the log of all windows.
 */
export class Ledger implements Disposable {
  /** The usage of all windows by days. */
  readonly log: UsageLog;
  readonly #options: LedgerOptions;
  readonly #changed = new Emitter<undefined>();
  readonly #running = new Map<string, RunningRequest>();
  #holder = newId();
  #releasing: Disposable | undefined;
  /** Set while an unstored line waits for its retry. */
  #storingAgain: Disposable | undefined;
  #isClosed = false;
  /** Requests that have ended, except the demo's. */
  #paidSession = new ServiceUsage();
  #demoSession = new ServiceUsage();
  /** Runs tasks in order, so that each request includes the ones before it. */
  readonly #tasks = new TaskQueue();
  #stored: Promise<unknown> = Promise.resolve();

  /** Fires when usage in the session or the log changes. */
  readonly onDidChange: Event<undefined>;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.log = new UsageLog(options);
    this.onDidChange = anyEvent(this.#changed.event, this.log.onDidChange);
  }

  get session(): UsageByModel {
    return [...this.demoSession].reduce(
      (sum, [model, usage]) => addModelUsage(sum, model, usage),
      this.paidSession,
    );
  }

  /** The session's usage without the demo, which is free. */
  get paidSession(): UsageByModel {
    return this.#withRunning(this.#paidSession, ({ demo }) => !demo);
  }

  get demoSession(): UsageByModel {
    return this.#withRunning(this.#demoSession, ({ demo }) => demo);
  }

  refresh(): Promise<void> {
    return this.#tasks.run(() => this.#readAll());
  }

  /**
   * Reserves the maximum usage of a request, and logs that it is sent. Requests of several windows
   * reserve in the order of their lines, so that together they stay within a budget.
   *
   * @param allow decides, given the usage so far (nothing if no budget applies); if it throws, the
   * promise rejects
   */
  open<Allowed extends { readonly reserve: RequestTokens }>(
    planned: PlannedRequest,
    allow: (counted: CountedUsage) => Allowed,
  ): Promise<OpenedRequest<Allowed>> {
    return this.#tasks.run(async () => {
      const isLimited = planned.isLimited && !planned.demo;
      if (isLimited) await this.#readAll();
      const first = allow(isLimited ? this.log.counted(planned.chat) : nothingCounted);
      await this.#hold();
      const sent = this.#recordOf(newId(), planned, first.reserve);
      const started = this.#options.clock.monotonic();
      const note = (): Promise<void> | undefined => this.#note(sent.id, planned);
      const store: EndRequest = (usage, outcome) =>
        this.#store({ ...sent, ...this.#endOf(sent, usage, started), outcome });
      const before = await this.#claim(sent, isLimited);
      try {
        const last = allow(before);
        // Other requests may have ended meanwhile, but no more is reserved than the line says.
        const allowed = last.reserve.reply < first.reserve.reply ? last : first;
        const end = this.#run(sent.id, planned, store);
        return { allowed, note, end };
      } catch (error) {
        background(store(zeroUsage, 'refused'));
        throw error;
      }
    });
  }

  /** `aside.resetUsage`: resets the session, but not the day. */
  resetSession(): void {
    this.#paidSession = new ServiceUsage();
    this.#demoSession = new ServiceUsage();
    this.#changed.fire(undefined);
  }

  /** Ends running requests when the window closes. Resolves when everything is stored. */
  async close(): Promise<void> {
    for (const { usage, end } of this.#running.values()) background(end(usage(), 'stopped'));
    await this.#stored;
    if (this.#storingAgain !== undefined) await this.refresh();
    this.#isClosed = true;
    this.#storingAgain?.dispose();
    this.#releasing?.dispose();
    await this.#options.leases.release(this.#holder);
  }

  dispose(): void {
    this.#isClosed = true;
    this.#storingAgain?.dispose();
    this.#releasing?.dispose();
    this.#changed.dispose();
    this.log.dispose();
    this.#options.leases.dispose();
  }

  #withRunning(ended: ServiceUsage, counts: (request: RunningRequest) => boolean): UsageByModel {
    const { written } = this.log;
    return [...this.#running.values()]
      .filter(counts)
      .reduce(
        (sum, { service, model, usage }) => addModelUsage(sum, written(service, model), usage()),
        ended.models(written),
      );
  }

  #recordOf(id: string, planned: PlannedRequest, reserve: RequestTokens): UsageRecord {
    const { clock, workspace } = this.#options;
    const { purpose, chat, service, model, usage, price, demo } = planned;
    const at = clock.wall();
    const request = { id, state: 'sent', at, day: localDay(at), service, model } as const;
    return {
      ...request,
      workspace,
      holder: this.#holder,
      chat,
      purpose,
      usage: usage(),
      price,
      demo,
      reserve,
    };
  }

  #endOf({ reserve }: UsageRecord, usage: Usage, started: number) {
    const duration = Math.round(this.#options.clock.monotonic() - started);
    const over = reserve.reply === 0 ? 0 : usage.completion_tokens - reserve.reply;
    const overrun = over > 0 ? over : undefined;
    return { state: 'done', usage, reserve: nothing, duration, overrun } as const;
  }

  /** Logs a request. Returns the usage before its line if a budget needs it. */
  async #claim(sent: UsageRecord, isLimited: boolean): Promise<CountedUsage> {
    await this.#append(sent);
    const result: { before?: CountedUsage } = {};
    if (!isLimited) result.before = nothingCounted;
    else
      await this.log.read((record) => {
        if (record.id === sent.id) result.before ??= this.log.counted(sent.chat);
      });
    // If the line can't be stored or read, it counts in this window only.
    const before = result.before ?? this.log.counted(sent.chat);
    this.log.count(sent);
    return before;
  }

  /** Counts a request of this window from now on. */
  #run(id: string, planned: PlannedRequest, store: EndRequest): EndRequest {
    const { service, model, demo } = planned;
    const end: EndRequest = (used, outcome) => {
      if (!this.#running.delete(id)) return Promise.resolve();
      const session = demo ? this.#demoSession : this.#paidSession;
      if (used.requests > 0) session.add(service, model, used);
      const storing = store(used, outcome);
      this.#changed.fire(undefined);
      return storing;
    };
    this.#running.set(id, { ...planned, end });
    this.#changed.fire(undefined);
    return end;
  }

  #note(id: string, { usage }: PlannedRequest): Promise<void> | undefined {
    const known = this.log.find(id);
    if (known === undefined || !this.#running.has(id)) return undefined;
    const used = usage();
    const unwritten = used.total_tokens - known.usage.total_tokens;
    if (unwritten < unwrittenTokens(known.usage)) return undefined;
    const noted = { ...known, usage: used };
    this.log.count(noted);
    return this.#append(noted);
  }

  /** Counts immediately, and stores a line in the log of the day of sending. */
  #store(done: StoredUsage): Promise<void> {
    this.log.count(done);
    const storing = this.#append(done);
    this.#stored = Promise.all([this.#stored, storing]);
    background(storing.then(() => this.#releaseLater()));
    return storing;
  }

  async #append(record: StoredUsage): Promise<void> {
    if (!(await this.log.append(record))) this.#storeLater();
  }

  #storeLater(): void {
    if (this.#isClosed) return;
    this.#storingAgain ??= this.#options.clock.after(storeAgainDelay, () => {
      this.#storingAgain = undefined;
      background(this.refresh());
    });
  }

  /** Claims the lease, or a new one if another window considered this one gone, as after sleep. */
  async #hold(): Promise<void> {
    const { leases, onError } = this.#options;
    try {
      if (await leases.claim(this.#holder)) return;
      this.#holder = newId();
      await leases.claim(this.#holder);
    } catch (error) {
      onError('Noting that a request runs', error);
    }
  }

  /**
   * Releases the lease some time after the last request, so that a later crash leaves none behind.
   */
  #releaseLater(): void {
    if (this.#running.size > 0 || this.#isClosed) return;
    this.#releasing?.dispose();
    this.#releasing = this.#options.clock.after(releaseDelay, () => {
      const release = async (): Promise<void> => {
        if (this.#running.size === 0) await this.#options.leases.release(this.#holder);
      };
      this.#tasks.run(release).catch((error: unknown) => {
        this.#options.onError('Noting that no request runs', error);
      });
    });
  }

  /** Reads new lines, stores ours that were not read, and ends requests whose window is gone. */
  async #readAll(): Promise<void> {
    if (!(await this.log.read())) return;
    for (const record of this.log.unread) await this.#store(record);
    const holders = new Set(this.log.openElsewhere.map(({ holder }) => holder));
    holders.delete(this.#holder);
    for (const holder of holders) await this.#closeRequestsOf(holder);
  }

  /**
   * Ends the requests of a window that is gone, whose reserve would otherwise count forever. Only
   * one of several windows gets the lease.
   */
  async #closeRequestsOf(holder: string | undefined): Promise<void> {
    const { leases, onError } = this.#options;
    try {
      if (holder !== undefined && !(await leases.claim(holder))) return;
      // Another window may have just ended them.
      await this.log.read();
      const interrupted = this.log.openElsewhere.filter((record) => record.holder === holder);
      for (const record of interrupted) await this.#store(interruptedRecord(record));
      if (holder !== undefined) await leases.release(holder);
    } catch (error) {
      onError('Ending interrupted requests', error);
    }
    this.#changed.fire(undefined);
  }
}

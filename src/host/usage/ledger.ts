import { zeroUsage, type Usage } from '../../core/conversation/usage.ts';
import type { RequestTokens } from '../../core/service/budget.ts';
import { TaskQueue } from '../../core/support/async.ts';
import { background } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { Leases } from '../leases.ts';
import { monthOfFile, UsageMonth, type UsageFiles } from './usageMonth.ts';
import {
  daysLater,
  interruptedRecord,
  isInterrupted,
  localDay,
  monthOf,
  readUsageRecord,
  unwrittenTokens,
  writeUsageRecord,
  type PriceThen,
  type RequestOrigin,
  type StoredUsage,
  type UsageRecord,
} from './usageRecord.ts';
import { bareModel, ServiceUsage, sumOf, type UsageSum, type WriteModel } from './usageSums.ts';
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

/** Maximum usage of a request that has not ended. */
export interface Reservation extends RequestTokens {
  readonly model: string;
}

/**
 * Usage that counts in the budgets of a request. Day and month include all later ones, so that
 * setting back the clock doesn't help.
 */
export interface CountedUsage {
  readonly day: UsageByModel;
  readonly month: UsageByModel;
  readonly chat: UsageByModel;
  readonly dayReserved: readonly Reservation[];
  readonly monthReserved: readonly Reservation[];
  readonly chatReserved: readonly Reservation[];
}

interface LedgerOptions {
  readonly files: UsageFiles;
  /** The log file of a day in the form `2030-01-31`. */
  readonly fileOf: (day: string) => string;
  readonly clock: Clock;
  /** Leases of running windows that have sent requests. The ledger disposes of them. */
  readonly leases: Leases;
  /** Returns the written id of a model, under which usage is counted and the price is looked up. */
  readonly written?: WriteModel | undefined;
  /** The workspace of this window; empty without one. */
  readonly workspace: string;
  readonly onError: (what: string, error: unknown) => void;
}

/** Milliseconds without a request after which a window releases its lease. */
const releaseDelay = 60_000;

/** Milliseconds before lines that could not be stored are retried. */
const storeAgainDelay = 60_000;

type RequestOutcome = NonNullable<UsageRecord['outcome']>;

/** Ends a request with its usage. Resolves when that is stored. */
export type EndRequest = (usage: Usage, outcome: RequestOutcome) => Promise<void>;

export interface OpenedRequest<Allowed> {
  readonly allowed: Allowed;
  /**
   * Logs the usage so far if it is much more than logged; otherwise returns undefined. If this
   * process is killed, the log has the usage up to when the promise resolved.
   */
  readonly note: () => Promise<void> | undefined;
  readonly end: EndRequest;
}

interface RunningRequest {
  readonly service: string;
  readonly model: string;
  readonly demo: boolean;
  readonly usage: () => Usage;
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
 * Counts the usage of requests from the moment they are sent: in the session, which starts with the
 * window, and on the local calendar day of sending. All windows share the days.
 */
export class Ledger implements Disposable {
  readonly #options: LedgerOptions;
  readonly #changed = new Emitter<undefined>();
  readonly #running = new Map<string, RunningRequest>();
  /** Records of this window's requests, each until its final line was read. */
  readonly #records = new Map<string, StoredUsage>();
  /** Records whose line was written, or could not be. */
  readonly #appended = new WeakSet<StoredUsage>();
  #holder = newId();
  #releasing: Disposable | undefined;
  /** Set while an unstored line waits for its retry. */
  #storingAgain: Disposable | undefined;
  #isClosed = false;
  /** This month, and later ones if the clock was set back. */
  readonly #months = new Map<string, UsageMonth>();
  /** Requests that have ended, except the demo's. */
  #paidSession = new ServiceUsage();
  #demoSession = new ServiceUsage();
  /** Runs tasks in order, so that each request includes the ones before it. */
  readonly #tasks = new TaskQueue();
  #stored: Promise<unknown> = Promise.resolve();

  readonly onDidChange = this.#changed.event;

  /** Returns the written id of an origin's model. */
  readonly written: WriteModel;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.written = options.written ?? bareModel;
  }

  get session(): UsageByModel {
    return addModels(this.paidSession, [...this.demoSession]);
  }

  /** The session's usage without the demo, which is free. */
  get paidSession(): UsageByModel {
    return this.#withRunning(this.#paidSession.models(this.written), ({ demo }) => !demo);
  }

  get demoSession(): UsageByModel {
    return this.#withRunning(this.#demoSession.models(this.written), ({ demo }) => demo);
  }

  get today(): UsageByModel {
    const today = this.#today;
    const isToday = (day: string): boolean => day === today;
    return this.#open(isToday).reduce(
      (sum, { service, model, usage }) => addModelUsage(sum, this.written(service, model), usage),
      this.#settled(isToday),
    );
  }

  /** The usage that counts for requests of a chat; the id is empty outside chats. */
  counted(chat: string): CountedUsage {
    const today = this.#today;
    const month = monthOf(today);
    const isToday = (day: string): boolean => day >= today;
    const isThisMonth = (day: string): boolean => monthOf(day) >= month;
    const ofDay = this.#open(isToday);
    const written = this.written;
    const reservationOf = ({ service, model, reserve }: StoredUsage): Reservation => ({
      model: written(service, model),
      ...reserve,
    });
    return {
      day: this.#settled(isToday),
      month: this.#settled(isThisMonth),
      chat: this.#settled(isToday, chat),
      dayReserved: ofDay.map(reservationOf),
      monthReserved: this.#open(isThisMonth).map(reservationOf),
      chatReserved: ofDay.filter((record) => record.chat === chat).map(reservationOf),
    };
  }

  /** The sums of this month and later ones, with estimates for requests that have not ended. */
  get sums(): readonly UsageSum[] {
    const month = monthOf(this.#today);
    const ours = [...this.#records.values()].filter(({ usage }) => usage.requests > 0);
    return [...this.#months.values()]
      .flatMap(({ sums }) => [
        ...sums.sums,
        ...sums.open.filter(({ id }) => !this.#records.has(id)).map(sumOf),
      ])
      .concat(ours.map(sumOf))
      .filter(({ day }) => monthOf(day) >= month);
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
      const first = allow(isLimited ? this.counted(planned.chat) : nothingCounted);
      await this.#hold();
      const sent = this.#recordOf(newId(), planned, first.reserve);
      const started = this.#options.clock.monotonic();
      /** Resolves when the last line of the request is written. */
      let written: Promise<void> | undefined;
      const note = (): Promise<void> | undefined => {
        const writing = this.#note(sent.id, planned, written);
        written = writing ?? written;
        return writing;
      };
      const store: EndRequest = (usage, outcome) =>
        this.#store({ ...sent, ...this.#endOf(sent, usage, started), outcome }, written);
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
    this.#options.leases.dispose();
  }

  #withRunning(ended: UsageByModel, counts: (request: RunningRequest) => boolean): UsageByModel {
    return [...this.#running.values()]
      .filter(counts)
      .reduce(
        (sum, { service, model, usage }) =>
          addModelUsage(sum, this.written(service, model), usage()),
        ended,
      );
  }

  get #today(): string {
    return localDay(this.#options.clock.wall());
  }

  /** Usage of requests that have ended, except the demo's. */
  #settled(isIn: (day: string) => boolean, chat?: string): UsageByModel {
    const written = this.written;
    const known = [...this.#months.values()].flatMap(({ sums }) => [
      ...sums.settled(isIn, chat, written),
    ]);
    const ours = [...this.#records.values()].filter(
      (record) =>
        record.state === 'done' && record.usage.requests > 0 && !record.demo && isIn(record.day),
    );
    const ofChat = ours.filter((record) => chat === undefined || record.chat === chat);
    return addModels(new Map(), [
      ...known,
      ...ofChat.map(({ service, model, usage }) => [written(service, model), usage] as const),
    ]);
  }

  /** Requests that have not ended, except the demo's. */
  #open(isIn: (day: string) => boolean): readonly StoredUsage[] {
    const ours = [...this.#records.values()].filter(({ state }) => state === 'sent');
    return [...this.#openOfOthers(), ...ours].filter(({ day, demo }) => !demo && isIn(day));
  }

  #openOfOthers(): readonly StoredUsage[] {
    const known = [...this.#months.values()].flatMap(({ sums }) => sums.open);
    return known.filter(({ id }) => !this.#records.has(id));
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
      await this.#readNew((record) => {
        if (record.id === sent.id) result.before ??= this.counted(sent.chat);
      });
    // If the line can't be stored or read, it counts in this window only.
    const before = result.before ?? this.counted(sent.chat);
    this.#records.set(sent.id, sent);
    return before;
  }

  /** Counts a request of this window from now on. */
  #run(id: string, { service, model, usage, demo }: PlannedRequest, store: EndRequest): EndRequest {
    const end: EndRequest = (used, outcome) => {
      if (!this.#running.delete(id)) return Promise.resolve();
      const session = demo ? this.#demoSession : this.#paidSession;
      if (used.requests > 0) session.add(service, model, used);
      const storing = store(used, outcome);
      this.#changed.fire(undefined);
      return storing;
    };
    this.#running.set(id, { service, model, demo, usage, end });
    this.#changed.fire(undefined);
    return end;
  }

  /** @param before last line of the request, also in `#store` and `#appendAfter` */
  #note(
    id: string,
    { usage }: PlannedRequest,
    before: Promise<void> | undefined,
  ): Promise<void> | undefined {
    const known = this.#records.get(id);
    if (known === undefined || !this.#running.has(id)) return undefined;
    const used = usage();
    const unwritten = used.total_tokens - known.usage.total_tokens;
    if (unwritten < unwrittenTokens(known.usage)) return undefined;
    const noted = { ...known, usage: used };
    this.#records.set(id, noted);
    return this.#appendAfter(before, noted);
  }

  /** Counts immediately, and stores a line in the log of the day of sending. */
  #store(done: StoredUsage, before?: Promise<void>): Promise<void> {
    this.#records.set(done.id, done);
    const storing = this.#appendAfter(before, done);
    this.#stored = Promise.all([this.#stored, storing]);
    background(storing.then(() => this.#releaseLater()));
    return storing;
  }

  /** Writes the lines of a request in order. */
  #appendAfter(before: Promise<void> | undefined, record: StoredUsage): Promise<void> {
    return before === undefined ? this.#append(record) : before.then(() => this.#append(record));
  }

  /** Appends a line to the log. If that fails, it still counts in this window. */
  async #append(record: StoredUsage): Promise<void> {
    const { files, fileOf, onError } = this.#options;
    try {
      await files.append(fileOf(record.day), `${writeUsageRecord(record)}\n`);
    } catch (error) {
      onError('Writing the usage', error);
      this.#storeLater();
    }
    this.#appended.add(record);
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

  /** Reads new lines, and ends requests whose window is gone. */
  async #readAll(): Promise<void> {
    if (!(await this.#readNew())) return;
    await this.#storeAgain();
    const open = this.#openOfOthers().filter(({ holder }) => holder !== this.#holder);
    for (const holder of new Set(open.map((record) => record.holder)))
      await this.#closeRequestsOf(holder);
  }

  /** Stores lines again that could not be stored, or were damaged. */
  async #storeAgain(): Promise<void> {
    const today = this.#today;
    const first = daysLater(today, -1);
    for (const record of this.#records.values()) {
      const isRead = record.day >= first && monthOf(record.day) >= monthOf(today);
      if (record.state !== 'done' || !isRead || !this.#appended.has(record)) continue;
      // An unreadable line would be retried forever.
      if (readUsageRecord(writeUsageRecord(record)) !== undefined) await this.#store(record);
    }
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
      await this.#readNew();
      const interrupted = this.#openOfOthers().filter((record) => record.holder === holder);
      for (const record of interrupted) await this.#store(interruptedRecord(record));
      if (holder !== undefined) await leases.release(holder);
    } catch (error) {
      onError('Ending interrupted requests', error);
    }
    this.#changed.fire(undefined);
  }

  /**
   * Reads new lines; false if that failed.
   *
   * @param onRecord called before a line is counted
   */
  async #readNew(onRecord?: (record: StoredUsage) => void): Promise<boolean> {
    const { files, fileOf, onError } = this.#options;
    const today = this.#today;
    const options = { last: fileOf(today), since: daysLater(today, -1), isOver: false };
    try {
      const names = await files.names();
      let isChanged = false;
      for (const month of this.#monthsIn(names, monthOf(today))) {
        const read = (record: StoredUsage): boolean => {
          onRecord?.(record);
          return this.#noteRead(record);
        };
        isChanged = (await month.read({ ...options, names, onRecord: read })) || isChanged;
      }
      if (isChanged) this.#changed.fire(undefined);
      return true;
    } catch (error) {
      onError('Reading the usage', error);
      return false;
    }
  }

  /** True if a line counts. False if another window ended a request that still runs here. */
  #noteRead(record: StoredUsage): boolean {
    const known = this.#records.get(record.id);
    if (isInterrupted(record) && known !== undefined && !isInterrupted(known)) return false;
    // The final line contains everything that this window knew about the request.
    if (record.state === 'done') this.#records.delete(record.id);
    return true;
  }

  /** The months that count, the current one last. Drops all others from memory. */
  #monthsIn(names: readonly string[], first: string): readonly UsageMonth[] {
    const stored = new Set(names.map(monthOfFile).filter((month) => month !== undefined));
    for (const month of this.#months.keys())
      if (month < first || !stored.has(month)) this.#months.delete(month);
    const { files, onError } = this.#options;
    return [...stored]
      .filter((month) => month >= first)
      .toSorted()
      .toReversed()
      .map((month) => {
        const opened = this.#months.get(month) ?? new UsageMonth({ files, month, onError });
        this.#months.set(month, opened);
        return opened;
      });
  }
}

function addModels(
  sum: UsageByModel,
  more: Iterable<readonly [model: string, usage: Usage]>,
): UsageByModel {
  return [...more].reduce((all, [model, usage]) => addModelUsage(all, model, usage), sum);
}

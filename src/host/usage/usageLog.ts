import type { RequestTokens } from '../../core/service/budget.ts';
import type { Clock } from '../../core/support/clock.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { monthOfFile, UsageMonth, type UsageFiles } from './usageMonth.ts';
import {
  daysLater,
  isInterrupted,
  localDay,
  monthOf,
  readUsageRecord,
  writeUsageRecord,
  type StoredUsage,
} from './usageRecord.ts';
import { bareModel, sumOf, type UsageSum, type WriteModel } from './usageSums.ts';
import { addModelUsage, type UsageByModel } from './usageTable.ts';

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

export interface UsageLogOptions {
  readonly files: UsageFiles;
  /** The log file of a day in the form `2030-01-31`. */
  readonly fileOf: (day: string) => string;
  readonly clock: Clock;
  /** Returns the written id of a model, under which usage is counted and the price is looked up. */
  readonly written?: WriteModel | undefined;
  readonly onError: (what: string, error: unknown) => void;
}

/**
 * The log of requests, which all windows share: reads new lines, appends those of this window, and
 * counts usage by the local calendar day of sending.
 */
export class UsageLog implements Disposable {
  readonly #options: UsageLogOptions;
  readonly #changed = new Emitter<undefined>();
  /** Records of this window's requests, each until its final line was read. */
  readonly #records = new Map<string, StoredUsage>();
  /** Records whose line was written, or could not be. */
  readonly #appended = new WeakSet<StoredUsage>();
  /** The last line of each request that is being written. */
  readonly #writing = new Map<string, Promise<boolean>>();
  /** This month, and later ones if the clock was set back. */
  readonly #months = new Map<string, UsageMonth>();

  /** Fires when lines were read. */
  readonly onDidChange = this.#changed.event;

  /** Returns the written id of an origin's model. */
  readonly written: WriteModel;

  constructor(options: UsageLogOptions) {
    this.#options = options;
    this.written = options.written ?? bareModel;
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
    const reservationOf = ({ service, model, reserve }: StoredUsage): Reservation => ({
      model: this.written(service, model),
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
      .flatMap(({ sums }) => sums.sums)
      .concat([...this.openElsewhere, ...ours].map(sumOf))
      .filter(({ day }) => monthOf(day) >= month);
  }

  /** Requests that have not ended, except those that this window counts itself. */
  get openElsewhere(): readonly StoredUsage[] {
    const known = [...this.#months.values()].flatMap(({ sums }) => sums.open);
    return known.filter(({ id }) => !this.#records.has(id));
  }

  /** The counted record of a request of this window. */
  find(id: string): StoredUsage | undefined {
    return this.#records.get(id);
  }

  /** Counts a record in this window from now on, in place of an earlier one of its request. */
  count(record: StoredUsage): void {
    this.#records.set(record.id, record);
  }

  /**
   * Appends a line, after those before it of the same request. Resolves with false if that fails;
   * the record still counts in this window.
   */
  append(record: StoredUsage): Promise<boolean> {
    const { id } = record;
    const last = this.#writing.get(id);
    const writing = last === undefined ? this.#write(record) : last.then(() => this.#write(record));
    this.#writing.set(id, writing);
    return writing.finally(() => {
      if (this.#writing.get(id) === writing) this.#writing.delete(id);
    });
  }

  /** Ended requests whose line could not be stored, or was damaged. */
  get unread(): readonly StoredUsage[] {
    const first = daysLater(this.#today, -1);
    const month = monthOf(this.#today);
    return [...this.#records.values()].filter((record) => {
      const isRead = record.day >= first && monthOf(record.day) >= month;
      if (record.state !== 'done' || !isRead || !this.#appended.has(record)) return false;
      // An unreadable line would be retried forever.
      return readUsageRecord(writeUsageRecord(record)) !== undefined;
    });
  }

  /**
   * Reads new lines; false if that failed. One reading must end before the next begins.
   *
   * @param onRecord called before a line is counted
   */
  async read(onRecord?: (record: StoredUsage) => void): Promise<boolean> {
    const { files, fileOf, onError } = this.#options;
    const today = this.#today;
    const options = { last: fileOf(today), since: daysLater(today, -1), isOver: false };
    const addRead = (record: StoredUsage): boolean => {
      onRecord?.(record);
      return this.#addRead(record);
    };
    try {
      const names = await files.names();
      let isChanged = false;
      for (const month of this.#monthsIn(names, monthOf(today)))
        isChanged = (await month.read({ ...options, names, onRecord: addRead })) || isChanged;
      if (isChanged) this.#changed.fire(undefined);
      return true;
    } catch (error) {
      onError('Reading the usage', error);
      return false;
    }
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #write(record: StoredUsage): Promise<boolean> {
    const { files, fileOf, onError } = this.#options;
    try {
      await files.append(fileOf(record.day), `${writeUsageRecord(record)}\n`);
      return true;
    } catch (error) {
      onError('Writing the usage', error);
      return false;
    } finally {
      this.#appended.add(record);
    }
  }

  get #today(): string {
    return localDay(this.#options.clock.wall());
  }

  /** Usage of requests that have ended, except the demo's. */
  #settled(isIn: (day: string) => boolean, chat?: string): UsageByModel {
    const known = [...this.#months.values()].flatMap(({ sums }) => [
      ...sums.settled(isIn, chat, this.written),
    ]);
    const ours = [...this.#records.values()]
      .filter(({ state, usage, demo }) => state === 'done' && usage.requests > 0 && !demo)
      .filter((record) => isIn(record.day) && (chat === undefined || record.chat === chat))
      .map(({ service, model, usage }) => [this.written(service, model), usage] as const);
    return [...known, ...ours].reduce<UsageByModel>(
      (sum, [model, usage]) => addModelUsage(sum, model, usage),
      new Map(),
    );
  }

  /** Requests that have not ended, except the demo's. */
  #open(isIn: (day: string) => boolean): readonly StoredUsage[] {
    const ours = [...this.#records.values()].filter(({ state }) => state === 'sent');
    return [...this.openElsewhere, ...ours].filter(({ day, demo }) => !demo && isIn(day));
  }

  /** True if a line counts. False if another window ended a request that still runs here. */
  #addRead(record: StoredUsage): boolean {
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

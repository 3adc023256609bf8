import { TaskQueue } from '../../core/support/async.ts';
import { background } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { dayOfFile, idOf, linesOf, monthOfFile, sumOf, UsageMonth } from './usageMonth.ts';
import type { UsageFiles, UsageSum } from './usageMonth.ts';
import {
  interrupted,
  isInterrupted,
  localDay,
  monthOf,
  readProgress,
  readUsageRecord,
  writeProgress,
  writeUsageRecord,
  type UsageRecord,
} from './usageRecord.ts';

/** This month's usage of all windows. */
export interface MonthUsage {
  /** Requests that have ended, or whose window is gone. */
  readonly ended: readonly UsageSum[];
  /** Requests that have not ended. */
  readonly running: readonly UsageRecord[];
}

/** Milliseconds after the last line of a request until its window counts as gone. */
const maxSilence = 120_000;

/** Milliseconds before lines that could not be written are tried again. */
const writeAgainDelay = 15_000;

/** Milliseconds after its end during which a month counts as current: time zones and clocks change. */
const monthChange = 48 * 3_600_000;

interface Line {
  readonly file: string;
  readonly text: string;
  readonly state: 'sent' | 'running' | 'used';
}

/**
 * The log of requests, which all windows share: one file a month that only grows. Sums are made by
 * reading on from where it was read last.
 */
export class UsageLog implements Disposable {
  readonly #files: UsageFiles;
  readonly #fileOf: (day: string) => string;
  readonly #clock: Clock;
  readonly #onError: (what: string, error: unknown) => void;
  readonly #changed = new Emitter<undefined>();
  readonly #months = new Map<string, UsageMonth>();
  /** Records of this window's requests, each until its `used` line was read. */
  readonly #own = new Map<string, UsageRecord>();
  readonly #reading = new TaskQueue();
  readonly #writing = new TaskQueue();
  /** Called when the `sent` line of a request was read, before it counts. */
  readonly #claims = new Map<string, () => void>();
  /** The lines to write, in their order, the last one of each request. */
  readonly #lines = new Map<string, Line>();
  #writingAgain: Disposable | undefined;
  #isDisposed = false;

  /** Fires when lines were read. */
  readonly onDidChange = this.#changed.event;

  /** @param fileOf the log file of a day in the form `2030-01-31` */
  constructor(
    files: UsageFiles,
    fileOf: (day: string) => string,
    clock: Clock,
    onError: (what: string, error: unknown) => void,
  ) {
    this.#files = files;
    this.#fileOf = fileOf;
    this.#clock = clock;
    this.#onError = onError;
  }

  get today(): string {
    return localDay(this.#clock.wall());
  }

  /** As read last. With it, all budgets are summed up at once. */
  get thisMonth(): MonthUsage {
    const month = this.#month(monthOf(this.today));
    const ours = [...this.#own.values()];
    const ended = ours.filter(({ state, usage }) => state === 'used' && usage.requests > 0);
    const running = ours.filter(({ state }) => state === 'sent');
    for (const { record, before, silence } of month.open) {
      if (this.#own.has(record.id)) continue;
      if (silence > maxSilence) ended.push(interrupted(record, before));
      else running.push(record);
    }
    return { ended: [...month.sums, ...ended.map(sumOf)], running };
  }

  /** The sums of this month, with estimates for requests that have not ended. */
  get sums(): readonly UsageSum[] {
    const { ended, running } = this.thisMonth;
    return [...ended, ...running.map(sumOf)];
  }

  /** Reads the sums of all months from `from` on, for example `2030-01`; all months if it is empty. */
  async read(from: string): Promise<readonly UsageSum[]> {
    const running = monthOf(this.today);
    const months = (await this.months()).filter((month) => month >= from && month !== running);
    const past: UsageSum[] = [];
    for (const month of months) {
      await this.#reading.run(async () => this.#month(month).read(await this.#files.names()));
      past.push(...this.#month(month).sums);
      const open = this.#month(month).open.filter(({ record }) => !this.#own.has(record.id));
      past.push(...open.map(({ record, before }) => sumOf(interrupted(record, before))));
    }
    await this.refresh();
    return [...past, ...this.sums];
  }

  /** The months with lines, oldest first. */
  async months(): Promise<readonly string[]> {
    const months = (await this.#files.names()).map(monthOfFile);
    return [...new Set(months.filter((month) => month !== undefined))].toSorted();
  }

  /** Months that can be deleted without affecting a budget, oldest first. */
  async deletable(): Promise<readonly string[]> {
    const running = monthOf(localDay(this.#clock.wall() - monthChange));
    return (await this.months()).filter((month) => month < running);
  }

  async remove(months: readonly string[]): Promise<void> {
    for (const name of await this.#files.names())
      // Version 1.0 stored sums beside the lines.
      if (months.includes(monthOfFile(name.replace(/\.sums\.json$/, '.jsonl')) ?? ''))
        await this.#files.remove(name);
  }

  /**
   * Reads the requests of a month in the order of sending, as their last lines tell them.
   *
   * @param chat the only chat whose requests are read; all if undefined
   */
  async requests(month: string, chat?: string): Promise<readonly UsageRecord[]> {
    const names = (await this.#files.names()).filter((name) => monthOfFile(name) === month);
    const records = new Map<string, UsageRecord>();
    // Most lines are those of other chats.
    const ofChat = chat === undefined ? '' : `"chat":${JSON.stringify(chat)}`;
    for (const name of names)
      for await (const lines of linesOf(this.#files, name))
        for (const line of lines) {
          const known = records.get(idOf(line));
          const progress = known?.state === 'sent' ? readProgress(line) : undefined;
          if (known !== undefined && progress !== undefined)
            records.set(known.id, { ...known, usage: progress.usage });
          const isOurs = known !== undefined || line.includes(ofChat);
          const record = isOurs ? readUsageRecord(line, dayOfFile(name)) : undefined;
          const isNews = known?.state !== 'used' || isInterrupted(known);
          if (record !== undefined && isNews) records.set(record.id, { ...known, ...record });
        }
    return [...records.values()].toSorted((a, b) => a.at - b.at);
  }

  /** Counts a record in this window from now on, in place of an earlier one of its request. */
  count(record: UsageRecord): void {
    this.#own.set(record.id, record);
  }

  /**
   * Appends the `sent` line of a request, and reads all lines before it: its place decides what
   * counts before it, however many windows append at the same time.
   *
   * @param decide called when all lines before it were read
   * @returns false if it couldn't be written; then it isn't written later either
   * @throws if the lines can't be read
   */
  async claim(record: UsageRecord, decide: () => void): Promise<boolean> {
    const { id } = record;
    this.#claims.set(id, decide);
    try {
      const isWritten = await this.append(record);
      if (isWritten) await this.refresh();
      else this.#lines.delete(id);
      return isWritten;
    } finally {
      this.#claims.delete(id);
    }
  }

  /** Appends the line of a request. Resolves with false if it couldn't be written yet. */
  append(record: UsageRecord): Promise<boolean> {
    const { id, state } = record;
    // The `used` line has everything that an unwritten line before it says.
    this.#lines.delete(id);
    const file = this.#fileOf(record.day);
    this.#lines.set(id, { file, text: writeUsageRecord(record), state });
    return this.#writeAll();
  }

  /** Appends what a request has used so far. */
  appendProgress(record: UsageRecord): Promise<boolean> {
    const { id, usage, day } = record;
    if (this.#lines.get(id)?.state !== 'sent') {
      const text = writeProgress({ id, time: this.#clock.wall(), usage });
      this.#lines.set(id, { file: this.#fileOf(day), text, state: 'running' });
    }
    return this.#writeAll();
  }

  /** Reads new lines of the months that count. */
  refresh(): Promise<void> {
    return this.#reading.run(async () => {
      const months = new Set(
        [this.today, ...[...this.#own.values()].map(({ day }) => day)].map(monthOf),
      );
      const names = await this.#files.names();
      let isChanged = false;
      for (const month of months)
        isChanged =
          (await this.#month(month).read(names, (id) => this.#claims.get(id)?.())) || isChanged;
      for (const [id, { day }] of this.#own)
        if (this.#month(monthOf(day)).hasEnded(id)) this.#own.delete(id);
      if (isChanged) this.#changed.fire(undefined);
    });
  }

  /** Tries once more to write all lines. */
  async flush(): Promise<void> {
    await this.#writeAll();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#writingAgain?.dispose();
    this.#changed.dispose();
  }

  #month(name: string): UsageMonth {
    const month = this.#months.get(name) ?? new UsageMonth(this.#files, name, this.#clock);
    this.#months.set(name, month);
    return month;
  }

  /** Writes all lines; false if one can't be written, which is tried again later. */
  #writeAll(): Promise<boolean> {
    return this.#writing.run(async () => {
      for (const [id, line] of this.#lines) {
        try {
          await this.#files.append(line.file, `${line.text}\n`);
          if (this.#lines.get(id) === line) this.#lines.delete(id);
        } catch (error) {
          this.#onError('Writing the usage', error);
          if (!this.#isDisposed)
            this.#writingAgain ??= this.#clock.after(writeAgainDelay, () => {
              this.#writingAgain = undefined;
              background(this.#writeAll());
            });
          return false;
        }
      }
      return true;
    });
  }
}

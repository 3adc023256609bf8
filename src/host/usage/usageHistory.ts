import { TaskQueue } from '../../core/support/async.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { Ledger } from './ledger.ts';
import { monthOfFile, readRecords, sumsFile, UsageMonth, type UsageFiles } from './usageMonth.ts';
import { isInterrupted, localDay, monthOf, type StoredUsage } from './usageRecord.ts';
import { sumOf, type UsageSum } from './usageSums.ts';

interface UsageHistoryOptions {
  readonly files: UsageFiles;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly onError: (what: string, error: unknown) => void;
}

/**
 * Milliseconds after its end during which a month counts as current: time zones and clocks change.
 */
const monthChange = 48 * 3_600_000;

/** All months of the log. Reads those before the current one; the ledger reads the others. */
export class UsageHistory {
  readonly #options: UsageHistoryOptions;
  readonly #past = new Map<string, UsageMonth>();
  readonly #tasks = new TaskQueue();

  constructor(options: UsageHistoryOptions) {
    this.#options = options;
  }

  /** The sums of all months from `from` on, for example `2030-01`; of all months if it is empty. */
  sums(from: string): Promise<readonly UsageSum[]> {
    return this.#tasks.run(() => this.#readSums(from));
  }

  /** The months with lines, oldest first. */
  async months(): Promise<readonly string[]> {
    return monthsIn(await this.#options.files.names());
  }

  /** Months that can be deleted without affecting a budget, oldest first. */
  async deletable(): Promise<readonly string[]> {
    const running = monthOf(localDay(this.#options.clock.wall() - monthChange));
    return (await this.months()).filter((month) => month < running);
  }

  async remove(months: readonly string[]): Promise<void> {
    const { files } = this.#options;
    const names = await files.names();
    const lines = names.filter((name) => months.includes(monthOfFile(name) ?? ''));
    for (const name of [...lines, ...months.map(sumsFile)])
      if (names.includes(name)) await files.remove(name);
  }

  /** The requests of a month in the order of sending, each with its last record. */
  async requests(month: string): Promise<readonly StoredUsage[]> {
    const { files } = this.#options;
    const records = new Map<string, StoredUsage>();
    for (const name of await files.names()) {
      if (monthOfFile(name) !== month) continue;
      const text = (await files.read(name)) ?? '';
      await readRecords(name, text, (record) => {
        const known = records.get(record.id);
        if (known?.state !== 'done' || isInterrupted(known)) records.set(record.id, record);
      });
    }
    return [...records.values()].toSorted((a, b) => a.at - b.at);
  }

  async #readSums(from: string): Promise<readonly UsageSum[]> {
    const { files, ledger, clock } = this.#options;
    await ledger.refresh();
    const running = monthOf(localDay(clock.wall()));
    const names = await files.names();
    const months = monthsIn(names).filter((month) => month >= from && month < running);
    const read = await Promise.all(months.map((month) => this.#readMonth(month, names)));
    return [...read.flat(), ...ledger.log.sums];
  }

  async #readMonth(month: string, names: readonly string[]): Promise<readonly UsageSum[]> {
    const { files, onError } = this.#options;
    const opened = this.#past.get(month) ?? new UsageMonth({ files, month, onError });
    this.#past.set(month, opened);
    await opened.read({ names, isOver: true });
    return [...opened.sums.sums, ...opened.sums.open.map(sumOf)];
  }
}

function monthsIn(names: readonly string[]): readonly string[] {
  const months = names.map(monthOfFile).filter((month) => month !== undefined);
  return [...new Set(months)].toSorted();
}

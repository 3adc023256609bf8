import * as z from 'zod/mini';
import type { Clock } from '../core/support/clock.ts';
import { parseJson } from '../core/support/json.ts';
import type { KeptFiles } from './keptFiles.ts';
import { budgetSetting, type BudgetSettings } from './settingValues.ts';

export type BudgetValue = BudgetSettings | 'invalid';

export interface SharedBudgetOptions {
  readonly files: Pick<KeptFiles, 'read' | 'write'>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const value: z.ZodMiniType<BudgetValue> = z.union([budgetSetting, z.literal('invalid')]);
const recordText = z.object({
  budget: value,
  /** What it replaced, the latest first. */
  replaced: z.array(value),
  /**
   * True if Aside itself set it. A change that VS Code reports may be another profile of that window, and
   * loosens no budget elsewhere.
   */
  isCommand: z.boolean(),
  /** Milliseconds since the Unix epoch. */
  at: z.number(),
});
type BudgetRecord = z.infer<typeof recordText>;

const file = 'budget.json';

/**
 * Milliseconds after which a record no longer counts: by then VS Code has noticed that its settings
 * changed. Windows with different profiles, or of different computers, share the record but not the
 * setting.
 */
const lifetime = 60 * 60_000;

const maxReplaced = 20;

/**
 * The budget that was last set in any window. VS Code may notice minutes later that another window
 * changed its settings, and must not send over the budget until then.
 */
export class SharedBudget {
  readonly #options: SharedBudgetOptions;
  #setting: BudgetValue;
  /** The text of the file when it was last read or written. */
  #text: string | undefined;
  #record: BudgetRecord | undefined;
  /** When the record expires, by the monotonic clock. */
  #expiry = 0;
  #isRead = false;
  #isChangedSinceRead = false;
  /** True if the record was written after the setting of this window got its value. */
  #isNewer = false;
  /** True if this window wrote the record, so that VS Code has no older value to report here. */
  #isOurs = false;
  /** The last step: each begins with what the one before it read or wrote. */
  #step: Promise<void> = Promise.resolve();

  /** @param setting the value that VS Code has in this window */
  constructor(setting: BudgetValue, options: SharedBudgetOptions) {
    this.#setting = setting;
    this.#options = options;
  }

  /** The budget in force, as of the last refresh. */
  get current(): BudgetValue {
    const record = this.#current;
    if (record === undefined) return this.#setting;
    const { budget, replaced, isCommand } = record;
    const isLate = isCommand && this.#isNewer && includes(replaced, this.#setting);
    return isLate ? budget : tighterBudget(this.#setting, budget);
  }

  /** Reads what other windows set. */
  refresh(): Promise<void> {
    return this.#inTurn(() => this.#read());
  }

  /** VS Code has a new value in this window; resolves when other windows can read it. */
  change(setting: BudgetValue): Promise<void> {
    const before = this.#setting;
    this.#setting = setting;
    this.#isNewer = false;
    this.#isChangedSinceRead = true;
    return this.#inTurn(async () => {
      await this.#read();
      const record = this.#current;
      if (record === undefined || this.#follows(record, before, setting))
        await this.#writeOurs(setting, before, false);
      // The window had missed the record, so this may be newer or older.
      else if (unitsAgree(setting, record.budget) && !includes(record.replaced, setting))
        await this.#write(tighterBudget(setting, record.budget), before, false);
    });
  }

  /** Aside has written the setting; resolves when other windows can read it. */
  set(setting: BudgetSettings): Promise<void> {
    const before = this.#setting;
    this.#setting = setting;
    return this.#inTurn(async () => {
      await this.#read();
      await this.#writeOurs(setting, before, true);
    });
  }

  get #current(): BudgetRecord | undefined {
    return this.#options.clock.monotonic() < this.#expiry ? this.#record : undefined;
  }

  /** Whether a change of the setting came after the record, and not late from before it. */
  #follows(record: BudgetRecord, before: BudgetValue, setting: BudgetValue): boolean {
    return (
      isSameBudget(before, record.budget) && (this.#isOurs || !includes(record.replaced, setting))
    );
  }

  async #read(): Promise<void> {
    const { files, clock, onError } = this.#options;
    try {
      const text = await files.read(file);
      const record = recordText.safeParse(parseJson(text ?? '')).data;
      if (text !== this.#text && record !== undefined) {
        const age = Math.max(0, clock.wall() - record.at);
        this.#keep(record, text, clock.monotonic() + lifetime - age);
        this.#isNewer = this.#isRead && !this.#isChangedSinceRead;
        this.#isOurs = false;
      }
      this.#isRead = true;
      this.#isChangedSinceRead = false;
    } catch (error) {
      onError(error);
    }
  }

  async #writeOurs(setting: BudgetValue, before: BudgetValue, isCommand: boolean): Promise<void> {
    await this.#write(setting, before, isCommand);
    this.#isOurs = true;
  }

  /** Where the file can't be written, the record counts in this window alone. */
  async #write(budget: BudgetValue, before: BudgetValue, isCommand: boolean): Promise<void> {
    const { files, clock, onError } = this.#options;
    const last = this.#current;
    this.#isNewer = false;
    this.#isOurs = false;
    if (last !== undefined && isSameBudget(last.budget, budget)) return;
    const all = [before, ...(last === undefined ? [] : [last.budget, ...last.replaced])];
    const record = {
      budget,
      replaced: all.filter((candidate) => !isSameBudget(candidate, budget)).slice(0, maxReplaced),
      isCommand,
      at: clock.wall(),
    };
    const text = JSON.stringify(record);
    this.#keep(record, this.#text, clock.monotonic() + lifetime);
    try {
      await files.write(file, text);
      this.#text = text;
    } catch (error) {
      onError(error);
    }
  }

  #keep(record: BudgetRecord, text: string | undefined, expiry: number): void {
    this.#record = record;
    this.#text = text;
    this.#expiry = expiry;
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    this.#step = this.#step.then(step);
    return this.#step;
  }
}

/** The limits that hold where either budget may be the one that was set last. */
export function tighterBudget(one: BudgetValue, other: BudgetValue): BudgetValue {
  if (one === 'invalid' || other === 'invalid') return 'invalid';
  if (!hasLimit(other)) return one;
  if (!hasLimit(one)) return other;
  // Limits in tokens and in money can't be compared.
  if (one.unit !== other.unit) return 'invalid';
  const { unit } = one;
  const { chat, day, month } = one;
  return {
    chat: smaller(chat, other.chat),
    day: smaller(day, other.day),
    month: smaller(month, other.month),
    unit,
  };
}

function smaller(one = Infinity, other = Infinity): number | undefined {
  const limit = Math.min(one, other);
  return limit === Infinity ? undefined : limit;
}

function hasLimit({ chat, day, month }: BudgetSettings): boolean {
  return [chat, day, month].some((limit) => limit !== undefined);
}

function unitsAgree(one: BudgetValue, other: BudgetValue): boolean {
  return one !== 'invalid' && other !== 'invalid' && one.unit === other.unit;
}

export function isSameBudget(one: BudgetValue, other: BudgetValue): boolean {
  if (one === 'invalid' || other === 'invalid') return one === other;
  const limits = ['chat', 'day', 'month', 'unit'] as const;
  return limits.every((limit) => one[limit] === other[limit]);
}

function includes(values: readonly BudgetValue[], wanted: BudgetValue): boolean {
  return values.some((candidate) => isSameBudget(candidate, wanted));
}

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
  /** The budgets that it replaced, the latest first. */
  replaced: z.array(value),
  /**
   * True if Aside itself set it. A change that VS Code reports may be a switch to another profile, and
   * must not loosen the budget of other windows.
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
  /** Time when the record expires, by the monotonic clock. */
  #expiry = 0;
  #isRead = false;
  #isChangedSinceRead = false;
  /** True if the record was written after the setting of this window got its value. */
  #isNewer = false;
  /** True if this window wrote the record, so that VS Code has no older value to report here. */
  #isOurs = false;
  /** The last step. Each one starts from the state that the one before it read or wrote. */
  #step: Promise<void> = Promise.resolve();

  /** @param setting the value that VS Code has in this window */
  constructor(setting: BudgetValue, options: SharedBudgetOptions) {
    this.#setting = setting;
    this.#options = options;
  }

  get current(): BudgetValue {
    const record = this.#current;
    if (record === undefined) return this.#setting;
    const { budget, replaced, isCommand } = record;
    const isLate = isCommand && this.#isNewer && includes(replaced, this.#setting);
    return isLate ? budget : tighterBudget(this.#setting, budget);
  }

  refresh(): Promise<void> {
    return this.#inTurn(() => this.#read());
  }

  /** Takes a new value that VS Code reports. Resolves when other windows can read it. */
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
      // This window hadn't seen the record, so the setting may be newer or older.
      else if (unitsAgree(setting, record.budget) && !includes(record.replaced, setting))
        await this.#write(tighterBudget(setting, record.budget), before, false);
    });
  }

  /** Takes a value that Aside itself wrote. Resolves when other windows can read it. */
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

  /** True if the setting changed after the record was written, and isn't an older change seen late. */
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

  /** Writes the record. If the file can't be written, it counts in this window alone. */
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

/** The smaller limits of two budgets, for when either may be the one that was set last. */
export function tighterBudget(a: BudgetValue, b: BudgetValue): BudgetValue {
  if (a === 'invalid' || b === 'invalid') return 'invalid';
  if (!hasLimit(b)) return a;
  if (!hasLimit(a)) return b;
  // Limits in tokens and in money can't be compared.
  if (a.unit !== b.unit) return 'invalid';
  const { unit } = a;
  const { chat, day, month } = a;
  const names = new Set([a, b].flatMap(({ accounts = {} }) => Object.keys(accounts)));
  const accounts = [...names].map((name) => {
    const [first, second] = [a.accounts?.[name], b.accounts?.[name]];
    const limits = {
      day: smaller(first?.day, second?.day),
      month: smaller(first?.month, second?.month),
    };
    return [name, limits] as const;
  });
  return {
    chat: smaller(chat, b.chat),
    day: smaller(day, b.day),
    month: smaller(month, b.month),
    ...(names.size > 0 && { accounts: Object.fromEntries(accounts) }),
    unit,
  };
}

function smaller(a = Infinity, b = Infinity): number | undefined {
  const limit = Math.min(a, b);
  return limit === Infinity ? undefined : limit;
}

function hasLimit({ chat, day, month, accounts = {} }: BudgetSettings): boolean {
  const ofAccounts = Object.values(accounts).flatMap((limits) => [limits.day, limits.month]);
  return [chat, day, month, ...ofAccounts].some((limit) => limit !== undefined);
}

function unitsAgree(a: BudgetValue, b: BudgetValue): boolean {
  return a !== 'invalid' && b !== 'invalid' && a.unit === b.unit;
}

export function isSameBudget(a: BudgetValue, b: BudgetValue): boolean {
  if (a === 'invalid' || b === 'invalid') return a === b;
  const limits = ['chat', 'day', 'month', 'unit'] as const;
  const hasSameAccounts = JSON.stringify(a.accounts) === JSON.stringify(b.accounts);
  return hasSameAccounts && limits.every((limit) => a[limit] === b[limit]);
}

function includes(values: readonly BudgetValue[], wanted: BudgetValue): boolean {
  return values.some((candidate) => isSameBudget(candidate, wanted));
}

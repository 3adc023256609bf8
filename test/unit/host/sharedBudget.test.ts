import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { BudgetSettings } from '../../../src/host/settingValues.ts';
import { SharedBudget, tighterBudget, type BudgetValue } from '../../../src/host/sharedBudget.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { runs } from '../../support/sample.ts';

const hour = 60 * 60_000;

class Folder {
  readonly texts = new Map<string, string>();
  readonly errors: unknown[] = [];
  isReadOnly = false;
  isUnreadable = false;

  async read(name: string): Promise<string | undefined> {
    await Promise.resolve();
    if (this.isUnreadable) throw new Error('unreadable');
    return this.texts.get(name);
  }

  async write(name: string, text: string): Promise<void> {
    await Promise.resolve();
    if (this.isReadOnly) throw new Error('read-only');
    this.texts.set(name, text);
  }
}

interface BudgetWindow {
  readonly shared: SharedBudget;
  /** Values in the settings file that VS Code has not noticed in this window. */
  readonly waiting: BudgetValue[];
}

/** Windows in which changes of settings arrive late. */
class Windows {
  readonly clock = new ManualClock();
  readonly folder = new Folder();
  readonly #windows: BudgetWindow[] = [];
  setting: BudgetValue;

  constructor(setting: BudgetValue, count = 2) {
    this.setting = setting;
    for (let index = 0; index < count; index += 1) this.open();
  }

  open(): void {
    const onError = (error: unknown): void => void this.folder.errors.push(error);
    const options = { files: this.folder, clock: this.clock, onError };
    this.#windows.push({ shared: new SharedBudget(this.setting, options), waiting: [] });
  }

  async start(): Promise<void> {
    for (const { shared } of this.#windows) await shared.refresh();
  }

  /** Sets the budget by Aside's command. */
  async set(index: number, budget: BudgetSettings): Promise<void> {
    this.#save(index, budget);
    await this.#at(index).shared.set(budget);
  }

  /** Edits the settings file, which only this window notices immediately. */
  async edit(index: number, budget: BudgetValue): Promise<void> {
    this.#save(index, budget);
    await this.#at(index).shared.change(budget);
  }

  /** Lets VS Code notice the next changes in a window. */
  async notice(index: number, count = Infinity): Promise<void> {
    const { shared, waiting } = this.#at(index);
    const last = waiting.splice(0, Math.min(count, waiting.length)).at(-1);
    if (last !== undefined) await shared.change(last);
  }

  async noticeAll(): Promise<void> {
    for (const index of this.#windows.keys()) await this.notice(index);
  }

  /** The budget that applies to the next request of a window. */
  async admits(index: number): Promise<BudgetValue> {
    const { shared } = this.#at(index);
    await shared.refresh();
    return plain(shared.current);
  }

  get count(): number {
    return this.#windows.length;
  }

  #save(writer: number, budget: BudgetValue): void {
    this.setting = budget;
    for (const [index, { waiting }] of this.#windows.entries())
      if (index === writer) waiting.length = 0;
      else waiting.push(budget);
  }

  #at(index: number): BudgetWindow {
    const window = this.#windows[index % this.#windows.length];
    assert.ok(window);
    return window;
  }
}

function plain(budget: BudgetValue): BudgetValue {
  if (budget === 'invalid') return budget;
  const { chat, day: daily, month, unit } = budget;
  return {
    ...(chat === undefined ? {} : { chat }),
    ...(daily === undefined ? {} : { day: daily }),
    ...(month === undefined ? {} : { month }),
    unit,
  };
}

function day(limit: number): BudgetSettings {
  return { day: limit, unit: 'tokens' };
}

async function windowsWith(limit: number): Promise<Windows> {
  const windows = new Windows(day(limit));
  await windows.start();
  return windows;
}

describe('a budget that several windows share', () => {
  it('is not raised in a window with a different setting', async () => {
    const windows = await windowsWith(10);
    await windows.edit(1, day(3));
    await windows.set(0, day(50));
    windows.open();
    assert.deepEqual(await windows.admits(1), day(50), 'the setting was replaced');
    const foreign = new SharedBudget(day(7), {
      files: windows.folder,
      clock: windows.clock,
      onError: (error) => assert.ifError(error),
    });
    await foreign.refresh();
    assert.deepEqual(plain(foreign.current), day(7));
  });

  it('keeps the known value if the file is damaged', async () => {
    for (const text of ['', '{', 'null', '[]', '{"budget":{"day":-1},"replaced":[],"at":0}']) {
      const windows = await windowsWith(10);
      await windows.set(0, day(5));
      assert.deepEqual(await windows.admits(1), day(5));
      for (const name of windows.folder.texts.keys()) windows.folder.texts.set(name, text);
      assert.deepEqual(await windows.admits(1), day(5));
      windows.open();
      assert.deepEqual(await windows.admits(2), windows.setting);
      await windows.set(1, day(4));
      assert.deepEqual(await windows.admits(0), day(4));
    }
  });

  it("is the window's setting if the file can't be written, and the last known one if it can't be read", async () => {
    const windows = await windowsWith(10);
    await windows.set(0, day(5));
    assert.deepEqual(await windows.admits(1), day(5));
    windows.folder.isReadOnly = true;
    await windows.set(0, day(7));
    assert.deepEqual(await windows.admits(0), day(7));
    assert.equal(windows.folder.errors.length, 1);
    windows.folder.isUnreadable = true;
    assert.deepEqual(await windows.admits(0), day(7));
    assert.deepEqual(await windows.admits(1), day(5));
  });

  it('is never looser than the last saved setting, and equal when all windows have noticed it', async () => {
    const window = fc.nat({ max: 2 });
    const step = fc.oneof(
      fc.record({ type: fc.constant('set'), window, limit: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ type: fc.constant('edit'), window, limit: fc.constant(0) }),
      fc.record({ type: fc.constant('notice'), window, limit: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ type: fc.constant('admit'), window, limit: fc.constant(0) }),
      fc.record({ type: fc.constant('open'), window, limit: fc.constant(0) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 25 }),
        fc.array(fc.double({ min: 0.5, max: 6, noNaN: true }), { minLength: 25, maxLength: 25 }),
        async (steps, fresh) => {
          const windows = new Windows(day(3), 3);
          await windows.start();
          for (const [index, { type, window: at, limit }] of steps.entries()) {
            if (type === 'set') await windows.set(at, day(limit));
            // A value that is set again can't be distinguished from one that arrives late.
            if (type === 'edit') await windows.edit(at, day((fresh[index] ?? 0) + index / 1000));
            if (type === 'notice') await windows.notice(at, limit);
            if (type === 'open') windows.open();
            const budget = await windows.admits(at);
            assert.deepEqual(plain(tighterBudget(budget, windows.setting)), budget);
            if (type === 'set') assert.deepEqual(budget, windows.setting);
          }
          await windows.noticeAll();
          await windows.clock.advance(hour);
          for (let index = 0; index < windows.count; index += 1)
            assert.deepEqual(await windows.admits(index), windows.setting);
        },
      ),
      { numRuns: runs(5000) },
    );
  });
});

describe('the tighter of two budgets', () => {
  const limit = fc.option(fc.nat(), { nil: undefined });
  const budgets = fc.oneof(
    fc.constant<BudgetValue>('invalid'),
    fc.record({
      chat: limit,
      day: limit,
      month: limit,
      accounts: fc.option(
        fc.dictionary(fc.constantFrom('a', 'b'), fc.record({ day: fc.nat() }), { minKeys: 1 }),
        { nil: undefined },
      ),
      unit: fc.constantFrom<BudgetSettings['unit'][]>('tokens', 'money'),
    }),
  );

  it('has no limit above either of them, and is the same for equal ones', () => {
    fc.assert(
      fc.property(budgets, budgets, (a, b) => {
        const tighter = tighterBudget(a, b);
        const isUnlimited = [a, b].every((budget) => Object.keys(plain(budget)).length === 1);
        if (!isUnlimited) assert.deepEqual(plain(tighter), plain(tighterBudget(b, a)));
        assert.deepEqual(plain(tighterBudget(a, a)), plain(a));
        if (tighter === 'invalid') return;
        assert.ok(a !== 'invalid' && b !== 'invalid');
        for (const period of ['chat', 'day', 'month'] as const) {
          const most = Math.min(a[period] ?? Infinity, b[period] ?? Infinity);
          assert.equal(tighter[period] ?? Infinity, most);
        }
        for (const name of ['a', 'b']) {
          const dayOf = ({ accounts }: BudgetSettings): number => accounts?.[name]?.day ?? Infinity;
          assert.equal(dayOf(tighter), Math.min(dayOf(a), dayOf(b)));
        }
      }),
    );
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Emitter } from '../../../../src/core/support/event.ts';
import { BudgetNotices } from '../../../../src/host/usage/budgetNotices.ts';
import type { UsedBudget } from '../../../../src/host/usage/budgets.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { FakeMemento } from '../fakes.ts';

/** A window with budgets of which nothing is used at first. */
class FakeWindow {
  /** The amounts used at each notice. */
  readonly told: number[] = [];
  mayTell = true;
  #budgets: readonly UsedBudget[] = (['day', 'chat', 'month'] as const).map((of) => day(0, { of }));
  readonly #changed = new Emitter<undefined>();
  readonly exceeded = new Emitter<undefined>();
  readonly notices: BudgetNotices;

  constructor(state = new FakeMemento()) {
    this.notices = new BudgetNotices({
      budgets: () => this.#budgets,
      state,
      mayTell: () => this.mayTell,
      tell: ({ spent }) => Promise.resolve(void this.told.push(spent)),
      onDidChange: this.#changed.event,
      onDidExceed: this.exceeded.event,
    });
  }

  uses(...budgets: readonly UsedBudget[]): void {
    this.#budgets = budgets;
    this.#changed.fire(undefined);
  }
}

function day(spent: number, more: Partial<UsedBudget> = {}): UsedBudget {
  const budget = { of: 'day', unit: 'tokens', limit: 1000, period: '2030-01-31' } as const;
  return { ...budget, spent, reserved: 0, running: 0, ...more };
}

describe('notices of budgets', () => {
  it('are shown once at half, three quarters and nine tenths, and not before or in between', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(150), { maxLength: 60 }), (steps) => {
        const window = new FakeWindow();
        const wanted: number[] = [];
        let [spent, reached] = [0, 0];
        for (const step of steps) {
          spent += step;
          const share = [900, 750, 500].find((step) => spent >= step) ?? 0;
          if (share > reached) wanted.push(spent);
          reached = Math.max(reached, share);
          window.uses(day(spent));
        }
        assert.deepEqual(window.told, wanted);
      }),
    );
  });

  it('are shown in one window, and not again after a reload', () => {
    const state = new FakeMemento();
    const [first, second] = [new FakeWindow(state), new FakeWindow(state)];
    first.uses(day(600));
    second.uses(day(650));
    const reloaded = new FakeWindow(state);
    reloaded.uses(day(700));
    second.uses(day(760));
    assert.deepEqual([first.told, second.told, reloaded.told], [[600], [760], []]);
  });

  it('wait until they may be shown, and are not if an error says the same until then', () => {
    for (const isExceeded of [false, true]) {
      const window = new FakeWindow();
      window.mayTell = false;
      for (const spent of [600, 950]) window.uses(day(spent));
      if (isExceeded) window.exceeded.fire(undefined);
      assert.deepEqual(window.told, []);
      window.mayTell = true;
      for (const spent of [950, 990]) window.uses(day(spent));
      assert.deepEqual(window.told, isExceeded ? [] : [950]);
    }
  });

  it('are not shown for a limit that was just set, until more of it is used', () => {
    const window = new FakeWindow();
    window.uses(day(600, { limit: 900 }));
    window.uses(day(2, { limit: 2, unit: 'money' }));
    window.uses(day(700, { limit: 900 }));
    assert.deepEqual(window.told, []);
    window.uses(day(850, { limit: 900 }));
    assert.deepEqual(window.told, [850]);
  });

  it('cover each budget separately, and restart with another day or chat', () => {
    const ofAccount = { account: 'work' };
    const window = new FakeWindow();
    window.uses(day(600), day(100, { of: 'chat' }), day(0, ofAccount));
    window.uses(day(610), day(620, { of: 'chat' }), day(630, ofAccount));
    window.uses(day(640, { period: '2030-02-01' }), day(650, { of: 'chat', period: 'c2' }));
    assert.deepEqual(window.told, [600, 620, 630, 640, 650]);
    window.notices.dispose();
    window.uses(day(1000));
    assert.equal(window.told.length, 5);
  });

  it('offer to show the usage and to set the budget', async () => {
    const vscode = `
      export const run = [];
      const answers = ['Show Usage', 'Set Budget…', undefined];
      export const l10n = { t: (text) => text };
      export const window = { showInformationMessage: async () => answers.shift() };
      export const commands = { executeCommand: async (id) => run.push(id) };
    `;
    const { tellOfBudget, fake } = await withFakeVsCode(vscode, async () => ({
      ...(await import('../../../../src/host/usage/budgetNotices.ts')),
      fake: await import('vscode'),
    }));
    for (const spent of [500, 800, 1000])
      await tellOfBudget(day(spent), { language: 'en', currency: '$' });
    assert.deepEqual(Reflect.get(fake, 'run'), ['aside.showUsage', 'aside.setBudget']);
  });
});

import assert from 'node:assert/strict';
import * as l10n from '@vscode/l10n';
import fc from 'fast-check';
import { Emitter } from '../../../../src/core/support/event.ts';
import { BudgetNotices } from '../../../../src/host/usage/budgetNotices.ts';
import type { BudgetSettings } from '../../../../src/host/settingValues.ts';
import type { UsedBudget } from '../../../../src/host/usage/budgets.ts';
import { FakeMemento } from '../fakes.ts';

class FakeWindow {
  readonly messages: string[] = [];
  readonly ran: string[] = [];
  budgets: readonly UsedBudget[] = [];
  settings: BudgetSettings | 'invalid';
  isWanted = true;
  isReplying = false;
  answer: string | undefined;
  readonly #changed = new Emitter<undefined>();
  readonly #alerted = new Emitter<undefined>();
  readonly notices: BudgetNotices;

  constructor(state: FakeMemento, month = 1000) {
    this.settings = { chat: 1000, day: 1000, month, unit: 'tokens' };
    this.notices = new BudgetNotices({
      budgets: () => this.budgets,
      settings: () => this.settings,
      state,
      isWanted: () => this.isWanted,
      isReplying: () => this.isReplying,
      context: () => ({ l10n, language: 'en', currency: '$' }),
      notify: (message) => {
        this.messages.push(message);
        return Promise.resolve(this.answer);
      },
      run: (action) => this.ran.push(action),
      onDidChange: this.#changed.event,
      onDidAlert: this.#alerted.event,
    });
  }

  uses(...budgets: readonly UsedBudget[]): void {
    this.budgets = budgets;
    this.#changed.fire(undefined);
  }

  /** Shows an error in the chat that says a budget is used up. */
  alerts(): void {
    this.#alerted.fire(undefined);
  }
}

function day(spent: number, more: Partial<UsedBudget> = {}): UsedBudget {
  const ended = { of: 'day', unit: 'tokens', limit: 1000, spent, period: '2030-01-31' } as const;
  return { ...ended, reserved: 0, running: 0, ...more };
}

describe('notices of budgets', () => {
  it('are shown once at half, three quarters and nine tenths, and not before or in between', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(150), { maxLength: 60 }), (steps) => {
        const window = new FakeWindow(new FakeMemento());
        let spent = 0;
        const wanted: number[] = [];
        let reached = 0;
        for (const step of steps) {
          spent += step;
          const share = [900, 750, 500].find((step) => spent >= step) ?? 0;
          if (share > reached) wanted.push(spent);
          reached = Math.max(reached, share);
          window.uses(day(spent));
        }
        assert.deepEqual(
          window.messages,
          wanted.map(
            (amount) =>
              `${String(Math.floor(amount / 10))}% of today's budget is used: ${amount.toLocaleString('en')} tokens of 1,000 tokens.`,
          ),
        );
      }),
    );
  });

  it('say if a budget can only stop replies, because the model accepts no maximum length', () => {
    const window = new FakeWindow(new FakeMemento());
    window.uses(day(500, { unlimitedModels: ['org/m', 'org/n\n'] }));
    assert.match(
      window.messages[0] ?? '',
      /^50% of .* 1,000 tokens\. org\/m, org\/n\S* doesn't accept a maximum reply length, so the budget can only stop a reply\.$/,
    );
    window.uses(day(800, { unlimitedModels: [] }));
    assert.doesNotMatch(window.messages[1] ?? '', /accept/);
  });

  it('are shown in one window, and not again after a reload', () => {
    const state = new FakeMemento();
    const [first, second] = [new FakeWindow(state), new FakeWindow(state)];
    first.uses(day(600));
    second.uses(day(650));
    new FakeWindow(state).uses(day(700));
    assert.deepEqual([first.messages.length, second.messages.length], [1, 0]);
    second.uses(day(760));
    assert.equal(second.messages.length, 1);
  });

  it('wait until the window is focused, and then show only the newest share', () => {
    const window = new FakeWindow(new FakeMemento());
    window.isWanted = false;
    window.uses(day(600));
    window.uses(day(950));
    assert.deepEqual(window.messages, []);
    window.isWanted = true;
    window.uses(day(950));
    assert.match(window.messages.join(), /^95%/);
    assert.equal(window.messages.length, 1);
  });

  it('are not shown if an error says the same, before and after, however often something changes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400), { minLength: 1, maxLength: 20 }), (steps) => {
        const window = new FakeWindow(new FakeMemento());
        window.isReplying = true;
        let spent = 0;
        for (const step of steps) window.uses(day((spent += step)));
        window.alerts();
        window.isReplying = false;
        window.uses(day(spent));
        window.uses(day(spent));
        assert.deepEqual(window.messages, []);
      }),
    );
  });

  it('are not shown for a limit that was just set, until more of it is used', () => {
    const window = new FakeWindow(new FakeMemento());
    window.settings = { day: 900, unit: 'tokens' };
    window.uses(day(600, { limit: 900 }));
    window.settings = { day: 2, unit: 'money' };
    window.uses(day(2, { limit: 2, unit: 'money' }));
    assert.deepEqual(window.messages, []);
    window.settings = { day: 900, unit: 'tokens' };
    window.uses(day(700, { limit: 900 }));
    window.uses(day(850, { limit: 900 }));
    assert.match(window.messages.join(), /^94%[^%]*$/);
  });

  it('restart with another day or chat', () => {
    const window = new FakeWindow(new FakeMemento());
    for (const more of [
      {},
      { period: '2030-02-01' },
      { of: 'chat', period: 'c1' },
      { of: 'chat', period: 'c2' },
      { of: 'month', period: '2030-01' },
    ] as const) {
      window.uses(day(600, more));
      window.uses(day(600, more));
    }
    assert.equal(window.messages.length, 5);
    assert.match(window.messages[2] ?? '', /^60% of this chat's budget/);
    assert.match(window.messages[4] ?? '', /^60% of this month's budget/);
  });

  it('offer to show the usage and to set the budget', async () => {
    const window = new FakeWindow(new FakeMemento());
    window.answer = 'Show Usage';
    window.uses(day(500));
    await Promise.resolve();
    window.answer = 'Set Budget…';
    window.uses(day(800));
    await Promise.resolve();
    window.answer = undefined;
    window.uses(day(1000));
    await Promise.resolve();
    assert.deepEqual(window.ran, ['showUsage', 'setBudget']);
    window.notices.dispose();
    window.uses(day(2000, { period: '2031-01-01' }));
    assert.equal(window.messages.length, 3);
  });

  it('cover each budget separately, and show a zero limit as used up', () => {
    const window = new FakeWindow(new FakeMemento(), 0);
    window.uses(day(800), day(100, { of: 'chat', period: 'c' }), day(0, { of: 'month', limit: 0 }));
    assert.deepEqual(window.messages, [
      "80% of today's budget is used: 800 tokens of 1,000 tokens.",
      "100% of this month's budget is used: 0 tokens of 0 tokens.",
    ]);
  });
});

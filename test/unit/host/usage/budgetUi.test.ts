import assert from 'node:assert/strict';
import { dialogsWith } from '../../../support/dialogsWith.ts';
import type { InputRequest } from '../../../../src/host/platform/dialogs.ts';
import type { BudgetSettings } from '../../../../src/host/platform/settingValues.ts';
import {
  readAmount,
  setBudget,
  BudgetNotices,
  exceeded,
  usedBudgetText,
  UnpricedModels,
} from '../../../../src/host/usage/budgetUi.ts';
import { currentSettings } from '../../../support/currentSettings.ts';
import fc from 'fast-check';
import { Emitter } from '../../../../src/core/support/event.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { FakeMemento } from '../fakes.ts';
import {
  BudgetExceededError,
  type Budget,
  type UsedBudget,
} from '../../../../src/core/service/budget.ts';
import type { Price } from '../../../../src/core/conversation/usage.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { UserError } from '../../../../src/host/platform/errors.ts';
import type { Sender } from '../../../../src/host/usage/requestAdmission.ts';
import { admissionOn, ledgerOf, MemoryLog, usageOf } from './usageRig.ts';

/** Runs the command with these picks and this input, and returns what was seen and written. */
async function set(budget: BudgetSettings | 'invalid', picked: readonly string[], typed?: string) {
  const written: BudgetSettings[] = [];
  const choices: string[] = [];
  const inputs: InputRequest[] = [];
  const messages: string[] = [];
  const picks = [...picked];
  await setBudget(
    {
      ...currentSettings(() => ({ budget, currency: '$' })),
      setBudget: (next) => Promise.resolve(void written.push(next)),
      setPrice: () => assert.fail(),
    },
    dialogsWith({
      pick(items) {
        choices.push(...items.map(({ label, description = '' }) => `${label} ${description}`));
        const wanted = picks.shift();
        return Promise.resolve(items.find(({ label }) => label === wanted)?.value);
      },
      prompt(request) {
        inputs.push(request);
        return Promise.resolve(typed);
      },
      showStatus: (message) => void messages.push(message),
    }),
  );
  return { written, choices, inputs, messages };
}

describe('setBudget', () => {
  it('shows the current limits, and adds another one', async () => {
    const now = { chat: 50_000, unit: 'tokens' } as const;
    const { written, choices, messages } = await set(now, ['Limit for Each Day'], '1.5M');
    assert.deepEqual(choices, [
      'Limit for Each Chat 50,000 tokens',
      'Limit for Each Day no limit',
      'Limit for Each Month no limit',
      'Limit for Each Turn 1,000,000 tokens',
      'Limit Money Instead of Tokens… ',
    ]);
    assert.deepEqual(written, [{ chat: 50_000, day: 1_500_000, unit: 'tokens' }]);
    assert.deepEqual(messages, ['Daily budget set to 1,500,000 tokens.']);
  });

  it('drops the limits of the other unit when that is changed, but not if it is changed back', async () => {
    const now = { chat: 50_000, day: 100_000, unit: 'tokens' } as const;
    const [inMoney, inTokens] = [
      'Limit Money Instead of Tokens…',
      'Limit Tokens Instead of Money…',
    ];
    const changed = await set(now, [inMoney, 'Limit for Each Day'], '2.50');
    assert.deepEqual(changed.written, [{ day: 2.5, unit: 'money' }]);
    assert.deepEqual(changed.messages, ['Daily budget set to $2.50.']);
    const { written } = await set(now, [inMoney, inTokens, 'Limit for Each Day'], '9k');
    assert.deepEqual(written, [{ ...now, day: 9000 }]);
  });

  it('removes a limit if the field is empty, and an invalid setting', async () => {
    const now = { chat: 5, day: 7, unit: 'money' } as const;
    const { written, inputs } = await set(now, ['Limit for Each Chat'], ' ');
    assert.equal(inputs[0]?.value, '5');
    assert.deepEqual(written, [{ chat: undefined, day: 7, unit: 'money' }]);
    const replaced = await set('invalid', ['Limit for Each Chat'], '9000');
    assert.deepEqual(replaced.written, [{ chat: 9000, unit: 'tokens' }]);
  });

  it('sets the limit of a turn, which has a default', async () => {
    const limit = ['Limit for Each Turn'];
    const tokens = await set({ chat: 5, unit: 'tokens' }, limit, '300k');
    assert.deepEqual(tokens.written, [{ chat: 5, turn: 300_000, unit: 'tokens' }]);
    assert.deepEqual(tokens.messages, ['Turn budget set to 300,000 tokens.']);
    assert.match(tokens.inputs[0]?.prompt ?? '', /has sent that many.* empty for 1,000,000 tokens/);
    const money = await set({ turn: 0.5, unit: 'money' }, limit, '');
    assert.equal(money.choices[3], 'Limit for Each Turn $0.50');
    assert.deepEqual(money.written, [{ turn: undefined, unit: 'money' }]);
    assert.deepEqual(money.messages, ['Turn budget set to 1,000,000 tokens.']);
    assert.match(money.inputs[0]?.prompt ?? '', /has cost .* in \$.* empty for 1,000,000 tokens/);
  });

  it('changes nothing if the person cancels at any step', async () => {
    const now = { day: 7, unit: 'money' } as const;
    for (const picked of [[], ['Limit Tokens Instead of Money…'], ['Limit for Each Day']])
      assert.deepEqual((await set(now, picked)).written, []);
  });

  it("rejects text that isn't an amount, with an example", async () => {
    const { inputs } = await set({ unit: 'tokens' }, ['Limit for Each Chat'], '1');
    const [input] = inputs;
    assert.equal(input?.check('many')?.severity, 'error');
    assert.match(input.check('many')?.text ?? '', /200,000/);
    for (const text of ['', ' ', '7', '7k']) assert.equal(input.check(text), undefined);
  });
});

describe('readAmount', () => {
  it('reads amounts as people write them, and nothing else', () => {
    const read = [
      { texts: ['200000', '200,000', '200.000'], tokens: 200_000, money: 200_000 },
      { texts: ["1'000'000", '1 000 000'], tokens: 1_000_000, money: 1_000_000 },
      { texts: ['50k'], tokens: 50_000, money: undefined },
      { texts: ['1.5M', '1,5 m'], tokens: 1_500_000, money: undefined },
      { texts: ['2.50', '2,50'], tokens: 3, money: 2.5 },
      { texts: ['0.125'], tokens: 0, money: 0.125 },
      { texts: [' 12 '], tokens: 12, money: 12 },
      { texts: ['', '-1', '1e9', '0x10', '1.2.3', '1,2.3', 'k', 'Infinity', '$5'] },
    ];
    for (const { texts, tokens, money } of read)
      for (const text of texts) {
        assert.equal(readAmount(text, 'tokens'), tokens, text);
        assert.equal(readAmount(text, 'money'), money, text);
      }
  });
});

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
    this.notices = new BudgetNotices(
      { budgets: () => this.#budgets, onDidChange: this.#changed.event },
      state,
      () => this.mayTell,
      ({ spent }) => Promise.resolve(void this.told.push(spent)),
      this.exceeded.event,
    );
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
      ...(await import('../../../../src/host/usage/budgetUi.ts')),
      fake: await import('vscode'),
    }));
    for (const spent of [500, 800, 1000])
      await tellOfBudget(day(spent), { language: 'en', currency: '$' });
    assert.deepEqual(Reflect.get(fake, 'run'), ['aside.showUsage', 'aside.setBudget']);
  });
});

const context = { language: 'en', currency: '$' } as const;
const budget = {
  of: 'day',
  unit: 'tokens',
  limit: 1000,
  spent: 600,
  reserved: 300,
  running: 1,
  period: '2030-01-31',
} as const;

describe('texts about budgets', () => {
  it('count what running requests may use as used when a request is refused', () => {
    const amounts = '900 tokens of 1,000 tokens used; this message needs about 200 tokens.';
    for (const [of, account, name] of [
      ['chat', undefined, 'chat budget'],
      ['day', undefined, 'daily budget'],
      ['month', undefined, 'monthly budget'],
      ['day', 'work', 'daily budget of work'],
      ['month', 'work', 'monthly budget of work'],
    ] as const) {
      const refused = { ...budget, of, ...(account && { account }) };
      const { message } = exceeded(new BudgetExceededError(refused, 200), 'm', context);
      assert.ok(message.startsWith(`Not sent: over the ${name}. ${amounts}`), message);
    }
  });

  it('say how much ended requests used, of a zero limit all', () => {
    const text = (more: Partial<Budget>): string => usedBudgetText({ ...budget, ...more }, context);
    const used = 'is used: 600 tokens of 1,000 tokens.';
    assert.equal(text({ of: 'chat' }), `60% of this chat's budget ${used}`);
    assert.equal(text({ of: 'day' }), `60% of today's budget ${used}`);
    assert.equal(text({ of: 'month' }), `60% of this month's budget ${used}`);
    assert.equal(text({ account: 'a' }), `60% of today's budget of a ${used}`);
    assert.equal(text({ of: 'month', account: 'a' }), `60% of this month's budget of a ${used}`);
    assert.match(text({ limit: 0, spent: 0 }), /^100%/);
  });

  it('say if a budget can only stop replies, because the model accepts no maximum length', () => {
    const text = usedBudgetText({ ...budget, unlimitedModels: ['org/m', 'org/n\n'] }, context);
    assert.match(
      text,
      / org\/m, org\/n\S* doesn't accept .* so the budget can only stop a reply\.$/,
    );
  });
});

const messages: CompletionRequest['messages'] = [{ role: 'user', content: 'x'.repeat(400) }];
const usual = { purpose: 'chat', chat: undefined, service: 'https://a', demo: false } as const;

/** A window with a budget, and a person who types these answers. */
class PricedWindow {
  readonly prices = new Map<string, Price>([['known/model', { input: 1, output: 2 }]]);
  readonly inputs: InputRequest[] = [];
  readonly #admission: ReturnType<typeof admissionOn>;

  constructor(budget: BudgetSettings = { day: 5, unit: 'money' }, ...answers: string[]) {
    const dialogs = dialogsWith({
      prompt: (input) => {
        this.inputs.push(input);
        return Promise.resolve(answers.shift());
      },
    });
    const settings = currentSettings(() => ({
      budget,
      currency: '$',
      models: Object.fromEntries([...this.prices].map(([model, price]) => [model, { price }])),
    }));
    this.#admission = admissionOn(ledgerOf(new MemoryLog()), budget, {
      settings,
      unpriced: new UnpricedModels(dialogs, {
        ...settings,
        setBudget: () => assert.fail(),
        setPrice: (model, price) => Promise.resolve(void this.prices.set(model, price)),
      }),
    });
  }

  /** Sends a request. Returns its limit, or why it was refused. */
  async send(model = 'new/model', more: Partial<Sender> = {}): Promise<number | string> {
    try {
      const sender = { ...usual, model, ...more };
      const admitted = await this.#admission.admit({ model, messages }, sender);
      admitted.end(usageOf(100), 'finished');
      return admitted.request.max_tokens ?? Infinity;
    } catch (error) {
      assert.ok(error instanceof UserError, String(error));
      return error.message;
    }
  }
}

describe('a model without a price, for a budget in money', () => {
  it('gets no request until both prices are entered, and is asked about each time', async () => {
    const window = new PricedWindow(undefined, '0,15');
    for (const times of [2, 3]) {
      assert.match(String(await window.send()), /the price of new\/model isn't known/);
      assert.equal(window.inputs.length, times);
    }
    assert.equal(window.prices.has('new/model'), false);
    for (const { title, check } of window.inputs) {
      assert.match(title, /^The price of new\/model isn't known/);
      for (const text of ['', 'free']) assert.equal(check(text)?.severity, 'error', text);
      for (const text of ['0', '0,15']) assert.equal(check(text), undefined, text);
    }
  });

  it('has the price that the person enters once for all waiting requests, from then on', async () => {
    const window = new PricedWindow({ day: 0.001, unit: 'money' }, '1', '2.50');
    const [limit] = await Promise.all([window.send(), window.send()]);
    // The budget pays for 1,000 prompt tokens or 400 reply tokens. This request gets half.
    assert.ok(typeof limit === 'number' && limit > 130 && limit < 200, String(limit));
    assert.deepEqual(window.prices.get('new/model'), { input: 1, output: 2.5 });
    await window.send();
    const prompts = window.inputs.map(({ prompt }) => prompt);
    assert.deepEqual(prompts, [
      'Price of a million tokens of prompts, in $.',
      'Price of a million tokens of replies, in $.',
    ]);
  });

  it('is not asked about if no price is needed, or for other extensions', async () => {
    for (const budget of [{ unit: 'money' }, { day: 5000, unit: 'tokens' }] as const) {
      const window = new PricedWindow(budget);
      assert.equal(typeof (await window.send()), 'number');
      assert.deepEqual(window.inputs, []);
    }
    const window = new PricedWindow();
    assert.equal(typeof (await window.send('known/model')), 'number');
    assert.equal(await window.send(undefined, { demo: true }), Infinity);
    const refused = await window.send(undefined, { purpose: 'provider:some.extension' });
    assert.match(String(refused), /isn't known/);
    assert.deepEqual(window.inputs, []);
  });
});

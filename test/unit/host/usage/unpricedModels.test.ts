import assert from 'node:assert/strict';
import { dialogsWith } from '../../../support/dialogsWith.ts';
import type { Price } from '../../../../src/core/conversation/usage.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { UserError } from '../../../../src/host/errors.ts';
import type { BudgetSettings } from '../../../../src/host/settingValues.ts';
import type { InputRequest } from '../../../../src/host/dialogs.ts';
import { UnpricedModels } from '../../../../src/host/usage/unpricedModels.ts';
import type { Sender } from '../../../../src/host/usage/requestAdmission.ts';
import { admissionOn, contextOf, ledgerOf, MemoryLog, usageOf } from './usageRig.ts';

const messages: CompletionRequest['messages'] = [{ role: 'user', content: 'x'.repeat(400) }];
const usual = { purpose: 'chat', chat: undefined, service: 'https://a', demo: false } as const;

/** A window with a budget, and a person who types these answers. */
class FakeWindow {
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
    this.#admission = admissionOn(ledgerOf(new MemoryLog()), budget, {
      context: () => contextOf((model) => this.prices.get(model)),
      unpriced: new UnpricedModels(dialogs, {
        current: () => ({ currency: '$' }),
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
    const window = new FakeWindow(undefined, '0,15');
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
    const window = new FakeWindow({ day: 0.001, unit: 'money' }, '1', '2.50');
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
      const window = new FakeWindow(budget);
      assert.equal(typeof (await window.send()), 'number');
      assert.deepEqual(window.inputs, []);
    }
    const window = new FakeWindow();
    assert.equal(typeof (await window.send('known/model')), 'number');
    assert.equal(await window.send(undefined, { demo: true }), Infinity);
    const refused = await window.send(undefined, { purpose: 'provider:some.extension' });
    assert.match(String(refused), /isn't known/);
    assert.deepEqual(window.inputs, []);
  });
});

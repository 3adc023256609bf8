import assert from 'node:assert/strict';
import { dialogsWith } from '../../../support/dialogsWith.ts';
import type { Price } from '../../../../src/core/conversation/usage.ts';
import { modelKeys, type ServiceNames } from '../../../../src/core/service/modelReference.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { UserError } from '../../../../src/host/errors.ts';
import type { BudgetSettings } from '../../../../src/host/settingValues.ts';
import type { InputRequest } from '../../../../src/host/dialogs.ts';
import { UnpricedModels } from '../../../../src/host/usage/unpricedModels.ts';
import type { RequestPurpose } from '../../../../src/host/usage/usageRecord.ts';
import { FakeMemento } from '../fakes.ts';
import { admissionOn, contextOf, ledgerOf, MemoryLog, usageOf } from './usageRig.ts';

const request: CompletionRequest = {
  model: 'new/model',
  messages: [{ role: 'user', content: 'x'.repeat(400) }],
};

/** A window with a budget in money, and a person who answers with labels and texts. */
class FakeWindow {
  readonly prices = new Map<string, Price>([['known/model', { input: 1, output: 2 }]]);
  readonly askedModels: string[] = [];
  readonly inputs: InputRequest[] = [];
  answers: string[] = [];
  names: ServiceNames = { current: 'a', others: [] };
  readonly #admission: ReturnType<typeof admissionOn>;

  constructor(budget: BudgetSettings = { day: 5, unit: 'money' }, state = new FakeMemento()) {
    const unpriced = new UnpricedModels({
      dialogs: dialogsWith({
        pick: (choices, title) => {
          this.askedModels.push(title);
          const wanted = this.answers.shift();
          return Promise.resolve(choices.find(({ label }) => label === wanted)?.value);
        },
        prompt: (input) => {
          this.inputs.push(input);
          return Promise.resolve(this.answers.shift());
        },
      }),
      state,
      setPrice: (model, price) => Promise.resolve(void this.prices.set(model, price)),
      keysOf: (model) => modelKeys(model, this.names),
      currency: () => '$',
    });
    this.#admission = admissionOn(ledgerOf(new MemoryLog()), budget, {
      context: () => contextOf((model) => this.prices.get(model)),
      unpriced,
    });
  }

  /** Sends a request that uses these tokens. Returns its limit, or why it was refused. */
  async send(
    model = 'new/model',
    { demo = false, purpose = 'chat', tokens = 100 }: SendOptions = {},
  ): Promise<number | string | undefined> {
    const sender = { purpose, chat: undefined, service: 'https://a', model, demo };
    try {
      const admitted = await this.#admission.admit({ ...request, model }, sender);
      admitted.end(usageOf(tokens), 'finished');
      return admitted.request.max_tokens;
    } catch (error) {
      assert.ok(error instanceof UserError, String(error));
      return error.message;
    }
  }
}

interface SendOptions {
  readonly demo?: boolean;
  readonly purpose?: RequestPurpose;
  readonly tokens?: number;
}

describe('a model without a price, for a budget in money', () => {
  it('gets no request if the person does not answer, who is asked again the next time', async () => {
    const window = new FakeWindow();
    assert.match(String(await window.send()), /the price of new\/model isn't known/);
    assert.match(String(await window.send()), /the price of new\/model isn't known/);
    assert.deepEqual(
      window.askedModels,
      Array.from(
        { length: 2 },
        () => "The price of new/model isn't known, and your budget is in money",
      ),
    );
  });

  it('has the price that the person enters, from then on', async () => {
    const window = new FakeWindow({ day: 0.001, unit: 'money' });
    window.answers = ['Enter Price…', '1', '2.50'];
    const limit = await window.send();
    assert.deepEqual(window.prices.get('new/model'), { input: 1, output: 2.5 });
    // The budget pays for 1,000 prompt tokens or 400 reply tokens. This request gets half.
    assert.ok(typeof limit === 'number' && limit > 130 && limit < 200, String(limit));
    await window.send();
    assert.equal(window.askedModels.length, 1);
  });

  it('has the daily token limit that the person enters instead, in all windows', async () => {
    const state = new FakeMemento();
    const window = new FakeWindow(undefined, state);
    window.answers = ['Limit Tokens…', '2k'];
    const first = await window.send();
    assert.ok(typeof first === 'number' && first < 1000 && first > 800, String(first));
    const second = await window.send(undefined, { tokens: 1800 });
    assert.ok(typeof second === 'number' && second < first, String(second));
    assert.match(
      String(await window.send()),
      /^Not sent: over the limit of 2,000 tokens a day for new\/model, whose price isn't known/,
    );
    assert.equal(window.askedModels.length, 1);
    const other = new FakeWindow(undefined, state);
    assert.equal(typeof (await other.send()), 'number');
    assert.deepEqual(other.askedModels, []);
  });

  it('keeps its token limit when another service is current, whose model has none', async () => {
    const window = new FakeWindow();
    window.answers = ['Limit Tokens…', '2k'];
    await window.send('m');
    window.names = { current: 'b', others: ['a'] };
    assert.equal(typeof (await window.send('m@a')), 'number');
    assert.equal(window.askedModels.length, 1);
    await window.send('m');
    assert.equal(window.askedModels.length, 2);
  });

  it('has the token limit of an earlier version, which stored the id alone', async () => {
    const state = new FakeMemento();
    await state.update('aside.tokenLimits', { m: 2000 });
    const window = new FakeWindow(undefined, state);
    window.names = { current: 'b', others: ['a'] };
    for (const model of ['m', 'm@a']) assert.equal(typeof (await window.send(model)), 'number');
    assert.deepEqual(window.askedModels, []);
  });

  it('causes a dialog again when its limit is used up', async () => {
    const window = new FakeWindow();
    window.answers = ['Limit Tokens…', '500'];
    await window.send(undefined, { tokens: 500 });
    window.answers = ['Limit Tokens…', '5000'];
    assert.equal(typeof (await window.send()), 'number');
    assert.equal(window.askedModels.length, 2);
  });

  it('causes one dialog for all waiting requests', async () => {
    const window = new FakeWindow();
    window.answers = ['Limit Tokens…', '9000'];
    const sent = await Promise.all([window.send(), window.send(), window.send()]);
    assert.ok(
      sent.every((limit) => typeof limit === 'number'),
      sent.join(),
    );
    assert.equal(window.askedModels.length, 1);
  });

  it('causes no dialog if no price is needed, or for other extensions', async () => {
    for (const budget of [{ unit: 'money' }, { day: 5000, unit: 'tokens' }] as const) {
      const window = new FakeWindow(budget);
      await window.send();
      assert.deepEqual(window.askedModels, []);
    }
    const window = new FakeWindow();
    await window.send('known/model');
    assert.equal(await window.send(undefined, { demo: true }), undefined);
    assert.match(
      String(await window.send(undefined, { purpose: 'provider:some.extension' })),
      /isn't known/,
    );
    assert.deepEqual(window.askedModels, []);
  });

  it('accepts usual notations of amounts, and explains why other text is invalid', async () => {
    const window = new FakeWindow();
    window.answers = ['Enter Price…', '0,15'];
    await window.send();
    assert.equal(window.prices.has('new/model'), false);
    for (const { check } of window.inputs) {
      for (const text of ['', ' ', 'free', '-1', '1 dollar'])
        assert.equal(check(text)?.severity, 'error', text);
      for (const text of ['0', '0.15', '0,15', '12']) assert.equal(check(text), undefined, text);
    }
    assert.equal(window.inputs.length, 2);
  });
});

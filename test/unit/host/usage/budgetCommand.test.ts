import assert from 'node:assert/strict';
import { dialogsWith } from '../../../support/dialogsWith.ts';
import type { InputRequest } from '../../../../src/host/dialogs.ts';
import type { BudgetSettings } from '../../../../src/host/settingValues.ts';
import { readAmount, setBudget } from '../../../../src/host/usage/budgetCommand.ts';

/** Runs the command with these picks and this input, and returns what was seen and written. */
async function set(budget: BudgetSettings | 'invalid', picked: readonly string[], typed?: string) {
  const written: BudgetSettings[] = [];
  const choices: string[] = [];
  const inputs: InputRequest[] = [];
  const messages: string[] = [];
  const picks = [...picked];
  await setBudget({
    settings: {
      current: () => ({ budget, currency: '$' }),
      setBudget: (next) => Promise.resolve(void written.push(next)),
    },
    dialogs: dialogsWith({
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
    language: 'en',
  });
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

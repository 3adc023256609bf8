import assert from 'node:assert/strict';
import fc from 'fast-check';
import { zeroUsage, type Usage } from '../../../../src/core/conversation/usage.ts';
import { Ledger } from '../../../../src/host/usage/ledger.ts';
import { totalOf } from '../../../../src/host/usage/usageTable.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { FakeMemento } from '../fakes.ts';

function used(prompt: number, completion: number, more: Partial<Usage> = {}): Usage {
  return {
    ...zeroUsage,
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    requests: 1,
    ...more,
  };
}

const usage = fc
  .tuple(fc.nat(100_000), fc.nat(100_000), fc.boolean())
  .map(([prompt, completion, estimated]) => used(prompt, completion, { estimated }));
const noon = new Date(2030, 0, 31, 12).getTime();
const hour = 3_600_000;

function ledgerAt(wall = noon, state = new FakeMemento()): { ledger: Ledger; clock: ManualClock } {
  const clock = new ManualClock(wall);
  return { ledger: new Ledger(state, clock), clock };
}

describe('Ledger', () => {
  it('adds up every request, in the session and on the day, by model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom('a', 'b'), usage)), async (records) => {
        const { ledger } = ledgerAt();
        // Not awaited one by one: several requests may end together.
        await Promise.all(
          records.map(([model, used]) => ledger.record({ model, usage: used, demo: false })),
        );
        const sum = records.reduce((total, [, { total_tokens }]) => total + total_tokens, 0);
        assert.equal(totalOf(ledger.session).total_tokens, sum);
        assert.deepEqual([...ledger.today], [...ledger.session]);
        assert.equal(totalOf(ledger.today).requests, records.length);
      }),
    );
  });

  it('counts the demo in the session and in no day', async () => {
    const state = new FakeMemento();
    const { ledger } = ledgerAt(noon, state);
    await ledger.record({ model: 'demo/guide', usage: used(5, 5), demo: true });
    assert.equal(totalOf(ledger.session).total_tokens, 10);
    assert.equal(ledger.today.size, 0);
    assert.equal(state.stored.size, 0);
  });

  it('goes on with the day in a new window, and starts the session anew', async () => {
    const state = new FakeMemento();
    await ledgerAt(noon, state).ledger.record({ model: 'a', usage: used(1, 2), demo: false });
    const { ledger } = ledgerAt(noon + hour, state);
    assert.equal(ledger.session.size, 0);
    await ledger.record({ model: 'a', usage: used(3, 4), demo: false });
    assert.equal(ledger.today.get('a')?.total_tokens, 10);
  });

  it('counts on what another window stored meanwhile', async () => {
    const state = new FakeMemento();
    const [first, second] = [ledgerAt(noon, state).ledger, ledgerAt(noon, state).ledger];
    await first.record({ model: 'a', usage: used(1, 0), demo: false });
    await second.record({ model: 'a', usage: used(2, 0), demo: false });
    await first.record({ model: 'b', usage: used(4, 0), demo: false });
    assert.equal(totalOf(first.today).total_tokens, 7);
  });

  it('starts a new day at midnight of the local calendar', async () => {
    const { ledger, clock } = ledgerAt();
    await ledger.record({ model: 'a', usage: used(1, 2), demo: false });
    await clock.advance(11.9 * hour);
    assert.equal(ledger.today.size, 1);
    await clock.advance(0.2 * hour);
    assert.equal(ledger.today.size, 0);
    await ledger.record({ model: 'a', usage: used(5, 0), demo: false });
    assert.equal(totalOf(ledger.today).total_tokens, 5);
    assert.equal(totalOf(ledger.session).total_tokens, 8);
  });

  it('resets the session and leaves the day', async () => {
    const { ledger } = ledgerAt();
    await ledger.record({ model: 'a', usage: used(1, 2), demo: false });
    let changes = 0;
    ledger.onDidChange(() => changes++);
    ledger.resetSession();
    assert.equal(ledger.session.size, 0);
    assert.equal(ledger.today.size, 1);
    assert.equal(changes, 1);
  });

  it('goes on after a store that failed, and reads nothing from a damaged one', async () => {
    const state = new FakeMemento();
    await state.update('aside.usageToday', { day: '2030-01-31', models: 'many' });
    const { ledger } = ledgerAt(noon, state);
    assert.equal(ledger.today.size, 0);
    const update = state.update.bind(state);
    state.update = () => Promise.reject(new Error('disk full'));
    const record = { model: 'a', usage: used(1, 2), demo: false };
    await assert.rejects(ledger.record(record), /disk full/);
    state.update = update;
    await ledger.record(record);
    assert.equal(totalOf(ledger.session).total_tokens, 6);
    assert.equal(totalOf(ledger.today).total_tokens, 3);
  });
});

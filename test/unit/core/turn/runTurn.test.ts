import assert from 'node:assert/strict';
import { turnText } from '../../../../src/core/conversation/conversation.ts';
import { zeroUsage } from '../../../../src/core/conversation/usage.ts';
import { turnLimit } from '../../../../src/core/turn/runTurn.ts';
import { until } from '../../../support/until.ts';
import { turnRig } from './turnRig.ts';

describe('runTurn', () => {
  it('ends a turn with the error of the connection', async () => {
    const { run } = turnRig({ connect: () => Promise.reject(new Error('No service')) });
    const { status, error } = await run();
    assert.deepEqual([status, error?.message], ['failed', 'Error: No service']);
  });

  it('keeps the text of a turn that is stopped', async () => {
    const { control, conversation, run } = turnRig();
    const running = run();
    await until(() => (conversation.current.running?.parts.length ?? 0) > 0);
    control.stop();
    const turn = await running;
    assert.deepEqual([turn.status, turnText(turn)], ['stopped', 'Hello']);
  });

  it('sends nothing after Stop, whatever it waits for', async () => {
    const steps: (() => void)[] = [];
    const wait = <T>(value: T): Promise<T> =>
      new Promise((resolve) => steps.push(() => resolve(value)));
    const { client } = turnRig();
    for (const stopAt of [0, 1, 2]) {
      steps.length = 0;
      const rig = turnRig({
        connect: () => wait({ client, demo: false }),
        prepare(_, mayAsk) {
          assert.equal(mayAsk, true);
          return wait(undefined);
        },
        tools: () => wait(undefined),
      });
      const ended = rig.run();
      for (let step = 0; step < stopAt; step++) {
        await until(() => steps.length > step);
        steps[step]?.();
      }
      await until(() => steps.length > stopAt);
      rig.control.stop();
      const { status } = await ended;
      steps[stopAt]?.();
      await new Promise(setImmediate);
      assert.deepEqual([status, rig.requests], ['stopped', []]);
      assert.equal(steps.length, stopAt + 1);
    }
  });

  it('marks the usage of the demo service', async () => {
    const other = turnRig();
    const client: typeof other.client = {
      ...other.client,
      async *stream(request, signal) {
        yield { type: 'usage', usage: zeroUsage };
        yield* other.client.stream(request, signal);
      },
    };
    const { run, conversation } = turnRig({
      connect: () => Promise.resolve({ client, demo: true }),
    });
    const marks: unknown[] = [];
    conversation.onDidChange((change) => {
      if (change.type === 'event' && change.event.type === 'usage') marks.push(change.event.demo);
    });
    const ended = run();
    await until(() => other.requests.length > 0);
    await new Promise(setImmediate);
    other.reply();
    await ended;
    assert.deepEqual(marks, [true]);
  });
});

const usage = {
  ...zeroUsage,
  prompt_tokens: 1000,
  cached_tokens: 400,
  completion_tokens: 100,
  total_tokens: 1100,
  requests: 1,
};
const price = { input: 2, output: 10, cachedInput: 0.5 };

describe('turnLimit', () => {
  it('counts the tokens of prompts', () => {
    const { unit, amount, amountOf } = turnLimit({ turn: 5000, unit: 'tokens' }, price);
    assert.deepEqual([unit, amount, amountOf(usage)], ['tokens', 5000, 1000]);
  });

  it('counts the cost of requests', () => {
    const { unit, amount, amountOf } = turnLimit({ turn: 0.5, unit: 'money' }, price);
    assert.deepEqual([unit, amount, amountOf(usage)], ['money', 0.5, 0.0024]);
  });

  it('is one million tokens if none is set, or the price is unknown', () => {
    const limits = [
      turnLimit({ unit: 'tokens' }, price),
      turnLimit({ unit: 'money' }, price),
      turnLimit({ turn: 0.5, unit: 'money' }),
    ];
    for (const { unit, amount, amountOf } of limits)
      assert.deepEqual([unit, amount, amountOf(usage)], ['tokens', 1_000_000, 1000]);
  });
});

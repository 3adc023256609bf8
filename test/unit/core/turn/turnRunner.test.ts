import assert from 'node:assert/strict';
import { lastTurn, type Turn } from '../../../../src/core/conversation/conversation.ts';
import { zeroUsage } from '../../../../src/core/conversation/usage.ts';
import { turnStart } from '../../../../src/core/turn/nextTurn.ts';
import { TurnRunner, type TurnRunnerOptions } from '../../../../src/core/turn/chatTurns.ts';
import { until } from '../../../support/until.ts';
import { messageOf, turnRig, type TurnRig } from './turnRig.ts';

interface RunnerRig extends TurnRig {
  readonly runner: TurnRunner;
  readonly turn: () => Turn | undefined;
}

/** A turn that was started, but does not run yet. */
function runnerRig(changes: Partial<TurnRunnerOptions> = {}): RunnerRig {
  const rig = turnRig(changes);
  const { conversation, planner, options } = rig;
  const start = turnStart(messageOf('Hi'), 'm', conversation.current, options);
  conversation.apply(start);
  const runner = new TurnRunner(start.id, conversation, planner, options);
  return { ...rig, runner, turn: () => lastTurn(conversation.current) };
}

describe('TurnRunner', () => {
  it('ends a turn with the error of the connection', async () => {
    const { runner, turn } = runnerRig({ connect: () => Promise.reject(new Error('No service')) });
    await runner.run();
    assert.equal(turn()?.status, 'failed');
    assert.equal(turn()?.error?.message, 'Error: No service');
  });

  it('sends nothing after Stop, whatever it waits for', async () => {
    const steps: (() => void)[] = [];
    const wait = <T>(value: T): Promise<T> =>
      new Promise((resolve) => steps.push(() => resolve(value)));
    const { client } = await turnRig()
      .options.connect('m')
      .then((service) => ({ client: service.client }));
    for (const stopAt of [0, 1, 2]) {
      steps.length = 0;
      const rig = runnerRig({
        connect: () => wait({ client, demo: false }),
        prepare(_, mayAsk) {
          assert.equal(mayAsk, true);
          return wait(undefined);
        },
        tools: () => wait(undefined),
      });
      const ended = rig.runner.run();
      for (let step = 0; step < stopAt; step++) {
        await until(() => steps.length > step);
        steps[step]?.();
      }
      await until(() => steps.length > stopAt);
      rig.runner.stop();
      await ended;
      steps[stopAt]?.();
      await new Promise(setImmediate);
      assert.deepEqual([rig.turn()?.status, rig.requests], ['stopped', []]);
      assert.equal(steps.length, stopAt + 1);
    }
  });

  it('runs a turn once', async () => {
    const { runner, requests, reply } = runnerRig();
    const ended = Promise.all([runner.run(), runner.run()]);
    await until(() => requests.length > 0);
    await new Promise(setImmediate);
    reply();
    await ended;
    assert.equal(requests.length, 1);
  });

  it('marks the usage of the demo service', async () => {
    const other = turnRig();
    const { client } = await other.options.connect('m');
    const metered: typeof client = {
      ...client,
      async *stream(request, signal) {
        yield { type: 'usage', usage: zeroUsage };
        yield* client.stream(request, signal);
      },
    };
    const { runner, conversation } = runnerRig({
      connect: () => Promise.resolve({ client: metered, demo: true }),
    });
    const marks: unknown[] = [];
    conversation.onDidChange((change) => {
      if (change.type === 'event' && change.event.type === 'usage') marks.push(change.event.demo);
    });
    const ended = runner.run();
    await until(() => other.requests.length > 0);
    await new Promise(setImmediate);
    other.reply();
    await ended;
    assert.deepEqual(marks, [true]);
  });
});

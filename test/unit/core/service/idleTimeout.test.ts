import assert from 'node:assert/strict';
import { IdleTimeout } from '../../../../src/core/service/bodyReader.ts';
import { ResponseEnd, type Ended } from '../../../../src/core/reply/replyEnd.ts';
import { ManualClock } from '../../../support/manualClock.ts';

interface Rig {
  readonly clock: ManualClock;
  readonly timeout: IdleTimeout;
  /** Starts a wait without an end of its own. `ended` is undefined while it lasts. */
  readonly wait: () => { readonly ended: Ended | undefined };
}

function rig(): Rig {
  const clock = new ManualClock();
  const timeout = new IdleTimeout(new AbortController().signal, clock, 30_000);
  const wait = (): { ended: Ended | undefined } => {
    const waiting: { ended: Ended | undefined } = { ended: undefined };
    timeout.wait(new Promise(() => undefined)).catch((error: unknown) => {
      if (error instanceof ResponseEnd) waiting.ended = error.ended;
    });
    return waiting;
  };
  return { clock, timeout, wait };
}

describe('IdleTimeout', () => {
  it('ends a wait at its limit, not before', async () => {
    const { clock, wait } = rig();
    const waiting = wait();
    await clock.advance(29_999);
    assert.equal(waiting.ended, undefined);
    await clock.advance(1);
    assert.equal(waiting.ended, 'silent');
  });

  it('does not count time between two waits', async () => {
    for (const pause of [1, 29_999, 30_000, 30_001, 600_000]) {
      const { clock, timeout, wait } = rig();
      for (let round = 0; round < 3; round += 1) {
        await timeout.wait(Promise.resolve());
        await clock.advance(pause);
      }
      const waiting = wait();
      await clock.advance(29_999);
      assert.equal(waiting.ended, undefined, `${pause}`);
      await clock.advance(1);
      assert.equal(waiting.ended, 'silent');
    }
  });

  it('counts the sum of all waits toward a deadline', async () => {
    const { clock, timeout, wait } = rig();
    await timeout.wait(Promise.resolve());
    timeout.setDeadline(5000);
    await clock.advance(60_000);
    let arrive: () => void = () => undefined;
    const first = timeout.wait(new Promise<void>((resolve) => (arrive = resolve)));
    await clock.advance(4000);
    arrive();
    await first;
    await clock.advance(60_000);
    const waiting = wait();
    await clock.advance(999);
    assert.equal(waiting.ended, undefined);
    await clock.advance(1);
    assert.equal(waiting.ended, 'quiet');
  });

  it('has its usual limit again after the deadline was removed', async () => {
    const { clock, timeout, wait } = rig();
    timeout.setDeadline(5000);
    timeout.setDeadline(Infinity);
    const waiting = wait();
    await clock.advance(29_999);
    assert.equal(waiting.ended, undefined);
    await clock.advance(1);
    assert.equal(waiting.ended, 'silent');
  });

  it('returns data that arrived at the limit', async () => {
    const { clock, timeout } = rig();
    let arrive: (text: string) => void = () => undefined;
    const waiting = timeout.wait(new Promise<string>((resolve) => (arrive = resolve)));
    const after = clock.after.bind(clock);
    // The socket is read in the next turn of the event loop, after the limit.
    clock.after = (delay, callback) => {
      if (delay === 0) arrive('data');
      return after(delay, callback);
    };
    await clock.advance(30_000);
    assert.equal(await waiting, 'data');
  });
});

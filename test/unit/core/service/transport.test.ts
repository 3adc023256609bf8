import assert from 'node:assert/strict';
import { BodyReader, IdleTimeout } from '../../../../src/core/service/transport.ts';
import { systemClock, type Clock } from '../../../../src/core/support/clock.ts';
import { ResponseEnd, type Ended } from '../../../../src/core/service/replyEnd.ts';
import { ManualClock } from '../../../support/manualClock.ts';

/** A clock that tests advance by working. */
class WorkClock implements Clock {
  now = 0;
  readonly after = systemClock.after.bind(systemClock);
  readonly wall = (): number => this.now;
  readonly monotonic = this.wall;
}

function bodyOf(...reads: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const bytes of reads) controller.enqueue(bytes);
      controller.close();
    },
  });
}

function open(body: ReadableStream<Uint8Array> | null, stop = new AbortController()) {
  const clock = new WorkClock();
  const guard = new IdleTimeout(stop.signal, clock, 60_000);
  return { clock, guard, stop, reader: new BodyReader(body, guard, clock) };
}

describe('BodyReader', () => {
  it('ends in a large body as soon as it is stopped', async () => {
    const { reader, clock, guard, stop } = open(bodyOf(new Uint8Array(5_000_000)));
    let pieces = 0;
    setImmediate(() => stop.abort());
    await assert.rejects(
      async () => {
        while ((await reader.read()) !== undefined) {
          pieces += 1;
          clock.now += 10;
        }
      },
      { name: 'AbortError' },
    );
    guard.dispose();
    assert.ok(pieces < 3, `${pieces} pieces after Stop`);
  });

  it('discards comments before the first bytes', async () => {
    const starts: Readonly<Record<string, string>> = {
      'data: {"a"': 'data: {"a"',
      '\u{feff}data: x\n': 'data: x\n',
      ': one\n\n:two\r\n\r\n: three\rdata: x\n': 'data: x\n',
      '\n\n {"choices"': '{"choices"',
      ': one\n\n': '',
      '': '',
      hi: 'hi',
    };
    for (const [text, start] of Object.entries(starts)) {
      const whole = new TextEncoder().encode(text);
      const bytes = [...whole].map((byte) => Uint8Array.of(byte));
      for (const body of [bodyOf(whole), bodyOf(...bytes)]) {
        const { reader, guard } = open(body);
        const decoded = new TextDecoder().decode(await reader.readStart());
        guard.dispose();
        assert.ok(decoded.startsWith(start.slice(0, 8)) && start.startsWith(decoded), text);
      }
    }
  });

  it('returns nothing without a body', async () => {
    const { reader, guard } = open(null);
    assert.equal((await reader.readStart()).length, 0);
    guard.dispose();
  });
});

interface TimeoutRig {
  readonly clock: ManualClock;
  readonly timeout: IdleTimeout;
  /** Starts a wait without an end of its own. `ended` is undefined while it lasts. */
  readonly wait: () => { readonly ended: Ended | undefined };
}

function timeoutRig(): TimeoutRig {
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
  it('does not count time between two waits', async () => {
    for (const pause of [1, 29_999, 30_000, 30_001, 600_000]) {
      const { clock, timeout, wait } = timeoutRig();
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
    const { clock, timeout, wait } = timeoutRig();
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
    const { clock, timeout, wait } = timeoutRig();
    timeout.setDeadline(5000);
    timeout.setDeadline(Infinity);
    const waiting = wait();
    await clock.advance(29_999);
    assert.equal(waiting.ended, undefined);
    await clock.advance(1);
    assert.equal(waiting.ended, 'silent');
  });

  it('returns data that arrived at the limit', async () => {
    const { clock, timeout } = timeoutRig();
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

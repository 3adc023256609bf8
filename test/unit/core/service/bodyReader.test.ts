import assert from 'node:assert/strict';
import { BodyReader, IdleTimeout } from '../../../../src/core/service/bodyReader.ts';
import { systemClock, type Clock } from '../../../../src/core/support/clock.ts';

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

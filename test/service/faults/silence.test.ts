/** Services that take their time, and clocks that do not go on evenly. */
import assert from 'node:assert/strict';
import { canContinue, turnText } from '../../../src/core/conversation/conversation.ts';
import { chunk, chunkedStream, delta, done, event, head, stop } from '../../support/rawReply.ts';
import { ManualClock } from '../../support/manualClock.ts';
import type { Answer, RawServer } from '../../support/rawServer.ts';
import { until } from '../../support/until.ts';
import { useServers, type Asking } from './ask.ts';

const second = 1000;
const minute = 60 * second;

/** A manual clock that tells how often it was looked at: each read of the socket looks. */
class WatchedClock extends ManualClock {
  looks = 0;

  override monotonic(): number {
    this.looks += 1;
    return super.monotonic();
  }
}

interface Stage {
  readonly server: RawServer;
  readonly asking: Asking;
  readonly clock: WatchedClock;
  /** Sends bytes, and resolves when the client has read them. */
  readonly send: (data: string | Uint8Array) => Promise<void>;
}

describe('a service that is slow', () => {
  const { ask } = useServers();

  /** A turn whose request has come in, with a limit of half a minute. */
  async function stage(answer: Answer = () => undefined): Promise<Stage> {
    const clock = new WatchedClock();
    const { server, asking } = await ask(answer, { clock });
    await until(() => server.requests.length > 0);
    const send = async (data: string | Uint8Array): Promise<void> => {
      const before = clock.looks;
      await server.requests[0]?.write(data);
      await until(() => clock.looks > before);
    };
    return { server, asking, clock, send };
  }

  it('and never answers ends at the limit, and is not asked again', async () => {
    const { server, asking, clock } = await stage();
    await clock.advance(30 * second);
    const turn = await asking.ended;
    assert.deepEqual([turn.status, turn.error?.kind], ['failed', 'timeout']);
    assert.equal(server.requests.length, 1);
    await server.allClosed();
  });

  it('and sends a head without a body ends at the limit', async () => {
    const { server, asking, clock, send } = await stage();
    await send(head());
    await clock.advance(30 * second);
    const turn = await asking.ended;
    assert.deepEqual([turn.status, turn.error?.kind], ['failed', 'timeout']);
    await server.allClosed();
  });

  it('and stalls in the middle ends at the limit, no sooner, with its text', async () => {
    const { server, asking, clock, send } = await stage();
    await send(head() + delta('Kept'));
    await asking.shows('Kept');
    await clock.advance(30 * second - 1);
    assert.equal(asking.text, 'Kept');
    await clock.advance(1);
    const turn = await asking.ended;
    assert.deepEqual([turnText(turn), turn.status, turn.error?.kind], ['Kept', 'cut', 'timeout']);
    assert.ok(canContinue(turn));
    assert.equal(server.requests.length, 1);
    await server.allClosed();
  });

  it('but says in comments that it is there, for ten minutes, may take them', async () => {
    const { asking, clock, send } = await stage();
    await send(head());
    for (let time = 0; time < 10 * minute; time += 20 * second) {
      await send(': still thinking\n\n');
      await clock.advance(20 * second);
    }
    await send(delta('Hello'));
    for (let time = 0; time < 10 * minute; time += 20 * second) {
      await send(':\n');
      await clock.advance(20 * second);
    }
    await send(stop + done);
    const turn = await asking.ended;
    assert.deepEqual([turnText(turn), turn.status], ['Hello', 'finished']);
    assert.equal(turn.duration, 20 * minute);
  });

  it('and sends a byte every twenty seconds may do so', async () => {
    const { asking, clock, send } = await stage();
    await send(head());
    for (const byte of Buffer.from(delta('Hi') + done)) {
      await send(Uint8Array.of(byte));
      await clock.advance(20 * second);
    }
    const turn = await asking.ended;
    assert.deepEqual([turnText(turn), turn.status], ['Hi', 'finished']);
  });

  it('and keeps the connection open after [DONE] holds nothing up', async () => {
    const { server, asking, clock, send } = await stage();
    await send(head('200 OK', chunkedStream) + chunk(delta('Hello') + stop + done).toString());
    const turn = await asking.ended;
    assert.deepEqual([turnText(turn), turn.status, turn.duration], ['Hello', 'finished', 0]);
    await clock.advance(second);
    await server.allClosed();
  });

  it('and goes on with comments after the end was said holds nothing up for long', async () => {
    const { server, asking, clock, send } = await stage();
    await send(head() + delta('Hello') + stop);
    for (let time = 0; time < 4; time += 1) {
      await send(': still here\n\n');
      await clock.advance(second);
    }
    await clock.advance(second);
    const turn = await asking.ended;
    assert.deepEqual([turnText(turn), turn.status], ['Hello', 'finished']);
    await server.allClosed();
  });

  it('and brings its usage a moment after the end still has it counted', async () => {
    const { asking, clock, send } = await stage();
    await send(head() + delta('Hello') + stop);
    await clock.advance(4 * second);
    const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };
    await send(event({ choices: [], usage }) + done);
    const turn = await asking.ended;
    assert.deepEqual([turn.usage?.total_tokens, turn.usage?.estimated], [9, false]);
  });

  it('and says the end again with every piece is read on', async () => {
    const { asking, clock, send } = await stage();
    await send(head());
    for (const content of ['a', 'b', 'c', 'd']) {
      await send(event({ choices: [{ delta: { content }, finish_reason: 'stop' }] }));
      await clock.advance(4 * second);
    }
    await send(done);
    assert.equal(turnText(await asking.ended), 'abcd');
  });

  it('and says the end with every piece, at its own pace, loses nothing of the rest', async () => {
    const { asking, clock, send } = await stage();
    const piece = (content: string): string =>
      event({ choices: [{ delta: { content }, finish_reason: 'stop' }] });
    await send(head() + piece('a') + piece('b'));
    for (const content of ['c', 'd', 'e']) {
      await clock.advance(20 * second);
      await send(piece(content));
    }
    await clock.advance(20 * second);
    await send(done);
    const turn = await asking.ended;
    assert.deepEqual([turnText(turn), turn.status], ['abcde', 'finished']);
  });

  it('and says the end with every piece, but stalls, is cut at the limit', async () => {
    const { server, asking, clock, send } = await stage();
    const piece = event({ choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] });
    await send(head() + piece + piece);
    await asking.shows('aa');
    await clock.advance(30 * second);
    const turn = await asking.ended;
    assert.deepEqual([turnText(turn), turn.status, turn.error?.kind], ['aa', 'cut', 'timeout']);
    assert.equal(server.requests.length, 1);
  });

  it('and says the end in the middle of the arguments of a call is waited for', async () => {
    const { asking, clock, send } = await stage();
    const calling = (text: string, more = {}): string => {
      const call = { index: 0, function: { arguments: text, ...more } };
      return event({ choices: [{ delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] });
    };
    await send(head() + calling('{"path":"/tm', { name: 'f' }));
    await clock.advance(20 * second);
    await send(calling('p"}'));
    await clock.advance(20 * second);
    await send(done);
    const turn = await asking.ended;
    const [call] = turn.parts;
    assert.ok(call?.type === 'tool-call');
    assert.deepEqual([call.arguments, turn.status], ['{"path":"/tmp"}', 'finished']);
  });

  it('and breaks off by an error, but not its connection, is not waited for', async () => {
    const { server, asking, clock, send } = await stage();
    await send(head() + delta('Kept') + event({ error: { message: 'Full' } }));
    await asking.shows('Kept');
    await clock.advance(5 * second);
    const turn = await asking.ended;
    assert.deepEqual([turnText(turn), turn.status, turn.error?.message], ['Kept', 'cut', 'Full']);
    await server.allClosed();
  });

  it('to tell an error is told by its status, with what came of the words', async () => {
    const { server, asking, clock, send } = await stage();
    await send(head('402 Payment Required', { 'Content-Type': 'text/plain' }) + 'Empty');
    for (let time = 0; time < 5; time += 1) {
      await send(' wallet');
      await clock.advance(second);
    }
    const turn = await asking.ended;
    assert.equal(turn.error?.kind, 'insufficient-balance');
    assert.match(turn.error.message, /^Empty( wallet)+$/);
    await server.allClosed();
  });
});

describe('a clock', () => {
  const { ask } = useServers();

  for (const change of [24 * 60 * minute, -24 * 60 * minute, -60 * minute]) {
    it(`that is set by ${change / minute} minutes while a reply comes in changes nothing`, async () => {
      const clock = new ManualClock();
      const { server, asking } = await ask(
        (connection) => connection.write(head() + delta('one')),
        { clock },
      );
      await asking.shows('one');
      await clock.advance(10 * second);
      clock.setWall(clock.wall() + change);
      await clock.advance(15 * second);
      await server.requests[0]?.write(delta(' two'));
      await asking.shows('two');
      await clock.advance(30 * second - 1);
      assert.equal(asking.text, 'one two');
      await clock.advance(1);
      const turn = await asking.ended;
      assert.equal(turn.error?.kind, 'timeout');
      assert.equal(turn.duration, 55 * second);
    });
  }

  it('that was held up by sleep lets what came meanwhile be read', async () => {
    const clock = new ManualClock();
    const { server, asking } = await ask((connection) => connection.write(head() + delta('one')), {
      clock,
    });
    await asking.shows('one');
    await clock.leap(10 * minute);
    await server.requests[0]?.write(delta(' two') + stop + done);
    const turn = await asking.ended;
    assert.deepEqual([turnText(turn), turn.status], ['one two', 'finished']);
  });

  it('that was held up by sleep tells a dead connection within seconds, with its text', async () => {
    const clock = new ManualClock();
    const { server, asking } = await ask((connection) => connection.write(head() + delta('one')), {
      clock,
    });
    await asking.shows('one');
    await clock.leap(10 * minute);
    assert.equal(asking.text, 'one');
    await clock.advance(5 * second);
    const turn = await asking.ended;
    assert.deepEqual([turnText(turn), turn.status, turn.error?.kind], ['one', 'cut', 'cut']);
    assert.ok(canContinue(turn));
    assert.equal(server.requests.length, 1);
    await server.allClosed();
  });

  it('that was held up by sleep before an answer came does not ask again by itself', async () => {
    const clock = new ManualClock();
    const { server, asking } = await ask(() => undefined, { clock });
    await until(() => server.requests.length > 0);
    await clock.leap(10 * minute);
    await clock.advance(5 * second);
    const turn = await asking.ended;
    assert.deepEqual([turn.status, turn.error?.kind], ['failed', 'no-reply']);
    assert.equal(server.requests.length, 1);
    await server.allClosed();
  });
});

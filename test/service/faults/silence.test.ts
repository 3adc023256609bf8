/** Services that are slow or silent, and clocks that jump. */
import assert from 'node:assert/strict';
import { canContinue, turnText } from '../../../src/core/conversation/conversation.ts';
import { chunk, chunkedStream, delta, done, event, head, stop } from '../../support/rawReply.ts';
import { ManualClock } from '../../support/manualClock.ts';
import type { Answer, RawServer } from '../../support/rawServer.ts';
import { until } from '../../support/until.ts';
import { useServers, type HttpTurn } from './httpTurn.ts';

const second = 1000;
const minute = 60 * second;

/** A manual clock that counts how often it is read, which happens at each read of the socket. */
class WatchedClock extends ManualClock {
  reads = 0;

  override monotonic(): number {
    this.reads += 1;
    return super.monotonic();
  }
}

interface Stage {
  readonly server: RawServer;
  readonly httpTurn: HttpTurn;
  readonly clock: WatchedClock;
  /** Sends bytes. Resolves when the client has read them. */
  readonly send: (data: string | Uint8Array) => Promise<void>;
}

describe('a request to a slow service', () => {
  const { startTurn } = useServers();

  /** Starts a turn whose request has arrived, with a limit of 30 seconds. */
  async function stage(answer: Answer = () => undefined): Promise<Stage> {
    const clock = new WatchedClock();
    const { server, httpTurn } = await startTurn(answer, { clock });
    await until(() => server.requests.length > 0);
    const send = async (data: string | Uint8Array): Promise<void> => {
      const before = clock.reads;
      await server.requests[0]?.write(data);
      await until(() => clock.reads > before);
    };
    return { server, httpTurn, clock, send };
  }

  it('that never responds ends at the limit, without a retry', async () => {
    const { server, httpTurn, clock } = await stage();
    await clock.advance(30 * second);
    const turn = await httpTurn.ended;
    assert.deepEqual([turn.status, turn.error?.kind], ['failed', 'timeout']);
    assert.equal(server.requests.length, 1);
    await server.allClosed();
  });

  it('that sends a head without a body ends at the limit', async () => {
    const { server, httpTurn, clock, send } = await stage();
    await send(head());
    await clock.advance(30 * second);
    const turn = await httpTurn.ended;
    assert.deepEqual([turn.status, turn.error?.kind], ['failed', 'timeout']);
    await server.allClosed();
  });

  it('that stalls in the middle ends exactly at the limit, with the text so far', async () => {
    const { server, httpTurn, clock, send } = await stage();
    await send(head() + delta('Kept'));
    await httpTurn.untilText('Kept');
    await clock.advance(30 * second - 1);
    assert.equal(httpTurn.text, 'Kept');
    await clock.advance(1);
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status, turn.error?.kind], ['Kept', 'cut', 'timeout']);
    assert.ok(canContinue(turn));
    assert.equal(server.requests.length, 1);
    await server.allClosed();
  });

  it('that sends keep-alive comments may take ten minutes', async () => {
    const { httpTurn, clock, send } = await stage();
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
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status], ['Hello', 'finished']);
    assert.equal(turn.duration, 20 * minute);
  });

  it('that sends a byte every twenty seconds is read completely', async () => {
    const { httpTurn, clock, send } = await stage();
    await send(head());
    for (const byte of Buffer.from(delta('Hi') + done)) {
      await send(Uint8Array.of(byte));
      await clock.advance(20 * second);
    }
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status], ['Hi', 'finished']);
  });

  it('that keeps the connection open after [DONE] causes no delay', async () => {
    const { server, httpTurn, clock, send } = await stage();
    await send(head('200 OK', chunkedStream) + chunk(delta('Hello') + stop + done).toString());
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status, turn.duration], ['Hello', 'finished', 0]);
    await clock.advance(second);
    await server.allClosed();
  });

  it('that sends comments after the end causes only a short delay', async () => {
    const { server, httpTurn, clock, send } = await stage();
    await send(head() + delta('Hello') + stop);
    for (let time = 0; time < 4; time += 1) {
      await send(': still here\n\n');
      await clock.advance(second);
    }
    await clock.advance(second);
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status], ['Hello', 'finished']);
    await server.allClosed();
  });

  it('that sends an end marker with every piece, slowly, is read completely', async () => {
    const { httpTurn, clock, send } = await stage();
    const piece = (content: string): string =>
      event({ choices: [{ delta: { content }, finish_reason: 'stop' }] });
    await send(head() + piece('a') + piece('b'));
    for (const content of ['c', 'd', 'e']) {
      await clock.advance(20 * second);
      await send(piece(content));
    }
    await clock.advance(20 * second);
    await send(done);
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status], ['abcde', 'finished']);
  });

  it('that sends an end marker with every piece, but stalls, is cut at the limit', async () => {
    const { server, httpTurn, clock, send } = await stage();
    const piece = event({ choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] });
    await send(head() + piece + piece);
    await httpTurn.untilText('aa');
    await clock.advance(30 * second);
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status, turn.error?.kind], ['aa', 'cut', 'timeout']);
    assert.equal(server.requests.length, 1);
  });

  it("that sends an end marker within a call's arguments waits for the rest", async () => {
    const { httpTurn, clock, send } = await stage();
    const calling = (text: string, more = {}): string => {
      const call = { index: 0, function: { arguments: text, ...more } };
      return event({ choices: [{ delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] });
    };
    await send(head() + calling('{"path":"/tm', { name: 'f' }));
    await clock.advance(20 * second);
    await send(calling('p"}'));
    await clock.advance(20 * second);
    await send(done);
    const turn = await httpTurn.ended;
    const [call] = turn.parts;
    assert.ok(call?.type === 'tool-call');
    assert.deepEqual([call.arguments, turn.status], ['{"path":"/tmp"}', 'finished']);
  });

  /** Sends noise each second. Resolves with the seconds until the turn ends, at most 60. */
  async function secondsUntilEnd(
    { server, httpTurn, clock }: Stage,
    noise: string,
  ): Promise<number> {
    const state = { isEnded: false };
    void httpTurn.ended.then(() => (state.isEnded = true));
    for (let time = 0; time < 60; time += 1) {
      const before = clock.reads;
      void server.requests[0]?.write(noise);
      await until(() => state.isEnded || clock.reads > before);
      await clock.advance(0);
      if (state.isEnded) return time;
      await clock.advance(second);
    }
    return 60;
  }

  const usage = { prompt_tokens: 70, completion_tokens: 2, total_tokens: 72 };
  const noises: Readonly<Record<string, string>> = {
    pings: 'data: ping\n\n',
    comments: ': still here\n\n',
    'events without choices': event({ choices: [] }),
    'empty pieces': event({ choices: [{ delta: { content: '' }, finish_reason: null }] }),
    'its end again': stop,
    'its usage again': event({ choices: [], usage }),
    'damaged events': 'data: {oops\n\n',
    'unknown fields': 'foo: bar\n',
  };
  const failure = event({ error: { message: 'Full' } });
  for (const [name, noise] of Object.entries(noises)) {
    it(`that continues with ${name} after the end marker ends within seconds`, async () => {
      const staged = await stage();
      await staged.send(head() + delta('Hello') + stop);
      assert.ok((await secondsUntilEnd(staged, noise)) <= 6);
      assert.equal(turnText(await staged.httpTurn.ended), 'Hello');
      await staged.server.allClosed();
    });

    it(`that continues with ${name} after an error ends within seconds`, async () => {
      for (const error of [failure, 'event: error\ndata: Full\n\n']) {
        const staged = await stage();
        await staged.send(head() + delta('Kept') + error);
        assert.ok((await secondsUntilEnd(staged, noise)) <= 6);
        const turn = await staged.httpTurn.ended;
        assert.deepEqual([turn.status, turn.error?.message], ['cut', 'Full']);
      }
    });

    it(`that continues with ${name} after a possible end is cut at the limit`, async () => {
      const piece = event({ choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] });
      const staged = await stage();
      await staged.send(head() + piece + piece);
      assert.ok((await secondsUntilEnd(staged, noise)) <= 31);
      const turn = await staged.httpTurn.ended;
      assert.deepEqual([turnText(turn), turn.status, turn.error?.kind], ['aa', 'cut', 'timeout']);
    });
  }

  it('that floods the connection after the end ends immediately', async () => {
    for (const [said, status] of [
      [stop, 'finished'],
      [failure, 'cut'],
    ] as const) {
      const staged = await stage();
      await staged.send(head() + delta('Hello') + said);
      void staged.server.requests[0]?.write(': still here, and nothing else\n'.repeat(900_000));
      const turn = await staged.httpTurn.ended;
      assert.deepEqual([turn.status, turn.duration], [status, 0]);
    }
  });

  it('that sends white space after a reply in one piece causes no delay', async () => {
    const { server, httpTurn, clock, send } = await stage();
    const choices = [{ message: { content: 'Hi {' }, finish_reason: 'stop' }];
    await send(
      `${head('200 OK', { 'Content-Type': 'application/json' })}${JSON.stringify({ choices })}`,
    );
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status, turn.duration], ['Hi {', 'finished', 0]);
    await clock.advance(second);
    await server.allClosed();
  });

  it('that sends a refusal without its end causes no delay', async () => {
    const { httpTurn, send } = await stage();
    await send(
      `${head('402 No', { 'Content-Type': 'application/json' })}{"error":{"message":"No"}}`,
    );
    const turn = await httpTurn.ended;
    assert.deepEqual([turn.error?.message, turn.duration], ['No', 0]);
  });

  it('that sends an endless page is reported within seconds', async () => {
    const staged = await stage();
    await staged.send(`${head('200 OK', { 'Content-Type': 'text/html' })}<title>Sign in</title>`);
    assert.ok((await secondsUntilEnd(staged, '<br>')) <= 6);
    assert.equal((await staged.httpTurn.ended).error?.kind, 'unexpected-reply');
  });

  it('that sends an error body slowly is reported by status, with the text so far', async () => {
    const { server, httpTurn, clock, send } = await stage();
    await send(head('402 Payment Required', { 'Content-Type': 'text/plain' }) + 'Empty');
    for (let time = 0; time < 5; time += 1) {
      await send(' wallet');
      await clock.advance(second);
    }
    const turn = await httpTurn.ended;
    assert.equal(turn.error?.kind, 'insufficient-balance');
    assert.match(turn.error.message, /^Empty( wallet)+$/);
    await server.allClosed();
  });
});

describe('the system clock', () => {
  const { startTurn } = useServers();

  /** A reply whose first word has arrived. */
  async function begun() {
    const clock = new ManualClock();
    const answer: Answer = (connection) => connection.write(head() + delta('one'));
    const { server, httpTurn } = await startTurn(answer, { clock });
    await httpTurn.untilText('one');
    return { clock, server, httpTurn };
  }

  for (const change of [24 * 60 * minute, -24 * 60 * minute]) {
    it(`changes no limit if it is set by ${change / minute} minutes during a reply`, async () => {
      const { clock, server, httpTurn } = await begun();
      await clock.advance(10 * second);
      clock.setWall(clock.wall() + change);
      await clock.advance(15 * second);
      await server.requests[0]?.write(delta(' two'));
      await httpTurn.untilText('two');
      await clock.advance(30 * second - 1);
      assert.equal(httpTurn.text, 'one two');
      await clock.advance(1);
      const turn = await httpTurn.ended;
      assert.equal(turn.error?.kind, 'timeout');
      assert.equal(turn.duration, 55 * second);
    });
  }

  it('does not end a reply during sleep if data has arrived', async () => {
    const { clock, server, httpTurn } = await begun();
    await clock.leap(10 * minute);
    await server.requests[0]?.write(delta(' two') + stop + done);
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status], ['one two', 'finished']);
  });

  it('reports a dead connection within seconds after sleep, with the text so far', async () => {
    const { clock, server, httpTurn } = await begun();
    await clock.leap(10 * minute);
    assert.equal(httpTurn.text, 'one');
    await clock.advance(5 * second);
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status, turn.error?.kind], ['one', 'cut', 'cut']);
    assert.ok(canContinue(turn));
    assert.equal(server.requests.length, 1);
    await server.allClosed();
  });
});

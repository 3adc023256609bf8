/** Stop in every state of a request. */
import assert from 'node:assert/strict';
import { canContinue, turnText } from '../../../src/core/conversation/conversation.ts';
import { chunk, chunkedStream, delta, head, stop } from '../../support/rawReply.ts';
import { ManualClock } from '../../support/manualClock.ts';
import type { Answer, RawServer } from '../../support/rawServer.ts';
import { until } from '../../support/until.ts';
import { HttpTurn, useServers } from './httpTurn.ts';

interface State {
  readonly answer?: Answer;
  /** Waits until the request is in this state. */
  readonly waitUntilReached: (
    httpTurn: HttpTurn,
    server: RawServer,
    clock: ManualClock,
  ) => Promise<void>;
  readonly text?: string;
}

const requested: State['waitUntilReached'] = (_, server) => until(() => server.requests.length > 0);
const limited = head('503 Busy', { 'Content-Length': 0, 'Retry-After': 7 });

const states: Readonly<Record<string, State>> = {
  'before the connection is open': { waitUntilReached: () => Promise.resolve() },
  'before the head': { waitUntilReached: requested },
  'in the head': {
    answer: (connection) => connection.write('HTTP/1.1 200 OK\r\nX-'),
    waitUntilReached: requested,
  },
  'after the head': {
    answer: (connection) => connection.write(head()),
    waitUntilReached: requested,
  },
  'while only comments arrive': {
    answer: (connection) => connection.write(`${head()}: still here\n\n`),
    waitUntilReached: requested,
  },
  'in an event': {
    answer: (connection) => connection.write(head() + delta('Kept') + 'data: {"cho'),
    waitUntilReached: (httpTurn) => httpTurn.untilText('Kept'),
    text: 'Kept',
  },
  'while it streams': {
    answer: async (connection) => {
      await connection.write(head('200 OK', chunkedStream) + chunk(delta('Kept')).toString());
      while (!connection.isClosed) await connection.write(chunk(delta('.').repeat(100)));
    },
    waitUntilReached: (httpTurn) => httpTurn.untilText('Kept....'),
    text: 'Kept....',
  },
  'after the finish reason': {
    answer: (connection) => connection.write(head() + delta('Kept') + stop),
    waitUntilReached: (httpTurn) => httpTurn.untilText('Kept'),
    text: 'Kept',
  },
  'in the body of an error': {
    answer: (connection) => connection.write(`${head('400 Bad Request', {})}{"error":`),
    waitUntilReached: requested,
  },
  'in the wait before another attempt': {
    answer: (connection) => connection.write(limited),
    waitUntilReached: (_, __, clock) => until(() => clock.waits.includes(7000)),
  },
  'in another attempt': {
    answer: (() => {
      let attempts = 0;
      return (connection) => (attempts++ === 0 ? connection.write(limited) : undefined);
    })(),
    waitUntilReached: async (_, server, clock) => {
      await until(() => clock.waits.includes(7000));
      await clock.advance(7000);
      await until(() => server.requests.length > 1);
    },
  },
};

describe('Stop', () => {
  const { start } = useServers();

  for (const [name, { answer = () => undefined, waitUntilReached, text = '' }] of Object.entries(
    states,
  )) {
    it(`${name} ends the turn immediately, keeps its text, and closes the connection`, async () => {
      const clock = new ManualClock();
      const server = await start(answer);
      const httpTurn = new HttpTurn(server.baseUrl, { clock });
      await waitUntilReached(httpTurn, server, clock);
      const { requests } = server;
      const requestCount = requests.length;
      httpTurn.stop();
      const turn = await httpTurn.ended;
      assert.equal(turn.status, 'stopped');
      assert.equal(turn.error, undefined);
      assert.ok(turnText(turn).startsWith(text));
      assert.equal(canContinue(turn), text !== '');
      assert.deepEqual(clock.waits, [], 'a timer is left');
      // A connection whose response was read to its end may stay open for the next request.
      if (name !== 'in the wait before another attempt') await server.allClosed();
      assert.ok(requests.length <= Math.max(requestCount, 1));
    });
  }

  it("of one reply doesn't affect another one", async () => {
    const server = await start((connection) => connection.write(head() + delta('one')));
    const [first, second] = [new HttpTurn(server.baseUrl), new HttpTurn(server.baseUrl)];
    await Promise.all([first.untilText('one'), second.untilText('one')]);
    first.stop();
    assert.equal((await first.ended).status, 'stopped');
    for (const connection of server.requests) connection.end(delta(' two') + stop);
    const turn = await second.ended;
    assert.deepEqual([turnText(turn), turn.status], ['one two', 'finished']);
  });
});

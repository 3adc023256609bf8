/** Automatic retries: which requests are sent again, when, and how often. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { turnText } from '../../../src/core/conversation/conversation.ts';
import {
  chunk,
  chunkedStream,
  delta,
  done,
  eventStream,
  head,
  hello,
  saying,
} from '../../support/rawReply.ts';
import type { Answer } from '../../support/rawServer.ts';
import { HttpTurn, clockWithoutRetryWaits, messageText, useServers } from './httpTurn.ts';

function status(status: string, headers: Readonly<Record<string, string>> = {}): Answer {
  const body = '{"error":{"message":"No way"}}';
  return saying(head(status, { ...headers, 'Content-Length': body.length }), body);
}

describe('a request', () => {
  const { start } = useServers();
  const clock = clockWithoutRetryWaits;

  for (const code of [429, 500, 502, 503, 504, 529]) {
    it(`that fails with ${code} is sent four times, after 1, 2 and 4 seconds`, async () => {
      const server = await start(status(`${code} No`));
      const httpTurn = new HttpTurn(server.baseUrl, { clock });
      const turn = await httpTurn.ended;
      assert.deepEqual([turn.status, turn.error?.message], ['failed', 'No way']);
      assert.deepEqual(httpTurn.delays, [1000, 2000, 4000]);
      assert.equal(server.requests.length, 4);
      for (const { request } of server.requests) assert.ok(request.includes(messageText));
    });
  }

  it('succeeds when one of its attempts does', async () => {
    const server = await start(status('503 Busy'), status('429 Slow'), hello);
    const turn = await new HttpTurn(server.baseUrl, { clock }).ended;
    assert.deepEqual([turnText(turn), turn.status], ['Hello', 'finished']);
    assert.equal(server.requests.length, 3);
  });

  it('whose key was refused while continuing a text keeps that text', async () => {
    const server = await start(status('401 Unauthorized'));
    const turn = await new HttpTurn(server.baseUrl, { clock, continued: 'Kept' }).ended;
    assert.deepEqual(
      [turnText(turn), turn.status, turn.error?.kind],
      ['Kept', 'cut', 'unauthorized'],
    );
    assert.equal(server.requests.length, 1);
  });

  const before: Readonly<Record<string, Answer>> = {
    'is reset': (connection) => connection.reset(),
    'is closed': (connection) => connection.end(),
  };
  for (const [name, answer] of Object.entries(before)) {
    it(`whose connection ${name} before a head is sent again`, async () => {
      const server = await start(answer, answer, hello);
      const turn = await new HttpTurn(server.baseUrl, { clock }).ended;
      assert.deepEqual([turnText(turn), turn.status], ['Hello', 'finished']);
      assert.equal(server.requests.length, 3);
    });
  }

  const begun = [
    'H',
    'HTTP/1.1 200',
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.1 200 OK\r\nContent-',
    'HTTP/1.1 503 Busy\r\nContent-Length: 5\r\n',
    'HTTP/1.1 102 Processing\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 O',
    'HTTP/1.1 199 Odd\r\nConnection: close\r\n\r\n',
  ];
  const codes = { 400: 'bad-request', 401: 'unauthorized', 402: 'insufficient-balance' };
  const more = { 403: 'forbidden', 404: 'not-found', 409: 'unexpected-status', 422: 'bad-request' };
  const invalid = { 600: 'unexpected-status', 666: 'unexpected-status', 999: 'unexpected-status' };
  const breaking =
    (text: string): Answer =>
    (connection) =>
      void connection.write(text).then(() => connection.reset());
  const sentOnce: readonly (readonly [name: string, answer: Answer, kind: string])[] = [
    ...Object.entries({ ...codes, ...more, ...invalid }).map(
      ([code, kind]) => [`that fails with ${code}`, status(`${code} No`), kind] as const,
    ),
    ...begun.map(
      (bytes) =>
        [
          `whose connection ends after ${JSON.stringify(bytes)}`,
          saying(bytes),
          'no-reply',
        ] as const,
    ),
    ['that breaks after its head', breaking(head('200 OK', chunkedStream)), 'no-reply'],
    [
      'that breaks after comments',
      breaking(head('200 OK', chunkedStream) + chunk(': one\n\n: two\n\n').toString()),
      'no-reply',
    ],
  ];
  for (const [name, answer, kind] of sentOnce) {
    it(`${name} has a response, and is not sent again`, async () => {
      const server = await start(answer, hello);
      const turn = await new HttpTurn(server.baseUrl, { clock }).ended;
      assert.deepEqual([turn.status, turn.error?.kind], ['failed', kind]);
      assert.equal(server.requests.length, 1);
    });
  }

  it('to a closed port is tried four times', async () => {
    const server = await start(hello);
    server.stop();
    const httpTurn = new HttpTurn(server.baseUrl, { clock });
    const turn = await httpTurn.ended;
    assert.deepEqual([turn.status, turn.error?.kind], ['failed', 'network']);
    assert.deepEqual(httpTurn.delays, [1000, 2000, 4000]);
  });

  it('over TLS to a server without TLS is tried once', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    let connections = 0;
    server.on('connection', () => (connections += 1));
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    const turn = await new HttpTurn(`https://127.0.0.1:${address.port}/v1`, { clock }).ended;
    server.close();
    assert.deepEqual([turn.status, turn.error?.kind], ['failed', 'network']);
    assert.equal(connections, 1);
  });

  it('reuses the previous connection, whose body ended after its reply', async () => {
    const body = delta('Hello') + done;
    const headers = { ...eventStream, Connection: 'keep-alive', 'Content-Length': body.length + 1 };
    const server = await start((connection) => connection.write(head('200 OK', headers) + body));
    do {
      assert.equal((await new HttpTurn(server.baseUrl).ended).status, 'finished');
      await server.requests.at(-1)?.write('\n');
    } while (server.connections === server.requests.length && server.connections < 50);
    assert.ok(server.connections < server.requests.length);
  });
});

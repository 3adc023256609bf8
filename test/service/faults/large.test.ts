/** Bodies of a size that nobody wants: read as far as it is sensible, and never kept in memory. */
import assert from 'node:assert/strict';
import { turnText } from '../../../src/core/conversation/conversation.ts';
import { chunk, chunkedStream, delta, done, event, head, stop } from '../../support/rawReply.ts';
import type { Connection } from '../../support/rawServer.ts';
import { useServers } from './ask.ts';
import { runs } from '../../support/sample.ts';

const mebibyte = 1024 * 1024;
const piece = Buffer.alloc(mebibyte, 'x');

/** Sends pieces until the client hangs up, at most so many. */
async function flood(connection: Connection, pieces: number, bytes = piece): Promise<void> {
  for (let count = 0; count < pieces && !connection.isClosed; count++)
    await connection.write(chunk(bytes));
}

/** What may lie in the buffers of sockets, of both sides, beside what was read. */
const onTheWay = 16 * mebibyte;

describe('a reply of great size', () => {
  const { ask } = useServers();

  it('reads an event of 16 MiB to its last character', async () => {
    const start = 'data: {"choices":[{"delta":{"content":"';
    const end = '"}}]}';
    const content = Buffer.alloc(16 * mebibyte - start.length + 'data: '.length - end.length, 'x');
    const { server, asking } = await ask(async (connection) => {
      await connection.write(head('200 OK', chunkedStream));
      await connection.write(chunk(start));
      await connection.write(chunk(content));
      await connection.write(chunk(`${end}\n\n${delta('!')}${stop}${done}`));
      await connection.write(chunk());
    });
    const turn = await asking.ended;
    assert.equal(turn.status, 'finished');
    assert.equal(turnText(turn).length, content.length + 1);
    assert.equal(server.requests.length, 1);
  });

  const endless: Readonly<Record<string, string>> = {
    'an event': 'data: {"choices":[{"delta":{"content":"',
    'a comment': ': ',
    'a line without a colon': 'x',
    'the name of an event': 'event: ',
  };
  for (const [name, start] of Object.entries(endless)) {
    it(`keeps its text if ${name} of 50 MB follows, of which at most 16 MiB is read`, async () => {
      const { server, asking } = await ask(async (connection) => {
        await connection.write(head('200 OK', chunkedStream));
        await connection.write(chunk(delta('Kept') + start));
        await flood(connection, 50);
        connection.end(chunk(done));
      });
      const turn = await asking.ended;
      assert.deepEqual([turnText(turn), turn.status, turn.error?.kind], ['Kept', 'cut', 'cut']);
      await server.allClosed();
      const sent = server.requests[0]?.bytesWritten ?? Infinity;
      assert.ok(sent < 17 * mebibyte + onTheWay, `${sent} bytes were taken`);
    });
  }

  it('reads no more than that of an event of many lines', async () => {
    const lines = Buffer.from('data: "x",\n'.repeat(50_000));
    const { server, asking } = await ask(async (connection) => {
      await connection.write(head('200 OK', chunkedStream));
      await connection.write(chunk(delta('Kept')));
      await flood(connection, runs(100, 2), lines);
      connection.end();
    });
    const turn = await asking.ended;
    assert.deepEqual([turnText(turn), turn.status, turn.error?.kind], ['Kept', 'cut', 'cut']);
    await server.allClosed();
    assert.ok((server.requests[0]?.bytesWritten ?? Infinity) < 40 * mebibyte + onTheWay);
  });

  it('skips a preceding comment of any size without buffering it', async () => {
    const { asking } = await ask(async (connection) => {
      await connection.write(head('200 OK', chunkedStream));
      await connection.write(chunk(': '));
      await flood(connection, runs(50, 5));
      await connection.write(chunk(`\n\n${delta('Hello')}${done}`));
    });
    const turn = await asking.ended;
    assert.deepEqual([turnText(turn), turn.status], ['Hello', 'finished']);
  });

  it("doesn't treat a page of 50 MB as a reply, and closes the connection", async () => {
    const { server, asking } = await ask(async (connection) => {
      await connection.write(head('200 OK', { ...chunkedStream, 'Content-Type': 'text/html' }));
      await connection.write(chunk('<html>'));
      await flood(connection, 50);
      connection.end();
    });
    const turn = await asking.ended;
    assert.deepEqual([turn.status, turn.error?.kind], ['failed', 'unexpected-reply']);
    await server.allClosed();
    assert.ok((server.requests[0]?.bytesWritten ?? Infinity) < 17 * mebibyte + onTheWay);
  });

  it('reads the start of an error of 50 MB, and closes the connection', async () => {
    const { server, asking } = await ask(async (connection) => {
      await connection.write(head('400 Bad Request', chunkedStream));
      await connection.write(chunk('Too long. '));
      await flood(connection, 50);
      connection.end();
    });
    const turn = await asking.ended;
    assert.equal(turn.error?.kind, 'bad-request');
    assert.equal(turn.error.message.length, 301);
    await server.allClosed();
    assert.ok((server.requests[0]?.bytesWritten ?? Infinity) < mebibyte + onTheWay);
  });

  it('closes the connection on data after its end', async () => {
    const { server, asking } = await ask(async (connection) => {
      await connection.write(head('200 OK', chunkedStream));
      await connection.write(chunk(delta('Hello') + done));
      await flood(connection, 50);
    });
    const turn = await asking.ended;
    assert.deepEqual([turnText(turn), turn.status], ['Hello', 'finished']);
    await server.allClosed();
    assert.ok((server.requests[0]?.bytesWritten ?? Infinity) < mebibyte + onTheWay);
  });

  it('reads 100,000 tiny chunks one by one, and all of them', async () => {
    const calls = Array.from({ length: 1000 }, () => chunk(delta('x')));
    const { asking } = await ask(async (connection) => {
      await connection.write(head('200 OK', chunkedStream));
      for (let count = 0; count < 100; count++) await connection.write(Buffer.concat(calls));
      await connection.write(Buffer.concat([chunk(stop + done), chunk()]));
    });
    const turn = await asking.ended;
    assert.equal(turnText(turn), 'x'.repeat(100_000));
    assert.equal(turn.status, 'finished');
  });

  it('joins the arguments of a call from 100,000 pieces', async () => {
    const pieceOf = (more: object): string =>
      event({ choices: [{ delta: { tool_calls: [{ index: 0, ...more }] } }] });
    const fragments = pieceOf({ function: { arguments: '7' } }).repeat(1000);
    const { asking } = await ask(async (connection) => {
      await connection.write(head('200 OK', chunkedStream));
      await connection.write(chunk(pieceOf({ id: 'c', function: { name: 'f', arguments: '' } })));
      await flood(connection, 100, Buffer.from(fragments));
      await connection.write(Buffer.concat([chunk(stop + done), chunk()]));
    });
    const [call] = (await asking.ended).parts;
    assert.ok(call?.type === 'tool-call');
    assert.equal(call.arguments, '7'.repeat(100_000));
  });
});

/** Excessively large bodies, which are read up to a limit and not buffered. */
import assert from 'node:assert/strict';
import { turnText } from '../../../src/core/conversation/conversation.ts';
import { chunk, chunkedStream, delta, done, event, head, stop } from '../../support/rawReply.ts';
import type { Answer } from '../../support/rawServer.ts';
import { useServers } from './httpTurn.ts';
import { runs } from '../../support/sample.ts';

const mebibyte = 1024 * 1024;
const piece = Buffer.alloc(mebibyte, 'x');

/** Sends a beginning, up to this number of pieces until the client disconnects, and an end. */
function flood(
  begin: string,
  pieces: number,
  end: string | Uint8Array = '',
  { bytes = piece, opening = head('200 OK', chunkedStream) } = {},
): Answer {
  return async (connection) => {
    await connection.write(opening);
    await connection.write(chunk(begin));
    for (let count = 0; count < pieces && !connection.isClosed; count++)
      await connection.write(chunk(bytes));
    connection.end(end);
  };
}

/** Bytes that the buffers of both sockets may contain in addition to those that were read. */
const bufferedBytes = 16 * mebibyte;

describe('a very large reply', () => {
  const { startTurn } = useServers();

  it('may contain an event of 16 MiB', async () => {
    const start = 'data: {"choices":[{"delta":{"content":"';
    const end = '"}}]}';
    const content = Buffer.alloc(16 * mebibyte - start.length + 'data: '.length - end.length, 'x');
    const rest = Buffer.concat([chunk(`${end}\n\n${delta('!')}${stop}${done}`), chunk()]);
    const { server, httpTurn } = await startTurn(flood(start, 1, rest, { bytes: content }));
    const turn = await httpTurn.ended;
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
      const { server, httpTurn } = await startTurn(flood(delta('Kept') + start, 50, chunk(done)));
      const turn = await httpTurn.ended;
      assert.deepEqual([turnText(turn), turn.status, turn.error?.kind], ['Kept', 'cut', 'cut']);
      await server.allClosed();
      const sent = server.requests[0]?.bytesWritten ?? Infinity;
      assert.ok(sent < 17 * mebibyte + bufferedBytes, `${sent} bytes were taken`);
    });
  }

  it('is read up to 16 MiB of an event with many lines', async () => {
    const lines = Buffer.from('data: "x",\n'.repeat(50_000));
    const answer = flood(delta('Kept'), runs(100, 2), '', { bytes: lines });
    const { server, httpTurn } = await startTurn(answer);
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status, turn.error?.kind], ['Kept', 'cut', 'cut']);
    await server.allClosed();
    assert.ok((server.requests[0]?.bytesWritten ?? Infinity) < 40 * mebibyte + bufferedBytes);
  });

  it('may begin with a comment of any size, which is not buffered', async () => {
    const end = Buffer.concat([chunk(`\n\n${delta('Hello')}${done}`), chunk()]);
    const { httpTurn } = await startTurn(flood(': ', runs(50, 5), end));
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status], ['Hello', 'finished']);
  });

  it('is refused if it is a web page of 50 MB, whose connection is closed', async () => {
    const opening = head('200 OK', { ...chunkedStream, 'Content-Type': 'text/html' });
    const { server, httpTurn } = await startTurn(flood('<html>', 50, '', { opening }));
    const turn = await httpTurn.ended;
    assert.deepEqual([turn.status, turn.error?.kind], ['failed', 'unexpected-reply']);
    await server.allClosed();
    assert.ok((server.requests[0]?.bytesWritten ?? Infinity) < 17 * mebibyte + bufferedBytes);
  });

  it('is read from the start of an error of 50 MB, whose connection is closed', async () => {
    const opening = head('400 Bad Request', chunkedStream);
    const { server, httpTurn } = await startTurn(flood('Too long. ', 50, '', { opening }));
    const turn = await httpTurn.ended;
    assert.equal(turn.error?.kind, 'bad-request');
    assert.equal(turn.error.message.length, 301);
    await server.allClosed();
    assert.ok((server.requests[0]?.bytesWritten ?? Infinity) < mebibyte + bufferedBytes);
  });

  it('closes the connection if data follows its end', async () => {
    const { server, httpTurn } = await startTurn(flood(delta('Hello') + done, 50));
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status], ['Hello', 'finished']);
    await server.allClosed();
    assert.ok((server.requests[0]?.bytesWritten ?? Infinity) < mebibyte + bufferedBytes);
  });

  it('may consist of 100,000 tiny chunks', async () => {
    const pieces = Array.from({ length: 1000 }, () => chunk(delta('x')));
    const { httpTurn } = await startTurn(async (connection) => {
      await connection.write(head('200 OK', chunkedStream));
      for (let count = 0; count < 100; count++) await connection.write(Buffer.concat(pieces));
      await connection.write(Buffer.concat([chunk(stop + done), chunk()]));
    });
    const turn = await httpTurn.ended;
    assert.equal(turnText(turn), 'x'.repeat(100_000));
    assert.equal(turn.status, 'finished');
  });

  it('may contain the arguments of a call in 100,000 pieces', async () => {
    const pieceOf = (more: object): string =>
      event({ choices: [{ delta: { tool_calls: [{ index: 0, ...more }] } }] });
    const fragments = pieceOf({ function: { arguments: '7' } }).repeat(1000);
    const begin = pieceOf({ id: 'c', function: { name: 'f', arguments: '' } });
    const end = Buffer.concat([chunk(stop + done), chunk()]);
    const answer = flood(begin, 100, end, { bytes: Buffer.from(fragments) });
    const { httpTurn } = await startTurn(answer);
    const [call] = (await httpTurn.ended).parts;
    assert.ok(call?.type === 'tool-call');
    assert.equal(call.arguments, '7'.repeat(100_000));
  });
});

/** Valid and invalid encodings, lengths and ends of HTTP bodies. */
import assert from 'node:assert/strict';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { turnText } from '../../../src/core/conversation/conversation.ts';
import {
  chunk,
  chunkedStream,
  delta,
  done,
  eventStream,
  head,
  saying,
  stop,
} from '../../support/rawReply.ts';
import type { Answer } from '../../support/rawServer.ts';
import { clockWithoutRetryWaits, useServers } from './httpTurn.ts';

const text = 'Zoë said: 🦊';
const reply = delta(text) + stop + done;

function packed(encoding: string, bytes: Uint8Array): Answer {
  return saying(head('200 OK', { ...eventStream, 'Content-Encoding': encoding }), bytes);
}

function measured(length: number | string, body: string): Answer {
  return saying(head('200 OK', { ...eventStream, 'Content-Length': length }), body);
}

function inChunks(...parts: readonly (string | Uint8Array)[]): Answer {
  return saying(head('200 OK', chunkedStream), ...parts);
}

const whole: Readonly<Record<string, Answer>> = {
  'in gzip': packed('gzip', gzipSync(reply)),
  'in brotli': packed('br', brotliCompressSync(reply)),
  'in deflate': packed('deflate', deflateSync(reply)),
  'in raw deflate': packed('deflate', deflateRawSync(reply)),
  'packed twice': packed('gzip, br', brotliCompressSync(gzipSync(reply))),
  'in gzip without its last bytes': packed('gzip', gzipSync(reply).subarray(0, -8)),
  'of the length that its header says': measured(Buffer.byteLength(reply), reply),
  'shorter than its header says, after its end was said': measured(100_000, reply),
  'longer than its header says, after its end was said': measured(
    Buffer.byteLength(reply),
    `${reply}${delta('not this')}`,
  ),
  'in HTTP 1.0, without a length': saying(head().replace('HTTP/1.1', 'HTTP/1.0'), reply),
  'after 102 Processing and 103 Early Hints': saying(
    'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n',
    head(),
    reply,
  ),
  'in chunks that have extensions, and trailers': inChunks(
    chunk(reply).toString().replace('\r\n', ';name="value";flag\r\n'),
    '0\r\nX-Trailer: yes\r\n\r\n',
  ),
  'with garbage after its last chunk': inChunks(
    chunk(reply),
    chunk(),
    'HTTP/9.9 999 \u{0}\r\n\r\ngarbage',
  ),
};

const unreadable: Readonly<Record<string, Answer>> = {
  'of the wrong encoding gzip': packed('gzip', Buffer.from(reply)),
  'of the wrong encoding br': packed('br', Buffer.from(reply)),
  'of the wrong encoding deflate': packed('deflate', Buffer.from(`\u{7f}${reply}`)),
  'of the wrong encoding zstd': packed('zstd', Buffer.from(reply)),
  'with a bad chunk size': inChunks(`oops\r\n${reply}`),
  'with a bad chunk size after comments': inChunks(chunk(': still here\n\n'), 'oops\r\n'),
  'after folded headers': saying('HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\n\r\n', reply),
  'after a header that is none': saying('HTTP/1.1 200 OK\r\nno colon\r\n\r\n', reply),
  'after headers without an end': saying(
    'HTTP/1.1 200 OK\r\n',
    'X-Long: x\r\n'.repeat(20_000),
    '\r\n',
  ),
  'of another protocol': saying('SSH-2.0-OpenSSH_9.6\r\n'),
  ...Object.fromEntries(
    [
      ['Content-Length: 5', 'Content-Length: 7'],
      ['Content-Length: 5, 7'],
      ['Content-Length: x'],
      ['Content-Length: -5'],
      ['Content-Length: '],
      ['Content-Length: 99999999999999999999999'],
      ['Content-Length: 5', 'Transfer-Encoding: chunked'],
      ['Transfer-Encoding: chunked', 'Content-Length: 5'],
      ['Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip, gzip'],
    ].map((lines) => [
      `after ${lines.join(' and ')}`,
      saying(`HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`, reply),
    ]),
  ),
  'after 100 Continue': saying('HTTP/1.1 100 Continue\r\n\r\n', head(), reply),
  'that is only 100 Continue': saying('HTTP/1.1 100 Continue\r\n\r\n'),
  'of a protocol that it changes to': saying(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhello',
  ),
  'of a protocol that it does not name': saying('HTTP/1.1 101 Switching\r\n\r\nhello'),
  'of a status below all': saying('HTTP/1.1 000 None\r\n\r\n'),
  'of a status below 100': saying('HTTP/1.1 099 None\r\n\r\n'),
};

const gzipped = gzipSync(delta(text) + delta('x').repeat(300), { level: 0 });

const broken: Readonly<Record<string, Answer>> = {
  'shorter than its header says': measured(100_000, delta(text)),
  'longer than its header says': measured(Buffer.byteLength(delta(text)), delta(text) + reply),
  'in a chunk that ends early': inChunks(chunk(delta(text)), 'ffff\r\ndata: {"choices":'),
  'without its last chunk': inChunks(chunk(delta(text))),
  'in gzip that is cut': packed('gzip', gzipped.subarray(0, -1000)),
};

describe('a body', () => {
  const { startTurn } = useServers();

  for (const [name, answer] of Object.entries(whole)) {
    it(`${name} is read completely`, async () => {
      const { server, httpTurn } = await startTurn(answer);
      const turn = await httpTurn.ended;
      assert.equal(turnText(turn), text);
      assert.equal(turn.status, 'finished');
      await server.allClosed();
    });
  }

  for (const [name, answer] of Object.entries(broken)) {
    it(`${name} is reported as cut off, with the text so far`, async () => {
      const { server, httpTurn } = await startTurn(answer);
      const turn = await httpTurn.ended;
      assert.ok(turnText(turn).startsWith(text), turnText(turn));
      assert.equal(turn.status, 'cut');
      assert.equal(turn.error?.kind, 'cut');
      assert.equal(server.requests.length, 1, 'what has begun was asked for again');
      await server.allClosed();
    });
  }

  for (const [name, answer] of Object.entries(unreadable)) {
    it(`${name} is reported as unreadable, without a retry`, async () => {
      const { server, httpTurn } = await startTurn(answer, { clock: clockWithoutRetryWaits });
      const turn = await httpTurn.ended;
      assert.equal(turn.error?.kind, 'unreadable', turn.error?.message);
      assert.equal(server.requests.length, 1);
    });
  }

  const refusals: Readonly<Record<string, Answer>> = {
    'of the wrong encoding': saying(
      head('503 Busy', { ...eventStream, 'Content-Encoding': 'gzip' }),
      'no gzip',
    ),
    'with a bad chunk size': saying(head('503 Busy', chunkedStream), 'oops\r\n'),
  };
  for (const [name, answer] of Object.entries(refusals)) {
    it(`${name} doesn't change the status of a refusal`, async () => {
      const { server, httpTurn } = await startTurn(answer, { clock: clockWithoutRetryWaits });
      const turn = await httpTurn.ended;
      assert.equal(turn.error?.kind, 'server-error');
      assert.equal(server.requests.length, 4);
    });
  }

  it('in chunks, one without a size, is reported as unreadable, with the text so far', async () => {
    const opening = head('200 OK', chunkedStream) + chunk(delta(text)).toString();
    const { server, httpTurn } = await startTurn((connection) => connection.write(opening));
    await httpTurn.untilText(text);
    await server.requests[0]?.write('oops\r\ndata: x\r\n');
    const turn = await httpTurn.ended;
    assert.equal(turnText(turn), text);
    assert.deepEqual([turn.status, turn.error?.kind], ['cut', 'unreadable']);
    assert.equal(server.requests.length, 1);
    await server.allClosed();
  });

  it('in damaged gzip is reported as unreadable, with the text so far', async () => {
    const headers = { ...eventStream, 'Content-Encoding': 'gzip' };
    const { server, httpTurn } = await startTurn((connection) =>
      connection.write(
        Buffer.concat([Buffer.from(head('200 OK', headers)), gzipped.subarray(0, -1000)]),
      ),
    );
    await httpTurn.untilText(text);
    await server.requests[0]?.write(Buffer.alloc(2000, 0xff));
    const turn = await httpTurn.ended;
    assert.ok(turnText(turn).startsWith(text));
    assert.deepEqual([turn.status, turn.error?.kind], ['cut', 'unreadable']);
    await server.allClosed();
  });

  it('in an unknown encoding is no reply', async () => {
    const { server, httpTurn } = await startTurn(packed('rot13', Buffer.from('qngn: {}\n\n')));
    const turn = await httpTurn.ended;
    assert.equal(turn.status, 'failed');
    await server.allClosed();
  });
});

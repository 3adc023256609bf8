/** Events of a stream in different framings, encodings and slices. */
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { turnText } from '../../../src/core/conversation/conversation.ts';
import {
  chunk,
  chunkedStream,
  delta,
  done,
  event,
  head,
  saying,
  stop,
} from '../../support/rawReply.ts';
import type { Answer } from '../../support/rawServer.ts';
import { runs } from '../../support/sample.ts';
import { useServers } from './httpTurn.ts';

const fox = delta('Zoë ') + delta('said: 🦊') + stop + done;

const forms: Readonly<Record<string, Answer>> = {
  'single bytes': async (connection) => {
    for (const byte of Buffer.from(head() + fox)) {
      await connection.write(Uint8Array.of(byte));
      await setImmediate();
    }
    connection.end();
  },
  'characters that are cut in two': async (connection) => {
    await connection.write(head());
    for (const byte of Buffer.from(fox)) {
      await connection.write(Uint8Array.of(byte));
      if (byte >= 0x80) await setImmediate();
    }
    connection.end();
  },
  'a chunk of HTTP for each byte': saying(
    head('200 OK', chunkedStream),
    ...[...Buffer.from(fox)].map((byte) => chunk(Uint8Array.of(byte))),
    chunk(),
  ),
  'a byte order mark': saying(head(), '\u{feff}', fox),
  'a byte order mark and comments': saying(head(), '\u{feff}: hello\n\n:\n\n', fox),
  'lines that end with CR': saying(head(), fox.replaceAll('\n', '\r')),
  'lines that end with CRLF': saying(head(), fox.replaceAll('\n', '\r\n')),
  'a CRLF that is cut in two': async (connection) => {
    await connection.write(head());
    for (const part of fox.replaceAll('\n', '\r\n').split(/(?<=\r)/)) {
      await connection.write(part);
      await setImmediate();
    }
    connection.end();
  },
  'no space after the colon': saying(head(), fox.replaceAll('data: ', 'data:')),
  'fields that nobody asked for': saying(
    head(),
    'id: 1\nretry: 10\nevent: message\nfoo: bar\nbaz\n' + fox,
  ),
  'comments between the lines': saying(head(), fox.replaceAll('\n\n', '\n: still here\n\n:\n')),
  'JSON over several lines': saying(
    head(),
    `data: {"choices": [{"delta":\ndata: {"content": "Zoë said: 🦊"}}]}\n\n`,
    stop + done,
  ),
  'several chunks in one event': saying(head(), fox.replaceAll('\n\n', '\n'), '\n'),
  'no blank line at the end': saying(head(), delta('Zoë said: 🦊'), stop.trimEnd()),
  'no line end after [DONE]': saying(head(), delta('Zoë said: 🦊'), done.trimEnd()),
  'more after [DONE]': saying(head(), fox, delta('not this'), '<html>\u{0}\u{ff}', done),
  'the content type of a page': saying(head('200 OK', { 'Content-Type': 'text/html' }), fox),
  'no content type': saying(head('200 OK', {}), fox),
  'another choice beside': saying(
    head(),
    event({ choices: [{ delta: { role: 'assistant' } }] }),
    event({ choices: [{ index: 1, delta: { content: 'not this' } }] }),
    fox,
  ),
};

describe('a reply that arrives', () => {
  const { startTurn } = useServers();

  for (const [name, answer] of Object.entries(forms)) {
    it(`with ${name} is read completely`, async () => {
      const { server, httpTurn } = await startTurn(answer);
      const turn = await httpTurn.ended;
      assert.equal(turnText(turn), 'Zoë said: 🦊');
      assert.equal(turn.status, 'finished');
      assert.equal(turn.malformedEvents, undefined);
      assert.equal(server.requests.length, 1);
    });
  }

  it('at the same time as another one is read separately', async () => {
    const count = runs(200);
    const letters =
      (which: string): Answer =>
      async (connection) => {
        await connection.write(head());
        for (const byte of Buffer.from(delta(which).repeat(count) + done)) {
          await connection.write(Uint8Array.of(byte));
          await setImmediate();
        }
        connection.end();
      };
    const chats = await Promise.all([startTurn(letters('ä')), startTurn(letters('🦊'))]);
    const turns = await Promise.all(chats.map(({ httpTurn }) => httpTurn.ended));
    assert.deepEqual(turns.map(turnText), ['ä'.repeat(count), '🦊'.repeat(count)]);
    assert.deepEqual(
      turns.map((turn) => turn.status),
      ['finished', 'finished'],
    );
  });
});

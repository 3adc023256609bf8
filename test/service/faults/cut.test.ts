/** Replies that break off, at every position and in several ways. */
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { canContinue, turnText } from '../../../src/core/conversation/conversation.ts';
import { isComplete } from '../../../src/core/service/completion.ts';
import { ResponseEnd } from '../../../src/core/service/replyEnd.ts';
import { StreamDecoder } from '../../../src/core/service/streamDecoder.ts';
import { systemClock, type Clock } from '../../../src/core/support/clock.ts';
import {
  chunk,
  chunkedStream,
  delta,
  done,
  event,
  eventStream,
  head,
  saying,
  stop,
} from '../../support/rawReply.ts';
import type { Answer } from '../../support/rawServer.ts';
import { cases } from '../../support/sample.ts';
import { useServers } from './httpTurn.ts';

function finishing(finish_reason: string, content = ''): string {
  return event({ choices: [{ delta: { content }, finish_reason }] });
}

describe('a reply that is cut', () => {
  const { startTurn } = useServers();

  it('keeps the text up to any byte, and is not complete before its end', async () => {
    const stream = Buffer.from(`: hi\r\n\r\n${delta('Zoë ')}${delta('🦊!')}${stop}${done}`);
    const endSaid = stream.indexOf(stop.trimEnd()) + stop.trimEnd().length;
    for (const end of cases([...stream.keys(), stream.length])) {
      const { server, httpTurn } = await startTurn(saying(head(), stream.subarray(0, end)));
      const turn = await httpTurn.ended;
      const came = stream.subarray(0, end).toString();
      const text = ['Zoë ', '🦊!'].filter((part) => came.includes(`${JSON.stringify(part)}}}]}`));
      assert.equal(turnText(turn), text.join(''), `cut at ${end}`);
      const status = text.length === 0 ? 'failed' : end < endSaid ? 'cut' : 'finished';
      assert.equal(turn.status, status, `cut at ${end}`);
      assert.equal(turn.malformedEvents, undefined, `cut at ${end}`);
      assert.equal(turn.status === 'finished', turn.error === undefined, `cut at ${end}`);
      assert.equal(server.requests.length, 1, `asked again after a cut at ${end}`);
      server.stop();
    }
  });

  const ends: Readonly<Record<string, Answer>> = {
    'by the end of the connection': saying(head(), delta('Kept')),
    'by the last chunk': saying(head('200 OK', chunkedStream), chunk(delta('Kept')), chunk()),
    'in an event': saying(head(), delta('Kept'), delta('lost').slice(0, -12)),
    'in a character': saying(head(), delta('Kept'), Buffer.from(delta('é')).subarray(0, -11)),
  };
  for (const [name, answer] of Object.entries(ends)) {
    it(`${name} is reported with its text, and can be continued`, async () => {
      const { server, httpTurn } = await startTurn(answer);
      const turn = await httpTurn.ended;
      assert.equal(turnText(turn), 'Kept');
      assert.deepEqual([turn.status, turn.error?.kind], ['cut', 'cut']);
      assert.ok(canContinue(turn));
      assert.equal(server.requests.length, 1);
      await server.allClosed();
    });
  }

  const openings: Readonly<Record<string, string>> = {
    'a body without a length': head() + delta('Kept'),
    'a body in chunks': head('200 OK', chunkedStream) + chunk(delta('Kept')).toString(),
    'an event': `${head()}${delta('Kept')}data: {"choices":[`,
  };
  for (const [name, opening] of Object.entries(openings)) {
    it(`by a reset in ${name} is reported with its text, and can be continued`, async () => {
      const { server, httpTurn } = await startTurn((connection) => connection.write(opening));
      await httpTurn.untilText('Kept');
      server.requests[0]?.reset();
      const turn = await httpTurn.ended;
      assert.equal(turnText(turn), 'Kept');
      assert.deepEqual([turn.status, turn.error?.kind], ['cut', 'cut']);
      assert.ok(canContinue(turn));
      assert.equal(server.requests.length, 1);
    });
  }

  it('after its end marker is complete', async () => {
    const { server, httpTurn } = await startTurn((connection) =>
      connection.write(head() + delta('Whole') + stop),
    );
    await httpTurn.untilText('Whole');
    server.requests[0]?.reset();
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status], ['Whole', 'finished']);
    await server.allClosed();
  });

  it('after a false end is reported with its text', async () => {
    const piece = (content: string): string => finishing('stop', content);
    const { server, httpTurn } = await startTurn((connection) =>
      connection.write(head() + piece('Kept') + piece(', all of it')),
    );
    await httpTurn.untilText('all of it');
    server.requests[0]?.reset();
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status], ['Kept, all of it', 'cut']);
    assert.equal(turn.error?.kind, 'cut');
  });

  it('runs no call without a complete JSON object, wherever finish reasons are', () => {
    const pieces = ['', '{"path":', '"/tmp/{a}', '.txt","list":[{"x":{}', '}],"y":"}"', '}'];
    const fragments = pieces.map((text, number) => ({
      index: 0,
      ...(number === 0 ? { id: 'c' } : {}),
      function: { ...(number === 0 ? { name: 'f' } : {}), arguments: text },
    }));
    for (let finished = 0; finished < 2 ** pieces.length; finished += 1) {
      const events = fragments.map((call, number) => {
        const finish_reason = (finished & (1 << number)) === 0 ? null : 'tool_calls';
        return event({ choices: [{ delta: { tool_calls: [call] }, finish_reason }] });
      });
      for (let count = 1; count <= events.length; count += 1) {
        for (const ended of ['broken', 'quiet', 'silent', 'asleep', 'unreadable'] as const) {
          const decoder = new StreamDecoder();
          decoder.feed(Buffer.from(events.slice(0, count).join('')));
          decoder.end();
          const completion = decoder.finish(new ResponseEnd(ended));
          const [call] = completion.toolCalls;
          const isWhole = count === 1 || count === events.length;
          assert.ok(!isComplete(completion) || isWhole, `${call?.arguments} ran, ${ended}`);
        }
      }
    }
  });

  it('in one piece keeps the text so far', async () => {
    const body = JSON.stringify({ choices: [{ message: { content: 'Kept. Lost.' } }] });
    const cut = body.slice(0, body.indexOf(' Lost'));
    const json = { ...eventStream, 'Content-Type': 'application/json' };
    const answers = [
      saying(head('200 OK', json), cut),
      saying(head('200 OK', { ...json, 'Content-Length': body.length }), cut),
      saying(head('200 OK', { ...json, 'Content-Length': cut.length }), body),
    ];
    for (const answer of answers) {
      const { server, httpTurn } = await startTurn(answer, { stream: false });
      const turn = await httpTurn.ended;
      assert.equal(turnText(turn), 'Kept.');
      assert.deepEqual([turn.status, turn.error?.kind], ['cut', 'cut']);
      await server.allClosed();
    }
  });

  it('while the machine is busy keeps what arrived before', async () => {
    let now = 0;
    // Each look at this clock finds much time gone, so the reader waits for a turn, which comes late.
    const busyClock: Clock = {
      ...systemClock,
      monotonic: () => (now += 10),
      after: (delay, callback) => systemClock.after(delay === 0 ? 50 : delay, callback),
    };
    const { server, httpTurn } = await startTurn(
      async (connection) => {
        await connection.write(head('200 OK', chunkedStream));
        for (const text of ['Kept', ', all', ' of it']) {
          await connection.write(chunk(delta(text)));
          await setTimeout(5);
        }
        connection.reset();
      },
      { clock: busyClock },
    );
    const turn = await httpTurn.ended;
    assert.deepEqual([turnText(turn), turn.status], ['Kept, all of it', 'cut']);
    assert.equal(server.requests.length, 1);
  });
});

/** Responses with a success status that are no replies. */
import assert from 'node:assert/strict';
import { turnText } from '../../../src/core/conversation/conversation.ts';
import { delta, done, event, eventStream, head, saying, stop } from '../../support/rawReply.ts';
import type { Answer } from '../../support/rawServer.ts';
import { apiKey, useServers } from './httpTurn.ts';

function typed(type: string, body: string): Answer {
  return saying(head('200 OK', { ...eventStream, 'Content-Type': type }), body);
}

const streamed = (body: string): Answer => typed('text/event-stream', body);

const page = '<!doctype html><html><head><title>Sign in</title></head><body>…</body></html>';
const json = 'application/json';

const thought = event({ choices: [{ delta: { reasoning_content: 'Hm.' } }] });

function ending(finish_reason: string): string {
  return event({ choices: [{ delta: {}, finish_reason }] });
}

const failures: Readonly<
  Record<string, readonly [answer: Answer, kind: string, message?: string]>
> = {
  'a page': [typed('text/html', page), 'unexpected-reply', 'Sign in'],
  'a page that calls itself a stream': [streamed(page), 'unexpected-reply', 'Sign in'],
  'an error in JSON': [typed(json, '{"error":{"message":"Down"}}'), 'in-stream', 'Down'],
  'an error in JSON that calls itself a stream': [
    streamed('{"error":{"message":"Down"}}'),
    'in-stream',
    'Down',
  ],
  'JSON of another kind': [typed(json, '{"status":"ok"}'), 'unexpected-reply'],
  'plain text': [typed('text/plain', 'upstream is away'), 'unexpected-reply', 'upstream is away'],
  'a long text that holds the key': [
    typed('text/plain', `${'x'.repeat(280)}${apiKey}${'y'.repeat(5000)}`),
    'unexpected-reply',
  ],
  'nothing at all': [streamed(''), 'empty-reply'],
  'no content': [saying('HTTP/1.1 204 No Content\r\n\r\n'), 'empty-reply'],
  'blank lines': [streamed('\n\n\r\n\n'), 'empty-reply'],
  'comments alone': [streamed(': one\n\n: two\n\n'), 'empty-reply'],
  'the end alone': [streamed(done), 'empty-reply'],
  'an end without a word': [streamed(stop + done), 'empty-reply'],
  'a role without a word': [
    typed(
      'text/event-stream',
      event({ choices: [{ delta: { role: 'assistant', content: '' } }] }) + stop + done,
    ),
    'empty-reply',
  ],
  'a call that is not there': [streamed(ending('tool_calls') + done), 'empty-reply'],
  'an end of another name': [streamed(ending('eos') + done), 'empty-reply'],
  'a thought of nothing': [streamed(delta('<think></think>') + stop + done), 'empty-reply'],
  'a whole reply without a word': [
    typed(json, JSON.stringify({ choices: [{ message: { content: '' }, finish_reason: 'stop' }] })),
    'empty-reply',
  ],
  'a whole reply without a choice': [typed(json, '{"choices":[]}'), 'empty-reply'],
  'an error as its first event': [
    streamed(event({ error: { message: 'Overloaded', code: 503 } }) + done),
    'in-stream',
    'Overloaded',
  ],
};

describe('a successful response that is', () => {
  const { startTurn } = useServers();

  for (const [name, [answer, kind, message]] of Object.entries(failures)) {
    it(`${name} is reported as a failure, without a retry`, async () => {
      const { server, httpTurn } = await startTurn(answer);
      const turn = await httpTurn.ended;
      assert.deepEqual([turn.status, turn.error?.kind], ['failed', kind]);
      assert.equal(turnText(turn), '');
      if (message !== undefined) assert.equal(turn.error?.message, message);
      assert.ok((turn.error?.message.length ?? 0) <= 301);
      assert.equal(server.requests.length, 1);
      await server.allClosed();
    });
  }

  const errors: Readonly<Record<string, string>> = {
    'an object': event({ error: { message: 'Full' } }),
    'a string': event({ error: 'Full' }),
    'an event with a name': 'event: error\ndata: {"message":"Full"}\n\n',
    'no JSON': 'event: error\ndata: Full\n\n',
    'an error beside a choice': event({ choices: [], error: { message: 'Full' } }),
  };
  for (const [name, error] of Object.entries(errors)) {
    it(`broken off by ${name} keeps its text`, async () => {
      const { server, httpTurn } = await startTurn(
        saying(head(), delta('Kept'), error, delta(' too'), done),
      );
      const turn = await httpTurn.ended;
      assert.equal(turnText(turn), 'Kept too');
      assert.deepEqual(
        [turn.status, turn.error?.kind, turn.error?.message],
        ['cut', 'in-stream', 'Full'],
      );
      await server.allClosed();
    });
  }

  it('a whole reply instead of a stream, or a stream instead of a whole reply, is read', async () => {
    const whole = JSON.stringify({
      choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }],
    });
    const stream = delta('Hi') + stop + done;
    for (const [streaming, answer] of [
      [true, typed(json, whole)],
      [true, streamed(`\n ${whole}`)],
      [false, typed(json, stream)],
    ] as const) {
      const { httpTurn } = await startTurn(answer, { stream: streaming });
      const turn = await httpTurn.ended;
      assert.deepEqual([turnText(turn), turn.status], ['Hi', 'finished']);
    }
  });

  it('a list of chunks without an end is cut', async () => {
    const chunks = [{ choices: [{ delta: { content: 'Kept' } }] }];
    for (const type of [json, 'text/event-stream']) {
      for (const head of ['', 'data: ']) {
        const { httpTurn } = await startTurn(typed(type, `${head}${JSON.stringify(chunks)}\n\n`));
        const turn = await httpTurn.ended;
        assert.notEqual(turn.status, 'finished', `${type} ${head}`);
      }
    }
  });

  it('reasoning without a reply is reported as a failure, and keeps the reasoning', async () => {
    const { httpTurn } = await startTurn(saying(head(), thought, stop, done));
    const turn = await httpTurn.ended;
    assert.deepEqual([turn.status, turn.error?.kind], ['cut', 'empty-reply']);
    assert.equal(turn.parts[0]?.type, 'reasoning');
  });

  it('empty for a reported reason is an end', async () => {
    for (const reason of ['length', 'content_filter']) {
      const { httpTurn } = await startTurn(saying(head(), thought, ending(reason), done));
      const turn = await httpTurn.ended;
      assert.deepEqual([turn.status, turn.finishReason], ['finished', reason]);
    }
  });

  it('text without the announced call is reported as a failure', async () => {
    const answer = saying(head(), ending('tool_calls'), done);
    const turn = await (await startTurn(answer, { continued: 'I look.' })).httpTurn.ended;
    assert.deepEqual([turn.status, turn.error?.kind], ['cut', 'empty-reply']);
  });

  it('calls with the same id that are not run are shown under distinct ids', async () => {
    const call = { id: 'c', function: { name: 'now', arguments: '{}' } };
    const calls = event({ choices: [{ delta: { tool_calls: [call, call] } }] });
    const { httpTurn } = await startTurn(saying(head(), calls, stop, done));
    const ids = (await httpTurn.ended).parts.map((part) => part.type === 'tool-call' && part.id);
    assert.deepEqual(ids, ['c', 'c_2']);
  });
});

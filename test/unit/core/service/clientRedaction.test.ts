import assert from 'node:assert/strict';
import { type CompletionEvent } from '../../../../src/core/service/client.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { createRedactor, redactionMark } from '../../../../src/core/support/redact.ts';
import { testClient } from '../../../support/testClient.ts';

const apiKey = 'sk-canary-0123456789abcdef';
const request: CompletionRequest = {
  model: 'some/model',
  messages: [{ role: 'user', content: 'Which key did I send?' }],
  stream: true,
};

/** Reads a stream with these deltas and this end. An empty end breaks it off. */
async function play(deltas: readonly object[], end = 'data: [DONE]\n\n'): Promise<Played> {
  const chunks = deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of [...chunks, end]) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = (): Promise<Response> => Promise.resolve(new Response(body, { headers }));
  const redactor = createRedactor();
  redactor.setKeys([apiKey]);
  const client = testClient(fetch, { apiKey, redactor });
  const events: CompletionEvent[] = [];
  for await (const event of client.stream(request)) events.push(event);
  const joined = (type: 'text' | 'reasoning'): string =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  return { events, text: joined('text'), reasoning: joined('reasoning') };
}

interface Played {
  readonly events: readonly CompletionEvent[];
  readonly text: string;
  readonly reasoning: string;
}

function traceOf({ events }: Played): unknown {
  const end = events.at(-1);
  return end?.type === 'end' ? end.completion.toolCalls[0]?.trace : undefined;
}

describe('a reply that echoes the key', () => {
  it('removes the key from a reply, wherever it is split', async () => {
    for (let at = 0; at <= apiKey.length; at++) {
      const parts = [`It is ${apiKey.slice(0, at)}`, `${apiKey.slice(at)}, I think.`];
      const { text } = await play(parts.map((content) => ({ content })));
      assert.equal(text, `It is ${redactionMark}, I think.`);
    }
  });

  it('removes it from reasoning, tool calls and the completion', async () => {
    const call = { id: 'call', function: { name: 'run', arguments: `{"key":"${apiKey}"}` } };
    const { events, reasoning } = await play([
      { reasoning_content: `They sent ${apiKey}` },
      { content: apiKey },
      { tool_calls: [{ index: 0, ...call }] },
    ]);
    assert.equal(reasoning, `They sent ${redactionMark}`);
    assert.ok(!JSON.stringify(events).includes(apiKey));
  });

  it('keeps opaque values byte for byte, and masks a trace that contains the key, even as a name', async () => {
    const extra_content = { google: { thought_signature: 'sk-AbC+/9==\\ \u00e9 \ud83d\ude00' } };
    const traced = { index: 0, id: 'call', function: { name: 'run', arguments: '{}' } };
    const whole = await play([{ tool_calls: [{ ...traced, extra_content }] }]);
    assert.deepEqual(traceOf(whole), { call: { extra_content } });
    const echoed = await play([
      { reasoning_content: apiKey.slice(0, 9) },
      { reasoning_content: apiKey.slice(9), signature: 'c2ln' },
      { tool_calls: [{ ...traced, extra_content: { [apiKey]: 1 } }] },
    ]);
    assert.deepEqual(traceOf(echoed), {
      message: { reasoning_content: redactionMark, signature: 'c2ln' },
      call: { extra_content: { [redactionMark]: 1 } },
    });
  });

  it('keeps all other text, including possible prefixes of the key', async () => {
    const words = ['Task', 's', ': a des', 'k-top and sk', '-', 'ate'];
    const { text } = await play(words.map((content) => ({ content })));
    assert.equal(text, words.join(''));
  });

  it('returns buffered text when the stream breaks off', async () => {
    const { text, events } = await play([{ content: 'The risk' }], '');
    assert.equal(text, 'The risk');
    const last = events.at(-1);
    assert.equal(last?.type === 'end' && last.completion.fault?.kind, 'cut');
  });

  it('removes most of a key at the end of a reply', async () => {
    for (const end of ['data: [DONE]\n\n', '']) {
      const { text } = await play([{ content: `It is ${apiKey.slice(0, -1)}` }], end);
      assert.equal(text, `It is ${redactionMark}`);
    }
  });
});

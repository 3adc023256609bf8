import assert from 'node:assert/strict';
import type { Usage } from '../../../../src/core/conversation/usage.ts';
import type { Completion } from '../../../../src/core/service/completion.ts';
import type { Chunk } from '../../../../src/core/service/replyAccumulator.ts';
import type { WireMessage } from '../../../../src/core/service/wire.ts';
import { ServiceError, type ServiceErrorKind } from '../../../../src/core/service/errors.ts';
import { promptCharacters, RequestUsage } from '../../../../src/core/service/requestUsage.ts';

function characters(...messages: readonly WireMessage[]): number {
  return promptCharacters({ model: 'm', messages: [...messages] });
}

describe('promptCharacters', () => {
  it('counts calls as well as text', () => {
    const question: WireMessage = { role: 'user', content: 'Look.' };
    const call = { name: 'look', arguments: '{"name":"a"}' };
    const calls: WireMessage = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: call }],
    };
    const result: WireMessage = { role: 'tool', tool_call_id: 'c', content: 'This is a.' };
    assert.equal(characters(question), 5);
    assert.equal(characters(question, calls, result), 5 + 4 + 12 + 10);
  });
});

describe('RequestUsage', () => {
  const meter = { estimate: () => 5, learn: () => undefined };
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
  const countedAfter = (error: unknown): number =>
    new RequestUsage(request, meter).ofFailure(error, false).requests;

  it('counts a request with a response, or with an unknown outcome', () => {
    const kinds: readonly ServiceErrorKind[] = ['timeout', 'cut', 'no-reply', 'unreadable'];
    for (const kind of kinds) assert.equal(countedAfter(new ServiceError(kind, '')), 1, kind);
    const cause = Object.assign(new Error('no'), { code: 'ECONNRESET' });
    assert.equal(countedAfter(new ServiceError('network', '', { cause })), 1);
  });

  it('does not count a request that a status or a failed connection refused', () => {
    for (const status of [400, 402, 429, 503])
      assert.equal(countedAfter(new ServiceError('server-error', '', { status })), 0);
    const cause = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    assert.equal(countedAfter(new ServiceError('network', '', { cause })), 0);
  });

  const price = { input: 1, output: 10, currency: '$' };
  const long = { model: 'm', messages: [{ role: 'user' as const, content: 'x'.repeat(4000) }] };
  const quarter = {
    estimate: (_: string, length: number) => Math.ceil(length / 4),
    learn: () => undefined,
  };

  function received(chunks: readonly Chunk[]): RequestUsage {
    const used = new RequestUsage(long, quarter, price);
    for (const chunk of chunks) used.receive(chunk);
    return used;
  }

  function completionOf(reported: Usage | undefined, fault?: ServiceError): Completion {
    const end = { toolCalls: [], finishReason: 'stop', doneSeen: true, malformedEvents: 0 };
    return { ...end, usage: reported, fault };
  }

  const words = { type: 'text', text: 'y'.repeat(800) } as const;

  it('teaches the lengths of tokens, but not by a prompt with an image', () => {
    for (const image of ['', 'data:image/png;base64,']) {
      const learned: string[] = [];
      const learning = {
        estimate: () => 5,
        learn: (...[, , , kind]: readonly [string, number, number, string]) => learned.push(kind),
      };
      const messages = [
        { role: 'user' as const, content: 'x'.repeat(4000), images: image === '' ? [] : [image] },
      ];
      const used = new RequestUsage({ model: 'm', messages }, learning, price);
      used.receive(words);
      const counts = { requests: 1, cached_tokens: 0, estimated: false };
      const tokens = { prompt_tokens: 900, completion_tokens: 190, total_tokens: 1090 };
      used.teach(completionOf({ ...counts, ...tokens }));
      assert.deepEqual(learned, image === '' ? ['prompt', 'reply'] : ['reply']);
    }
  });

  it('is never less than what was sent and received at ten characters for a token', () => {
    const counts = { requests: 1, cached_tokens: 0, estimated: false };
    const zeros = { ...counts, prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    const usage = received([words]).ofCompletion(completionOf(zeros));
    const { prompt_tokens, completion_tokens, total_tokens, estimated } = usage;
    assert.deepEqual(
      [prompt_tokens, completion_tokens, total_tokens, estimated],
      [400, 80, 480, true],
    );
    const honest = { ...counts, prompt_tokens: 900, completion_tokens: 190, total_tokens: 1090 };
    assert.equal(received([words]).ofCompletion(completionOf(honest)).total_tokens, 1090);
  });

  it('may be less for images and traces, which services may not count', () => {
    const trace = { reasoning_details: 'z'.repeat(5000) };
    const used = new RequestUsage(
      {
        model: 'm',
        messages: [
          { role: 'user', content: 'Hi', images: ['data:image/png;base64,AAAA'] },
          { role: 'assistant', content: 'Yes', trace },
          { role: 'user', content: 'Go on' },
        ],
        trace: 'chat',
      },
      quarter,
    );
    const reported = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6, cached_tokens: 0 };
    const usage = used.ofCompletion(completionOf({ ...reported, requests: 1, estimated: false }));
    assert.deepEqual([usage.prompt_tokens, usage.estimated], [5, false]);
  });

  it('is the larger of report and estimate if the reply is cut', () => {
    const placeholder = {
      prompt_tokens: 1000,
      completion_tokens: 1,
      total_tokens: 1001,
      cached_tokens: 500,
      requests: 1,
      estimated: false,
    };
    const cut = completionOf(placeholder, new ServiceError('cut', ''));
    const { completion_tokens, cached_tokens } = received([words]).ofCompletion(cut);
    assert.deepEqual([completion_tokens, cached_tokens], [200, 500]);
  });

  it('is all that was reserved if a model that hides its reasoning is stopped', () => {
    assert.equal(received([]).ofFailure(new Error('stop'), true, 9000).completion_tokens, 9000);
    const shown = received([{ type: 'reasoning', text: 'z'.repeat(400) }]);
    assert.equal(shown.ofFailure(new Error('stop'), true, 9000).completion_tokens, 100);
    const refused = new ServiceError('server-error', '', { status: 429 });
    assert.equal(received([]).ofFailure(refused, false, 9000).total_tokens, 0);
  });

  it('costs what its attempts cost, or what the service billed if that is more', () => {
    const counts = { cached_tokens: 0, requests: 1, estimated: false };
    const reported = { ...counts, prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 };
    const costOf = (billed?: number): string | undefined =>
      received([words])
        .ofCompletion(completionOf({ ...reported, ...(billed !== undefined && { billed }) }))
        .cost?.toFixed(4);
    assert.equal(costOf(), '0.0030');
    assert.equal(costOf(0.5), '0.5000');
    assert.equal(costOf(0.001), '0.0030');
  });
});

import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { createService, demoKey } from '../../../src/local/service.ts';
import {
  complete,
  completionsUrl,
  eventsOf,
  post,
  readFileTool,
  refusal,
  stream,
  user,
} from './serviceRequests.ts';

const modelList = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.strictObject({
      id: z.string().check(z.regex(/^[^/]+\/.+/)),
      object: z.literal('model'),
      created: z.int(),
      owned_by: z.string().check(z.minLength(1)),
      architecture: z.optional(z.strictObject({ input_modalities: z.array(z.string()) })),
    }),
  ),
});

function listModels(key: string): Request {
  return new Request('http://localhost/v1/models', { headers: { authorization: `Bearer ${key}` } });
}

const plain = { pace: 0 } as const;

describe('local service', () => {
  describe('models', () => {
    it('are listed with the fields of the interface', async () => {
      const service = createService(plain);
      const answer: unknown = await (await service.handle(listModels(demoKey))).json();
      const { data } = modelList.parse(answer);
      assert.ok(new Set(data.map((model) => model.owned_by)).size >= 4);
      for (const model of data) assert.ok(model.id.startsWith(`${model.owned_by}/`));
      // One model also has the field for images.
      const withImages = data.filter(({ architecture }) => architecture !== undefined);
      assert.deepEqual(
        withImages.map(({ id }) => id),
        ['mistral/mistral-large'],
      );
    });

    it('are limited to those of the key, as are completions', async () => {
      const keys = [{ key: 'sk-few', name: 'Few', models: ['meta/llama-70b'] }];
      const service = createService({ ...plain, keys });
      const answer: unknown = await (await service.handle(listModels('sk-few'))).json();
      const ids = modelList.parse(answer).data.map((model) => model.id);
      assert.deepEqual(ids, ['meta/llama-70b']);
      const caller = { key: 'sk-few' };
      assert.equal((await post(service, { model: 'meta/llama-70b' }, caller)).status, 200);
      assert.equal((await post(service, {}, caller)).status, 404);
    });
  });

  describe('a completion', () => {
    it('streams the role, the text, the finish reason, the usage and [DONE], in that order', async () => {
      const response = await post(createService(plain), { stream: true });
      assert.equal(response.headers.get('content-type'), 'text/event-stream');
      const events = eventsOf(await response.text());
      assert.match(events[0] ?? '', /"delta":\{"role":"assistant","content":""\}/);
      assert.match(events.at(-3) ?? '', /"delta":\{\},"finish_reason":"stop"/);
      assert.match(events.at(-2) ?? '', /"choices":\[\],"usage":\{"prompt_tokens":/);
      assert.equal(events.at(-1), '[DONE]');
    });

    it('counts a shared prefix with an earlier request of the key as cached', async () => {
      const service = createService(plain);
      const begin = [{ role: 'system', content: 'Be brief.' }, user('hello')];
      const first = await complete(service, { messages: begin });
      const second = await complete(service, {
        messages: [...begin, { role: 'assistant', content: first.content }, user('thanks')],
      });
      assert.equal(first.usage?.prompt_tokens_details.cached_tokens, 0);
      assert.equal(second.usage?.prompt_tokens_details.cached_tokens, first.usage.prompt_tokens);
    });
  });

  describe('max_tokens and stop', () => {
    it('end the reply after the number of tokens, with finish reason `length`', async () => {
      const whole = await complete(createService(plain), {});
      const { content, finishReason, usage } = await complete(createService(plain), {
        max_tokens: 5,
      });
      assert.ok(whole.content.startsWith(content));
      assert.equal(finishReason, 'length');
      assert.equal(usage?.completion_tokens, 5);
    });

    it('end the text before the first stop string', async () => {
      const { content: whole } = await complete(createService(plain), {});
      const first = whole.indexOf('select');
      const stops = ['nowhere to be found', 'select', 'show me'];
      const { content, finishReason } = await complete(createService(plain), { stop: stops });
      assert.equal(content, whole.slice(0, first));
      assert.equal(finishReason, 'stop');
      assert.equal((await complete(createService(plain), { stop: 'select' })).content, content);
    });
  });

  describe('usage in a stream', () => {
    const cases = [
      { usage: 'always', include: undefined, reported: true },
      { usage: 'always', include: false, reported: false },
      { usage: 'onRequest', include: true, reported: true },
      { usage: 'refuseOption', include: undefined, reported: false },
    ] as const;
    for (const { usage, include, reported } of cases)
      it(`is ${reported ? 'sent' : 'omitted'} (${usage}, include_usage: ${include ?? 'absent'})`, async () => {
        const option = include === undefined ? {} : { stream_options: { include_usage: include } };
        const outcome = await stream(createService({ ...plain, usage }), option);
        assert.equal(outcome.usage !== undefined, reported);
        assert.equal(outcome.done, true);
      });

    it("can't be requested if the service refuses the option", async () => {
      const body = { stream: true, stream_options: { include_usage: true } };
      const response = await post(createService({ ...plain, usage: 'refuseOption' }), body);
      assert.deepEqual((({ status, param }) => ({ status, param }))(await refusal(response)), {
        status: 400,
        param: 'stream_options',
      });
    });
  });

  describe('refuses with 400', () => {
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'read_file', arguments: '{}' },
    };
    const callMessage = { role: 'assistant', content: null, tool_calls: [call] };
    const cases: readonly (readonly [string, object, string])[] = [
      ['an unknown role', { messages: [{ role: 'robot', content: 'hi' }] }, 'messages[0].role'],
      ['a message without content', { messages: [{ role: 'user' }] }, 'messages[0].content'],
      ['temperature above 2', { temperature: 2.1 }, 'temperature'],
      ['an unknown response_format', { response_format: { type: 'yaml' } }, 'response_format.type'],
      [
        'tools for a model without them',
        { model: 'google/gemma-9b', tools: [readFileTool] },
        'tools',
      ],
      [
        'JSON from a model without it',
        { model: 'qwen/thinker-32b', response_format: { type: 'json_object' } },
        'response_format',
      ],
      [
        'a result without a call',
        { messages: [user('a'), { role: 'tool', tool_call_id: 'call_1', content: '' }] },
        'messages[1]',
      ],
      ['a call without a result', { messages: [callMessage, user('and?')] }, 'messages[1]'],
      ['two messages of a person in a row', { messages: [user('a'), user('b')] }, 'messages[1]'],
      [
        'a message of a person after a result',
        {
          messages: [
            user('a'),
            callMessage,
            { role: 'tool', tool_call_id: 'call_1', content: '' },
            user('b'),
          ],
        },
        'messages[3]',
      ],
      [
        'a message of the system that is not the first',
        { messages: [user('a'), { role: 'system', content: 'b' }] },
        'messages[1]',
      ],
      ['a call at the end', { messages: [user('a'), callMessage] }, 'messages'],
      [
        'more than the context window',
        { model: 'google/gemma-9b', messages: [user('word '.repeat(9000))] },
        'messages',
      ],
    ];
    for (const [name, body, param] of cases)
      it(name, async () => {
        const service = createService(plain);
        const refused = await refusal(await post(service, body));
        assert.equal(refused.status, 400);
        assert.equal(refused.param, param);
        assert.equal(service.account.balance, 100, 'Nothing is charged.');
      });
  });

  describe('refuses', () => {
    it('an unknown, malformed or deleted key with 401, before any other check', async () => {
      const service = createService(plain);
      service.account.deleteKey(demoKey);
      for (const key of ['sk-other', 'other', demoKey]) {
        const refused = await refusal(await post(service, { model: 'no/such' }, { key }));
        assert.equal(refused.status, 401);
        assert.ok(!refused.message.includes(key), 'The secret is not repeated.');
      }
    });

    it('an unknown path with 404, a wrong method with 405, and a body that is no JSON with 400', async () => {
      const headers = { authorization: `Bearer ${demoKey}` };
      for (const [status, url, init] of [
        [404, 'http://localhost/v1/embeddings', {}],
        [405, completionsUrl, {}],
        [400, completionsUrl, { method: 'POST', headers, body: '{}' }],
      ] as const) {
        const response = await createService(plain).handle(new Request(url, init));
        assert.equal((await refusal(response)).status, status);
      }
    });

    it('an empty wallet with 402', async () => {
      const service = createService({ ...plain, balance: 0 });
      assert.equal((await refusal(await post(service, {}))).status, 402);
      assert.equal((await service.handle(listModels(demoKey))).status, 200);
    });

    it('an unknown model with 404', async () => {
      const refused = await refusal(await post(createService(plain), { model: 'no/such' }));
      assert.equal(refused.status, 404);
      assert.equal(refused.code, 'model_not_found');
    });
  });

  describe('a reader that disconnects', () => {
    it('is charged for the prompt and for the sent text', async () => {
      const service = createService(plain);
      const response = await post(service, { stream: true });
      const reader = response.body?.getReader();
      for (let count = 0; count < 4; count += 1) await reader?.read();
      await reader?.cancel();
      const [request] = service.requests;
      await request?.finished;
      assert.equal(request?.aborted, true);
      const prompt = (await complete(createService(plain), {})).usage?.prompt_tokens ?? 0;
      assert.equal(service.account.tokens, prompt + 3);
    });
  });

  describe('requests', () => {
    it('are logged with method, path, headers, parsed body and status', async () => {
      const service = createService(plain);
      const models: string[] = [];
      service.onRequest(({ path }) => models.push(path));
      await complete(service, { temperature: 0.5 });
      const [request] = service.requests;
      assert.equal(request?.method, 'POST');
      assert.equal(request.path, '/v1/chat/completions');
      assert.equal(request.headers['content-type'], 'application/json');
      assert.equal(request.status, 200);
      assert.equal(request.aborted, false);
      assert.deepEqual(request.body, {
        model: 'mistral/mistral-small',
        messages: [user('hello')],
        temperature: 0.5,
      });
      assert.deepEqual(models, ['/v1/chat/completions']);
    });
  });
});

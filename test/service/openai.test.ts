import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { startHttpService, type HttpService } from '../support/httpService.ts';

/** The official client package with the local service over HTTP. */
describe('the openai package as a client', () => {
  const model = 'mistral/mistral-small';
  let http: HttpService;
  let client: OpenAI;

  beforeEach(async () => {
    http = await startHttpService();
    client = clientWith(http.key);
  });

  afterEach(async () => http.close());

  function clientWith(apiKey: string, maxRetries = 0): OpenAI {
    return new OpenAI({ baseURL: http.baseUrl, apiKey, maxRetries, logLevel: 'off' });
  }

  function ask(content: string): { model: string; messages: OpenAI.ChatCompletionMessageParam[] } {
    return { model, messages: [{ role: 'user', content }] };
  }

  const readFile: OpenAI.ChatCompletionFunctionTool = {
    type: 'function',
    function: {
      name: 'read_file',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  };

  it('joins a stream with its own helper', async () => {
    const stream = client.chat.completions.stream({
      ...ask('hello'),
      stream_options: { include_usage: true },
    });
    const completion = await stream.finalChatCompletion();
    assert.match(completion.choices[0]?.message.content ?? '', /^Hello/);
    assert.notEqual(completion.usage, undefined);
  });

  it('receives a tool call, also in a stream, and returns its result', async () => {
    const request = { ...ask('call read_file for src/app.ts'), tools: [readFile] };
    const whole = await client.chat.completions.create(request);
    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    for (const [choice] of [whole.choices, streamed.choices]) {
      assert.equal(choice?.finish_reason, 'tool_calls');
      const [call] = choice.message.tool_calls ?? [];
      assert.equal(call?.type, 'function');
      assert.deepEqual(JSON.parse(call.function.arguments), { path: 'src/app.ts' });
      const result = { role: 'tool', tool_call_id: call.id, content: 'export {};' } as const;
      const answer = await client.chat.completions.create({
        ...request,
        messages: [...request.messages, choice.message, result],
      });
      assert.match(answer.choices[0]?.message.content ?? '', /export \{\};/);
    }
  });

  describe('throws its own error for', () => {
    const cases = [
      [400, OpenAI.BadRequestError, { ...ask('hello'), temperature: 7 }],
      [404, OpenAI.NotFoundError, { ...ask('hello'), model: 'no/such' }],
      [429, OpenAI.RateLimitError, ask('/fault 429')],
      [500, OpenAI.InternalServerError, ask('/fault 500')],
      [502, OpenAI.InternalServerError, ask('/fault 502')],
      [503, OpenAI.InternalServerError, ask('/fault 503')],
    ] as const;
    for (const [status, kind, body] of cases)
      it(String(status), async () => {
        await assert.rejects(client.chat.completions.create(body), (error) => {
          assert.ok(error instanceof kind);
          assert.equal(error.status, status);
          assert.notEqual(error.requestID, null);
          return true;
        });
      });

    it('401', async () => {
      await assert.rejects(clientWith('sk-other').models.list(), OpenAI.AuthenticationError);
    });

    it('402, with the message of the service', async () => {
      http.service.account.topUp(-http.service.account.balance);
      await assert.rejects(client.chat.completions.create(ask('hello')), {
        status: 402,
        code: 'insufficient_balance',
        message: /wallet/,
      });
    });
  });
});

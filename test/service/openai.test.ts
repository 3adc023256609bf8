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

  it('lists the models', async () => {
    const ids: string[] = [];
    for await (const { id, owned_by } of client.models.list()) {
      assert.equal(owned_by, id.slice(0, id.indexOf('/')));
      ids.push(id);
    }
    assert.ok(ids.includes(model));
  });

  it('gets a reply', async () => {
    const completion = await client.chat.completions.create(ask('hello'));
    assert.equal(completion.object, 'chat.completion');
    assert.equal(completion.choices[0]?.finish_reason, 'stop');
    assert.match(completion.choices[0].message.content ?? '', /^Hello/);
    const { usage } = completion;
    assert.equal(
      usage?.total_tokens,
      usage === undefined ? -1 : usage.prompt_tokens + usage.completion_tokens,
    );
  });

  it('gets the same reply as a stream, with its usage at the end', async () => {
    const whole = await client.chat.completions.create(ask('show me markdown'));
    const stream = await client.chat.completions.create({
      ...ask('show me markdown'),
      stream: true,
    });
    let text = '';
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage;
    }
    assert.equal(text, whole.choices[0]?.message.content);
    assert.equal(usage?.completion_tokens, whole.usage?.completion_tokens);
  });

  it('joins a stream with its own helper', async () => {
    const stream = client.chat.completions.stream({
      ...ask('hello'),
      stream_options: { include_usage: true },
    });
    const completion = await stream.finalChatCompletion();
    assert.match(completion.choices[0]?.message.content ?? '', /^Hello/);
    assert.notEqual(completion.usage, undefined);
  });

  it('gets a reply in JSON', async () => {
    const { choices } = await client.chat.completions.create({
      ...ask('hello'),
      response_format: { type: 'json_object' },
    });
    const answer: unknown = JSON.parse(choices[0]?.message.content ?? '');
    assert.equal(typeof answer, 'object');
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

  it('runs tools with its own helper', async () => {
    const read: string[] = [];
    const runner = client.chat.completions.runTools({
      ...ask('call read_file for src/app.ts and README.md'),
      tools: [
        {
          type: 'function',
          function: {
            name: 'read_file',
            description: 'Reads a file.',
            parameters: readFile.function.parameters ?? {},
            function: (argument: string) => {
              read.push(argument);
              return `content ${read.length}`;
            },
          },
        },
      ],
    });
    const text = await runner.finalContent();
    assert.deepEqual(read, ['{"path":"src/app.ts"}', '{"path":"README.md"}']);
    assert.match(text ?? '', /content 1[^]*content 2/);
  });

  it('stops a stream, which the service detects', async () => {
    http.service.faults.push({ kind: 'stall', after: 10 });
    const stream = await client.chat.completions.create({ ...ask('hello'), stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    await http.service.requests[0]?.finished;
    assert.equal(http.service.requests[0]?.aborted, true);
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

    it('a closed port', async () => {
      const refused = client.chat.completions.create(ask('/fault refused'));
      await assert.rejects(refused, OpenAI.APIConnectionError);
    });

    it('an error within a stream', async () => {
      const stream = await client.chat.completions.create({ ...ask('/fault error'), stream: true });
      await assert.rejects(async () => {
        for await (const chunk of stream) assert.notEqual(chunk, undefined);
      }, OpenAI.APIError);
    });
  });

  it('retries after 429 with Retry-After, and succeeds', async () => {
    http.service.faults.push({ kind: 'status', status: 429, retryAfter: 0 });
    const retrying = clientWith(http.key, 1);
    const completion = await retrying.chat.completions.create(ask('hello'));
    assert.match(completion.choices[0]?.message.content ?? '', /^Hello/);
    assert.deepEqual(
      http.service.requests.map((request) => request.status),
      [429, 200],
    );
  });
});

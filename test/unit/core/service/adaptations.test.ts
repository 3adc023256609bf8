import assert from 'node:assert/strict';
import fc from 'fast-check';
import { adaptRequest, AdaptedRequest } from '../../../../src/core/service/adaptations.ts';
import { type Client, type CompletionEvent } from '../../../../src/core/service/client.ts';
import { readErrorBody } from '../../../../src/core/service/errorBody.ts';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import { LearnedFactStore, type LearnedFacts } from '../../../../src/core/service/learnedFacts.ts';
import { refusableOptions, type RefusedOption } from '../../../../src/core/service/modelFacts.ts';
import { requestBody } from '../../../../src/core/service/requestExtras.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { localFetch, createService, type ServiceOptions } from '../../../../src/local/service.ts';
import { fetchOf } from '../../../support/fetchOf.ts';
import { testClient } from '../../../support/testClient.ts';

const request: CompletionRequest = {
  model: 'some/model',
  messages: [{ role: 'user', content: 'Hello' }],
  temperature: 0.2,
  top_p: 0.9,
  stop: ['END'],
  max_tokens: 500,
  reasoning_effort: 'low',
};

function errorOf(body: unknown, status = 400): ServiceError {
  const { message: detail, code, parameter } = readErrorBody(JSON.stringify(body));
  return new ServiceError('bad-request', String(status), { detail, code, parameter });
}

const said = (message: string, more: object = {}): object => ({
  error: { message, type: 'invalid_request_error', ...more },
});

function badRequest(detail: string): ServiceError {
  return new ServiceError('bad-request', 'HTTP status 400', { status: 400, detail });
}

/** Errors of services, and the option that each refuses. */
const refusals: readonly (readonly [body: object, option: RefusedOption | undefined])[] = [
  [
    said(
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      { param: 'temperature', code: 'unsupported_value' },
    ),
    'temperature',
  ],
  [
    said("Unsupported parameter: 'top_p' is not supported with this model.", { param: 'top_p' }),
    'top_p',
  ],
  [said("Unsupported parameter: 'stop' is not supported with this model."), 'stop'],
  [
    said(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ),
    'max_tokens',
  ],
  [
    said('`temperature` and `top_p` cannot both be specified for this model. Please use only one.'),
    'top_p',
  ],
  [
    {
      detail: [
        { type: 'extra_forbidden', loc: ['body', 'stop'], msg: 'Extra inputs are not permitted' },
      ],
    },
    'stop',
  ],
  [{ message: "Model doesn't support temperature" }, 'temperature'],
  [
    said("Unsupported parameter: 'reasoning_effort' is not supported with this model.", {
      param: 'reasoning_effort',
      code: 'unsupported_parameter',
    }),
    'reasoning_effort',
  ],
  [
    said("Invalid value: 'low'. Supported values are: 'high' and 'max'.", {
      param: 'reasoning_effort',
      code: 'invalid_value',
    }),
    'reasoning_effort',
  ],
  [said('`reasoning_effort` must be one of `none` or `default`'), 'reasoning_effort'],
  [
    {
      detail: [
        {
          type: 'literal_error',
          loc: ['body', 'reasoning_effort'],
          msg: "Input should be 'high' or 'none'",
        },
      ],
    },
    'reasoning_effort',
  ],
  [{ error: 'Model grok-4 does not support parameter reasoningEffort.' }, 'reasoning_effort'],
  [said('"gemma3" does not support thinking'), 'reasoning_effort'],
  [
    said("'max_tokens' is not supported with reasoning_effort. Use 'max_completion_tokens'."),
    'max_tokens',
  ],
  [
    said("Unsupported value: 'temperature' does not support 0.2 with reasoning_effort.", {
      param: 'temperature',
    }),
    'temperature',
  ],
  // One value alone is no choice.
  [
    said('temperature must be 1 if reasoning_effort is set', { param: 'temperature' }),
    'temperature',
  ],
  [said('invalid temperature: only 1 is allowed for this model'), 'temperature'],
  [said('`temperature` may only be set to 1 when thinking is enabled.'), 'temperature'],
  [said('top_p cannot be specified for this model'), 'top_p'],
  // Errors about a value, or about something else.
  [said('No effort of reasoning helps: the messages are empty.'), undefined],
  [said('temperature must be between 0 and 1', { param: 'temperature' }), undefined],
  [said('max_tokens is too large: 500. This model supports at most 400 tokens.'), undefined],
  [said("'max_tokens' is not supported with this model."), undefined],
  [said('Images are not supported. Please stop.'), undefined],
  [said('This model does not support tools.', { param: 'tools' }), undefined],
];

/** Refusals of tools, and errors about one tool, one call or the messages. */
const toolRefusals: readonly (readonly [body: object, isRefusal: boolean])[] = [
  [said('registry.example/library/gemma3:4b does not support tools'), true],
  [said('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'), true],
  [said('Function call is not supported for this model. (request id: 2025)'), true],
  [said('tools is not supported in this model. For a list of supported models, refer to …'), true],
  [said('deepseek-reasoner does not support Function Calling'), true],
  [said('<400> InternalError.Algo.InvalidParameter: The tool call is not supported.'), true],
  [said('Functions are not supported for this API version or this model version.'), true],
  [said('Unrecognized request argument supplied: tools'), true],
  [said('No endpoints found that support tool use. To learn more, visit …', { code: 404 }), true],
  [said('No endpoints found that support the provided `tool_choice` value.'), true],
  [said('tools param requires --jinja flag'), true],
  [said('This deployment is for plain chats. Leave the tools at home.'), true],
  [said('Diese Funktion gibt es nicht: tools'), true],
  [said('该模型不支持工具调用'), true],
  [said('Failed to process the request: tools are off', { code: 'request_failed' }), true],
  [{ detail: [{ type: 'extra_forbidden', loc: ['body', 'tools'], msg: 'Extra inputs' }] }, true],
  [said('Bad request'), false],
  [said('The toolkit is out of order, so functional requests fail.'), false],
  [said("Messages with role 'tool' must be a response to a message with 'tool_calls'"), false],
  [said("An assistant message with 'tool_calls' must be followed by tool messages"), false],
  [said('Invalid schema for function "look": None is not of type "object"'), false],
  [said("Invalid 'tools[0].function.name': string does not match pattern."), false],
  [said('tools.3.custom.input_schema: JSON schema is invalid'), false],
  [said("Invalid 'tools': array too long. Expected an array with maximum length 128"), false],
  [said('Tool names must be unique.'), false],
  [said('Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.'), false],
  [said('Please ensure that function call turn comes after a function response turn.'), false],
  [said('Function call is missing a thought_signature in functionCall parts.'), false],
  [said('Failed to call a function. See failed_generation.', { code: 'tool_use_failed' }), false],
  [said('Tool choice is required, but model did not call a tool'), false],
];

/** Facts about the model that an error reveals. */
function learnedFrom(error: unknown, body: CompletionRequest, isLimited = false): LearnedFacts {
  const adapted = new AdaptedRequest(body, {}, isLimited);
  adapted.adapt(error);
  return adapted.learned;
}

describe('an option that a model refuses', () => {
  for (const [body, option] of refusals)
    it(`is ${option ?? 'none'} in ${JSON.stringify(body).slice(0, 90)}`, () => {
      assert.deepEqual(learnedFrom(errorOf(body), request), option ? { refused: [option] } : {});
      assert.deepEqual(learnedFrom(errorOf(body), { model: 'm', messages: [] }), {});
    });

  it('is only learned from errors about the request', () => {
    const detail = 'Unsupported: temperature';
    for (const kind of ['server-error', 'unauthorized', 'context-exceeded'] as const)
      assert.deepEqual(learnedFrom(new ServiceError(kind, '', { detail }), request), {});
    assert.deepEqual(learnedFrom(new Error(detail), request), {});
  });
});

/** At most four, since a request is adapted no more often. */
const options = fc.shuffledSubarray([...refusableOptions], { maxLength: 4 });

/** A client of a service that refuses some options. Records the requests, and what is learned. */
function refusingClient(refused: readonly RefusedOption[], sent: CompletionRequest[]) {
  const service = {
    async *stream(body: CompletionRequest): AsyncGenerator<CompletionEvent, void> {
      await Promise.resolve();
      sent.push(body);
      const first = refused.find((name) => body[name] !== undefined);
      if (first !== undefined)
        throw errorOf(said(`Unsupported parameter: '${first}'. Use 'max_completion_tokens'.`));
      yield { type: 'text', text: 'Hi' };
      const base = { toolCalls: [], fault: undefined, usage: undefined };
      const completion = { ...base, finishReason: 'stop', doneSeen: true, malformedEvents: 0 };
      yield { type: 'end', completion };
    },
  };
  return clientOf(service);
}

function clientOf(service: Pick<Client, 'stream'>) {
  const learned = new LearnedFactStore();
  const client = testClient(fetchOf(service), { learned });
  const { origin } = client.address;
  return { client, refusedOptions: () => learned.of(origin, request.model).refused ?? [] };
}

async function read(events: AsyncIterable<CompletionEvent>): Promise<number> {
  let count = 0;
  for await (const event of events) if (event.type === 'end') count += 1;
  return count;
}

describe('tools that a model refuses', () => {
  const function_ = { name: 'look', parameters: { type: 'object' } };
  const withTools: CompletionRequest = {
    ...request,
    tools: [{ type: 'function', function: function_ }],
  };
  for (const [body, isRefusal] of toolRefusals)
    it(`are ${isRefusal ? '' : 'not '}named in ${JSON.stringify(body).slice(0, 90)}`, () => {
      const learned = learnedFrom(errorOf(body), withTools);
      assert.deepEqual(learned, isRefusal ? { withoutTools: true } : {});
      assert.deepEqual(learnedFrom(errorOf(body), request), {});
    });

  it('are omitted once, and nothing else', () => {
    const error = errorOf(said('No tools.'));
    const adapted = new AdaptedRequest(withTools);
    assert.ok(adapted.adapt(error));
    assert.deepEqual(adapted.request, request);
    assert.equal(adapted.adapt(error), false);
  });

  it('stay in a request whose sender needs them', () => {
    const adapted = new AdaptedRequest(withTools, {}, false, true);
    assert.equal(adapted.adapt(errorOf(said('No tools.'))), false);
  });
});

describe('a request to a model that refuses options', () => {
  it('gets its reply without the refused options, which the next request omits immediately', async () => {
    await fc.assert(
      fc.asyncProperty(options, options, async (refused, wanted) => {
        const sent: CompletionRequest[] = [];
        const { client, refusedOptions } = refusingClient(refused, sent);
        const { max_tokens, temperature, top_p, stop, reasoning_effort, ...plain } = request;
        const all = { max_tokens, temperature, top_p, stop, reasoning_effort };
        const body = { ...plain, ...Object.fromEntries(wanted.map((name) => [name, all[name]])) };
        assert.equal(await read(client.stream(body)), 1);
        const expected = refused.filter((name) => wanted.includes(name));
        assert.deepEqual(refusedOptions().toSorted(), expected.toSorted());
        assert.equal(sent.length, expected.length + 1);
        assert.equal(await read(client.stream(body)), 1);
        assert.equal(sent.length, expected.length + 2, 'The second request is not refused.');
        assert.deepEqual(sent.at(-1), adaptRequest(body, { refused: [...refused] }));
      }),
    );
  });

  it('keeps its limit under the name that the model accepts', () => {
    const { max_tokens, max_completion_tokens } = adaptRequest(request, {
      refused: ['max_tokens'],
    });
    assert.deepEqual([max_tokens, max_completion_tokens], [undefined, 500]);
    assert.equal(
      adaptRequest({ model: 'm', messages: [] }, { refused: ['max_tokens', 'stop'] }).stop,
      undefined,
    );
  });

  it('fails with the error if there is no option to omit, and learns nothing', async () => {
    const sent: CompletionRequest[] = [];
    const service = {
      async *stream(body: CompletionRequest): AsyncGenerator<CompletionEvent, void> {
        await Promise.resolve();
        sent.push(body);
        if (sent.length < 9) throw errorOf(said("Unsupported parameter: 'temperature'."));
        yield { type: 'text', text: 'Hi' };
      },
    };
    const { client, refusedOptions } = clientOf(service);
    await assert.rejects(read(client.stream(request)), { kind: 'bad-request' });
    assert.equal(sent.length, 2);
    assert.deepEqual(refusedOptions(), []);
  });
});

describe('a max_tokens that a model does not accept', () => {
  const tooLarge: readonly (readonly [string, number])[] = [
    ['max_tokens is too large: 99000. This model supports at most 16384 completion tokens.', 16384],
    ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 8192],
    ['max_tokens: 99000 > 64000, which is the maximum allowed number of output tokens', 64000],
    ["'max_completion_tokens' is too large", 4096],
    ['max_tokens must be below 10', 4096],
  ];
  const plain: CompletionRequest = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
  const sent = { ...plain, max_tokens: 99_000 };
  /** The request after adapting to the errors; undefined if it can't be adapted to one of them. */
  function after(...errors: readonly unknown[]): CompletionRequest | undefined {
    const adapted = new AdaptedRequest(sent, {}, true);
    return errors.every((error) => adapted.adapt(error)) ? adapted.request : undefined;
  }

  for (const [detail, accepted] of tooLarge)
    it(`becomes ${accepted} after “${detail}”`, () => {
      assert.equal(after(badRequest(detail))?.max_tokens, accepted);
      assert.deepEqual(learnedFrom(badRequest(detail), sent), {}, 'the person set it');
    });

  it('is omitted if the model accepts no value', () => {
    for (const detail of [
      'max_tokens is not supported',
      'Unrecognized request argument: max_tokens',
    ]) {
      assert.deepEqual(after(badRequest(detail)), plain);
      assert.deepEqual(learnedFrom(badRequest(detail), plain, true), {});
    }
  });

  it('stays `max_completion_tokens` when it is reduced', () => {
    const renamed = badRequest("Unsupported: 'max_tokens'. Use 'max_completion_tokens' instead.");
    const smaller = badRequest('max_completion_tokens cannot exceed 8192');
    assert.deepEqual(after(renamed, smaller), { ...plain, max_completion_tokens: 8192 });
  });

  it('is reduced if the prompt leaves no room for it', () => {
    const detail =
      'maximum context length is 8192 tokens, you requested 99100 (100 in the messages, 99000 in the completion)';
    const error = new ServiceError('context-exceeded', '400', { detail });
    assert.equal(after(error)?.max_tokens, 8192);
    assert.equal(after(error, error)?.max_tokens, 4096);
    assert.equal(after(error, error, error), undefined);
  });

  it('is reduced at most four times, whatever a service answers', () => {
    const refusals = [90_000, 80_000, 70_000, 60_000, 50_000].map((limit) =>
      badRequest(`max_tokens cannot exceed ${limit}`),
    );
    assert.equal(after(...refusals.slice(0, 4))?.max_tokens, 60_000);
    assert.equal(after(...refusals), undefined);
  });

  it('is unchanged after any other error', () => {
    assert.equal(after(badRequest('messages: too long, 4096')), undefined);
    assert.equal(after(new Error('max_tokens')), undefined);
    const limited = new ServiceError('rate-limited', '429', { detail: 'max_tokens 5000' });
    assert.equal(after(limited), undefined);
  });
});

describe('the usage of streams', () => {
  function rig(options: ServiceOptions) {
    const service = createService({ pace: 0, ...options });
    const requested: boolean[] = [];
    service.onRequest(({ body }) =>
      requested.push(JSON.stringify(body).includes('stream_options')),
    );
    const client = testClient(localFetch(service));
    const body: CompletionRequest = {
      model: 'mistral/mistral-small',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
    };
    return { service, requested, ask: () => read(client.stream(body)) };
  }

  it('is requested only after a reply without usage', async () => {
    const always = rig({ usage: 'always' });
    for (let count = 0; count < 2; count++) await always.ask();
    assert.deepEqual(always.requested, [false, false]);
    const onRequest = rig({ usage: 'onRequest' });
    for (let count = 0; count < 3; count++) await onRequest.ask();
    assert.deepEqual(onRequest.requested, [false, true, true]);
  });

  it('is no longer requested if the option is refused, without using up an attempt', async () => {
    const refusing = rig({ usage: 'refuseOption' });
    for (let count = 0; count < 3; count++) assert.equal(await refusing.ask(), 1);
    assert.deepEqual(refusing.requested, [false, true, false, false]);
  });

  it('is still requested after an error with another reason', async () => {
    const { service, requested, ask } = rig({ usage: 'onRequest' });
    await ask();
    service.faults.push({ kind: 'status', status: 400, times: 2 });
    await assert.rejects(ask(), ServiceError);
    await ask();
    assert.deepEqual(requested, [false, true, false, true]);
  });
});

describe('the reasoning of earlier rounds', () => {
  const trace = { reasoning_content: 'Hm.' };
  const assistant = (id: string) => ({
    role: 'assistant' as const,
    content: null,
    tool_calls: [{ id, type: 'function' as const, function: { name: 'look', arguments: '{}' } }],
    trace,
  });
  const traced: CompletionRequest = {
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'user', content: 'First' },
      assistant('c1'),
      { role: 'tool', tool_call_id: 'c1', content: '1' },
      { role: 'user', content: 'Second' },
      assistant('c2'),
      { role: 'tool', tool_call_id: 'c2', content: '2' },
    ],
  };

  const required = [
    'The reasoning_content in the thinking mode must be passed back to the API.',
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
    'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.',
    'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
    'messages.3.content.0.thinking.signature: Field required',
    "Function call 'fc_1' was provided without its required 'reasoning' item: 'rs_1'.",
  ];
  for (const detail of required)
    it(`is sent after “${detail.slice(0, 70)}”`, () => {
      const adapted = new AdaptedRequest(traced);
      const error = badRequest(detail);
      assert.equal(adapted.adapt(error), true);
      assert.equal(adapted.request.trace, 'turn');
      assert.equal(adapted.adapt(error), true);
      assert.equal(adapted.request.trace, 'chat');
      assert.deepEqual(adapted.learned, { trace: 'chat' });
    });

  const refused = [
    'The reasoning_content field should not be included in the input messages.',
    "Unknown parameter: 'messages[1].reasoning_content'.",
    'body -> messages -> 1 -> reasoning: extra fields not permitted',
    "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
    'messages.1.tool_calls.0.extra_content: Extra inputs are not permitted',
  ];
  for (const detail of refused)
    it(`is no longer sent after “${detail.slice(0, 70)}”`, () => {
      const adapted = new AdaptedRequest(traced, { trace: 'turn' }, false);
      assert.equal(adapted.request.trace, 'turn');
      assert.equal(adapted.adapt(badRequest(detail)), true);
      assert.equal(adapted.request.trace, undefined);
      assert.deepEqual(adapted.learned, { trace: 'refused' });
    });

  it('is not resent endlessly to a model that contradicts itself', () => {
    const adapted = new AdaptedRequest(traced);
    const errors = [...required, ...refused, ...required, ...refused].map(badRequest);
    assert.ok(errors.filter((error) => adapted.adapt(error)).length <= 5);
  });

  it('is not the reason to resend a request without reasoning', () => {
    const plain: CompletionRequest = { model: 'm', messages: traced.messages.slice(0, 1) };
    for (const detail of [...required, ...refused]) {
      const adapted = new AdaptedRequest(plain);
      assert.equal(adapted.adapt(badRequest(detail)), false);
    }
  });

  it('is in the body only for the turns that need it, with fields that services know', () => {
    const body = (range: CompletionRequest['trace']): readonly boolean[] => {
      const { messages } = traced;
      const named = messages.map((message) =>
        message.role === 'assistant'
          ? { ...message, trace: { ...trace, role: 'system', content: 'Obey.' } }
          : message,
      );
      const sent = JSON.stringify(
        requestBody({ ...traced, messages: named, ...(range && { trace: range }) }),
      );
      assert.doesNotMatch(sent, /Obey|"trace"/);
      return sent
        .split('"role":"user"')
        .slice(1)
        .map((turn) => turn.includes('Hm.'));
    };
    assert.deepEqual(body(undefined), [false, false]);
    assert.deepEqual(body('turn'), [false, true]);
    assert.deepEqual(body('chat'), [true, true]);
  });
});

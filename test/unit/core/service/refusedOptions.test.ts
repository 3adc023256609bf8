import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import { readErrorBody } from '../../../../src/core/service/errorBody.ts';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import { refusableOptions, type RefusedOption } from '../../../../src/core/service/modelFacts.ts';
import {
  refusedOption,
  withoutRefused,
  withoutRefusedOptions,
} from '../../../../src/core/service/refusedOptions.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';

const request: CompletionRequest = {
  model: 'some/model',
  messages: [{ role: 'user', content: 'Hello' }],
  temperature: 0.2,
  top_p: 0.9,
  stop: ['END'],
  max_tokens: 500,
};

function errorOf(body: unknown, status = 400): ServiceError {
  const { message: detail, code, parameter } = readErrorBody(JSON.stringify(body));
  return new ServiceError('bad-request', String(status), { detail, code, parameter });
}

const said = (message: string, more: object = {}): object => ({
  error: { message, type: 'invalid_request_error', ...more },
});

/** Errors as services write them, with the option that they refuse. */
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
  [said('`temperature` is deprecated for this model.'), 'temperature'],
  [said('Unrecognized request argument supplied: top_p'), 'top_p'],
  [{ message: "Model doesn't support temperature" }, 'temperature'],
  // About a value, or about something else.
  [said('temperature must be between 0 and 1', { param: 'temperature' }), undefined],
  [said("Invalid 'temperature': number must be at most 1."), undefined],
  [said('max_tokens is too large: 500. This model supports at most 400 tokens.'), undefined],
  [said("'max_tokens' is not supported with this model."), undefined],
  [said('Images are not supported. Please stop.'), undefined],
  [said('This model does not support tools.', { param: 'tools' }), undefined],
  [said('The model is overloaded'), undefined],
];

describe('an option that a model refuses', () => {
  for (const [body, option] of refusals)
    it(`is ${option ?? 'none'} in ${JSON.stringify(body).slice(0, 90)}`, () => {
      assert.equal(refusedOption(errorOf(body), request), option);
      assert.equal(refusedOption(errorOf(body), { model: 'm', messages: [] }), undefined);
    });

  it('is named by a refusal only', () => {
    const detail = 'Unsupported: temperature';
    for (const kind of ['server-error', 'unauthorized', 'context-exceeded'] as const)
      assert.equal(refusedOption(new ServiceError(kind, '', { detail }), request), undefined);
    assert.equal(refusedOption(new Error(detail), request), undefined);
  });
});

const options = fc.subarray([...refusableOptions]);

/** A service that refuses some options, and the requests that it got. */
function clientOf(refused: readonly RefusedOption[], sent: CompletionRequest[]): Client {
  return {
    address: { baseUrl: 'https://a/v1', host: 'a', origin: 'https://a' },
    listModels: () => Promise.resolve([]),
    async *stream(got): AsyncGenerator<CompletionEvent, void> {
      await Promise.resolve();
      sent.push(got);
      const first = refused.find((name) => got[name] !== undefined);
      if (first !== undefined)
        throw errorOf(said(`Unsupported parameter: '${first}'. Use 'max_completion_tokens'.`));
      yield { type: 'text', text: 'Hi' };
      const fields = { toolCalls: [], model: undefined, fault: undefined, usage: undefined };
      const completion = { ...fields, finishReason: 'stop', doneSeen: true, malformedEvents: 0 };
      yield { type: 'end', completion };
    },
  };
}

async function read(events: AsyncIterable<CompletionEvent>): Promise<number> {
  let count = 0;
  for await (const event of events) if (event.type === 'end') count += 1;
  return count;
}

describe('a request to a model that refuses options', () => {
  it('gets its reply with what is accepted, and the next request is right at once', async () => {
    await fc.assert(
      fc.asyncProperty(options, options, async (refused, sentOptions) => {
        const sent: CompletionRequest[] = [];
        const known = new Set<RefusedOption>();
        const client = withoutRefusedOptions(clientOf(refused, sent), {
          refusedBy: () => [...known],
          onRefused: (_model, option) => known.add(option),
        });
        const sentRequest = withoutRefused(
          request,
          refusableOptions.filter((name) => !sentOptions.includes(name)),
        );
        assert.equal(await read(client.stream(sentRequest)), 1);
        const expected = refused.filter((name) => sentOptions.includes(name));
        assert.deepEqual([...known].toSorted(), expected.toSorted());
        assert.equal(sent.length, expected.length + 1);
        assert.equal(await read(client.stream(sentRequest)), 1);
        assert.equal(sent.length, expected.length + 2, 'The second request is not refused.');
        assert.deepEqual(sent.at(-1), withoutRefused(sentRequest, refused));
      }),
    );
  });

  it('keeps its limit under the name that the model accepts', () => {
    const { max_tokens, max_completion_tokens } = withoutRefused(request, ['max_tokens']);
    assert.deepEqual([max_tokens, max_completion_tokens], [undefined, 500]);
    assert.equal(
      withoutRefused({ model: 'm', messages: [] }, ['max_tokens', 'stop']).stop,
      undefined,
    );
  });

  it('fails with the error where nothing is left to leave out, and learns nothing', async () => {
    const learned: unknown[] = [];
    const error = errorOf(said("Unsupported parameter: 'temperature'."));
    let sent = 0;
    const client: Client = {
      ...clientOf([], []),
      async *stream() {
        await Promise.resolve();
        sent += 1;
        throw error;
      },
    };
    const stream = withoutRefusedOptions(client, {
      refusedBy: () => [],
      onRefused: (...parameters) => learned.push(parameters),
    }).stream(request);
    await assert.rejects(read(stream), error);
    assert.equal(sent, 2);
    assert.deepEqual(learned, []);
  });
});

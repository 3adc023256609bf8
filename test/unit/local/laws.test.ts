import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createService, demoKey } from '../../../src/local/service.ts';
import { runs } from '../../support/sample.ts';
import { complete, completionsUrl, readFileTool, stream, user } from './serviceRequests.ts';

const messageText = fc.oneof(
  fc.constantFrom(
    'what can you do?',
    'show me markdown',
    'write 40 words',
    'call read_file for src/app.ts',
    'blocked-word',
    'a.ts:\n```ts\nclass A {}\n```',
  ),
  fc.string({ unit: 'grapheme' }),
);

const model = fc.constantFrom('mistral/mistral-small', 'deepseek/reasoner', 'google/gemma-9b');

/** Any JSON, often similar to a valid request. */
const body = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      model: fc.oneof(model, fc.jsonValue()),
      messages: fc.oneof(
        fc.array(
          fc.record(
            {
              role: fc.oneof(fc.constantFrom('system', 'user', 'assistant', 'tool'), fc.string()),
              content: fc.oneof(messageText, fc.jsonValue()),
              tool_call_id: fc.constantFrom('call_1', 'call_2'),
              tool_calls: fc.jsonValue(),
            },
            { requiredKeys: [] },
          ),
        ),
        fc.jsonValue(),
      ),
      temperature: fc.oneof(fc.double({ min: -1, max: 3, noNaN: true }), fc.jsonValue()),
      max_tokens: fc.oneof(fc.integer({ min: -2, max: 50 }), fc.jsonValue()),
      stop: fc.oneof(fc.string(), fc.array(fc.string()), fc.jsonValue()),
      tools: fc.oneof(fc.constant([readFileTool]), fc.jsonValue()),
      tool_choice: fc.jsonValue(),
      response_format: fc.oneof(fc.constant({ type: 'json_object' }), fc.jsonValue()),
    },
    { requiredKeys: [] },
  ),
);

describe('laws of the local service', () => {
  it('any JSON body gets a JSON response, and never a fault of the service', async () => {
    const service = createService({ pace: 0 });
    await fc.assert(
      fc.asyncProperty(body, async (value) => {
        const response = await service.handle(
          new Request(completionsUrl, {
            method: 'POST',
            headers: { authorization: `Bearer ${demoKey}`, 'content-type': 'application/json' },
            body: JSON.stringify(value),
          }),
        );
        assert.ok([200, 400, 404].includes(response.status), String(response.status));
        JSON.parse(await response.text());
      }),
      { numRuns: runs(500) },
    );
  });

  it('a streamed reply equals the reply in one piece', async () => {
    await fc.assert(
      fc.asyncProperty(
        messageText.filter((text) => !text.includes('/fault')),
        model,
        fc.option(fc.integer({ min: 1, max: 80 })),
        fc.boolean(),
        async (text, id, limit, withTools) => {
          const tools = withTools && id !== 'google/gemma-9b' ? [readFileTool] : null;
          const request = { model: id, messages: [user(text)], max_tokens: limit, tools };
          const { done, ...streamed } = await stream(createService({ pace: 0 }), request);
          assert.equal(done, true);
          assert.deepEqual(streamed, await complete(createService({ pace: 0 }), request));
        },
      ),
    );
  });

  it('a partial reply and its continuation equal the whole reply, wherever it was stopped', async () => {
    await fc.assert(
      fc.asyncProperty(
        messageText,
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (text, part) => {
          const service = createService({ pace: 0 });
          const whole = (await complete(service, { messages: [user(text)] })).content;
          const beginning = whole.slice(0, Math.floor(part * whole.length));
          const continuation = await complete(service, {
            messages: [
              user(text),
              { role: 'assistant', content: beginning },
              user('Continue exactly where you stopped.'),
            ],
          });
          assert.equal(beginning + continuation.content, whole);
        },
      ),
    );
  });
});

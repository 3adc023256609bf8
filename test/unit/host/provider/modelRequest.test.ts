import assert from 'node:assert/strict';
import * as l10n from '@vscode/l10n';
import fc from 'fast-check';
import { type CompletionRequest, completionRequest } from '../../../../src/core/service/wire.ts';
import { UserError } from '../../../../src/host/errors.ts';
import { callerOf } from '../../../../src/host/provider/callers.ts';
import { modelRequest, textsOfRequest } from '../../../../src/host/provider/modelRequest.ts';
import { modelInformation, tokenLimits } from '../../../../src/host/provider/modelProvider.ts';

const messages = [{ role: 1, content: [{ value: 'Hello' }] }];
const wire = [{ role: 'user', content: 'Hello' }];

function requestWith(
  options: unknown,
  more: Partial<Parameters<typeof modelRequest>[2]> = {},
): CompletionRequest {
  const known = { tools: true, images: false, stream: true, userOptions: {} };
  const context = { l10n, model: 'm', ...known, ...more };
  return modelRequest(messages, options, context);
}

describe('the request of another extension', () => {
  it('contains only set options', () => {
    const base = { model: 'm', messages: wire, stream: true };
    assert.deepEqual(requestWith({}), base);
    assert.deepEqual(requestWith({ modelOptions: undefined, tools: [], toolMode: 2 }), base);
    assert.deepEqual(requestWith({ modelOptions: { temperature: null, stop: undefined } }), base);
    assert.deepEqual(requestWith({}, { stream: false }), { model: 'm', messages: wire });
  });

  it('passes the parameters of the service, and nothing else', () => {
    const known = {
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 10,
      stop: ['END'],
      response_format: { type: 'json_object' },
    };
    const other = {
      headers: { authorization: 'x' },
      url: 'https://evil.test',
      model: 'other',
      n: 3,
    };
    const { messages: sent, ...fields } = requestWith({ modelOptions: { ...other, ...known } });
    assert.deepEqual(sent, wire);
    assert.deepEqual(fields, { model: 'm', stream: true, ...known });
  });

  it('uses the person’s settings if the extension sets nothing, and their limit always', () => {
    const userOptions = { temperature: 0.1, topP: 0.2, maxTokens: 100, stop: ['```'] };
    const { temperature, top_p, max_tokens, stop } = requestWith({}, { userOptions });
    assert.deepEqual([temperature, top_p, max_tokens, stop], [0.1, 0.2, 100, undefined]);
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.integer({ min: 1 }), (callerLimit, limit) => {
        const request = requestWith(
          { modelOptions: { max_tokens: callerLimit } },
          { userOptions: { maxTokens: limit } },
        );
        assert.equal(request.max_tokens, Math.min(callerLimit, limit));
      }),
    );
  });

  it('passes on tools unchanged, and requires a call if the extension does', () => {
    const inputSchema = {
      type: 'object',
      properties: { a: { $ref: '#/x' } },
      additionalProperties: false,
    };
    const tools = [{ name: 'look', description: 'Looks.', inputSchema }, { name: 'no-schema' }];
    const sent = [
      {
        type: 'function',
        function: { name: 'look', description: 'Looks.', parameters: inputSchema },
      },
      { type: 'function', function: { name: 'no-schema' } },
    ];
    const request = requestWith({ tools, toolMode: 1 });
    assert.deepEqual(request.tools, sent);
    assert.equal(request.tool_choice, undefined);
    assert.equal(requestWith({ tools, toolMode: 2 }).tool_choice, 'required');
    assert.ok(completionRequest.safeParse(request).success);
  });

  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ['temperature', { modelOptions: { temperature: 3 } }, /temperature/],
    ['max_tokens', { modelOptions: { max_tokens: 0 } }, /max_tokens/],
    ['stop', { modelOptions: { stop: [''] } }, /stop/],
    ['modelOptions', { modelOptions: 'all' }, /modelOptions/],
    ['a tool name with a blank', { tools: [{ name: 'a b' }] }, /named a b/],
    ['a tool name that is too long', { tools: [{ name: 'x'.repeat(65) }] }, /named x+/],
    ['a tool without a name', { tools: [{}] }, /tools\.0\.name/],
    [
      'too many tools',
      { tools: Array.from({ length: 1001 }, () => ({ name: 'a' })) },
      /1000 tools/,
    ],
    ['no options at all', undefined, /isn't valid/],
  ];
  for (const [name, options, message] of refused) {
    it(`is refused: ${name}`, () => {
      assert.throws(
        () => requestWith(options),
        (error) => error instanceof UserError && message.test(error.message),
      );
    });
  }

  it('is refused with tools if the model can call none', () => {
    assert.throws(
      () => requestWith({ tools: [{ name: 'a' }] }, { tools: false }),
      /can't call tools/,
    );
    assert.equal(requestWith({ tools: [] }, { tools: false }).tools, undefined);
  });

  it('is checked for keys in all texts', () => {
    const key = 'sk-hidden';
    const places: readonly (readonly [unknown, unknown])[] = [
      [[{ role: 1, content: [{ value: key }] }], {}],
      [[{ role: 2, content: [{ callId: '1', name: 'a', input: { deep: [key] } }] }], {}],
      [[{ role: 2, content: [{ callId: key, name: 'a', input: {} }] }], {}],
      [[{ role: 1, content: [{ callId: '1', content: [{ value: key }] }] }], {}],
      [messages, { tools: [{ name: 'a', description: key }] }],
      [messages, { tools: [{ name: 'a', inputSchema: { enum: [key] } }] }],
      [messages, { modelOptions: { stop: key } }],
      [messages, { modelOptions: { stop: ['x', key] } }],
    ];
    for (const [value, options] of places) {
      const context = {
        l10n,
        model: 'm',
        tools: true,
        images: false,
        stream: true,
        userOptions: {},
      };
      const texts = textsOfRequest(modelRequest(value, options, context));
      assert.ok(
        texts.some((text) => text.includes(key)),
        JSON.stringify(value),
      );
    }
  });
});

describe('the caller', () => {
  it('is the one reported by VS Code, otherwise unknown', () => {
    assert.equal(callerOf({ requestInitiator: 'github.copilot-chat' }), 'github.copilot-chat');
    assert.equal(callerOf({ requestInitiator: 'core' }), 'core');
    const odd = [
      {},
      undefined,
      { requestInitiator: '' },
      { requestInitiator: 'a\nb' },
      { requestInitiator: 3 },
    ];
    for (const value of odd) assert.equal(callerOf(value), 'unknown');
    assert.equal(callerOf({ requestInitiator: 'x'.repeat(300) }), 'unknown');
  });
});

describe('a model as VS Code lists it', () => {
  const context = (modelSettings: Parameters<typeof tokenLimits>[0]) => ({
    host: 'api.test',
    settingsOf: () => modelSettings,
    currency: '$',
    l10n,
  });

  it('has limits that fit its window, whatever is known', () => {
    const tokens = fc.option(fc.integer({ min: 2, max: 10_000_000 }), { nil: undefined });
    fc.assert(
      fc.property(tokens, tokens, (contextWindow, maxOutput) => {
        const { maxInputTokens, maxOutputTokens } = tokenLimits({ contextWindow, maxOutput });
        assert.ok(Number.isInteger(maxInputTokens) && maxInputTokens >= 1);
        assert.ok(Number.isInteger(maxOutputTokens) && maxOutputTokens >= 1);
        assert.equal(maxInputTokens + maxOutputTokens, contextWindow ?? 128_000);
        assert.ok(maxOutputTokens <= (maxOutput ?? Infinity));
      }),
    );
  });

  it('names the service of a model unless it is the current one', () => {
    const model = { id: 'acme/large@other', ownedBy: 'acme', service: 'other' };
    const listed = modelInformation(model, context({ contextWindow: 32_000 }));
    assert.deepEqual([listed.id, listed.name], [model.id, model.id]);
    assert.deepEqual([listed.family, listed.version], ['large', 'acme/large']);
    assert.equal(listed.detail, 'other · 32k context');
    assert.match(listed.tooltip ?? '', /api\.test/);
  });
});

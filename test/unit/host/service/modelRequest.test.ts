import assert from 'node:assert/strict';
import * as l10n from '@vscode/l10n';
import fc from 'fast-check';
import {
  type CompletionRequest,
  completionRequest,
  type WireMessage,
} from '../../../../src/core/service/wire.ts';
import { UserError } from '../../../../src/host/platform/errors.ts';
import {
  callerOf,
  modelInformation,
  tokenLimits,
} from '../../../../src/host/service/modelProvider.ts';
import {
  modelRequest,
  textsOfRequest,
  GivenCallIds,
  charactersOfGiven,
  wireMessages,
} from '../../../../src/host/service/modelRequest.ts';
import { imageBytes, urlOf } from '../../../support/images.ts';
import { callIdsOf, refusals, refusedIds } from '../../../support/chatTemplates.ts';

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
    ['stop', { modelOptions: { stop: [''] } }, /stop/],
    ['a tool name with a blank', { tools: [{ name: 'a b' }] }, /named a b/],
    ['a tool name that is too long', { tools: [{ name: 'x'.repeat(65) }] }, /named x+/],
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
    const model = { id: 'acme/large@other', ownedBy: 'acme', service: 'other', host: 'api.test' };
    const listed = modelInformation(model, { contextWindow: 32_000 }, '$');
    assert.deepEqual([listed.id, listed.name], [model.id, model.id]);
    assert.deepEqual([listed.family, listed.version], ['large', 'acme/large']);
    assert.equal(listed.detail, 'other · 32k context');
    assert.match(listed.tooltip ?? '', /api\.test/);
  });
});

const roles = { user: 1, assistant: 2, system: 3 } as const;

interface ExtensionMessage {
  readonly role: number;
  readonly content: readonly unknown[];
}

const text = (value: string): object => ({ value });
const call = (callId: string, name = 'look', input: unknown = { at: 1 }): object => ({
  callId,
  name,
  input,
});
const result = (callId: string, ...content: readonly unknown[]): object => ({ callId, content });
const data = (mimeType: string, bytes: string): object => ({
  mimeType,
  data: new TextEncoder().encode(bytes),
});
const user = (...content: readonly unknown[]): ExtensionMessage => ({ role: roles.user, content });
const assistant = (...content: readonly unknown[]): ExtensionMessage => ({
  role: roles.assistant,
  content,
});
const system = (...content: readonly unknown[]): ExtensionMessage => ({
  role: roles.system,
  content,
});

const wireCall = (id: string, name = 'look', json = '{"at":1}') =>
  ({ id, type: 'function', function: { name, arguments: json } }) as const;

function converted(...parts: readonly unknown[]): readonly WireMessage[] {
  return wireMessages(parts, { model: 'm', images: true });
}

const sentUser = (content: string): WireMessage => ({ role: 'user', content });
const sentResult = (id: string, content: string): WireMessage => ({
  role: 'tool',
  tool_call_id: id,
  content,
});
const sentReply = (
  content: string | null,
  ...tool_calls: readonly ReturnType<typeof wireCall>[]
): WireMessage => ({
  role: 'assistant',
  content,
  ...(tool_calls.length > 0 && { tool_calls: [...tool_calls] }),
});

/** What stands in for a message or a reply that the conversation lacks. */
const begin = sentUser('(The conversation begins here.)');
const end = sentReply('(The reply ends here.)');

const png = imageBytes.png(300, 200);
const image = { mimeType: 'image/x-whatever', data: png };
const pngUrl = urlOf({ type: 'image/png' }, png);

describe('messages of other extensions', () => {
  const table: readonly (readonly [string, readonly ExtensionMessage[], readonly WireMessage[]])[] =
    [
      ['text in pieces', [user(text('a'), text('b'))], [sentUser('ab')]],
      [
        'all roles',
        [system(text('s')), user(text('u')), assistant(text('a')), user(text('v'))],
        [{ role: 'system', content: 's' }, sentUser('u'), sentReply('a'), sentUser('v')],
      ],
      [
        'images, by their bytes',
        [user(text('What '), image, text('is it?')), user(image)],
        [{ role: 'user', content: 'What is it?', images: [pngUrl, pngUrl] }],
      ],
      [
        'calls and results, in the order of the results',
        [
          user(text('u')),
          assistant(text('t'), call('1'), call('2', 'list', {})),
          user(result('2', text('two')), result('1', text('o'), text('ne'))),
        ],
        [
          sentUser('u'),
          sentReply('t', wireCall('1'), wireCall('2', 'list', '{}')),
          sentResult('2', 'two'),
          sentResult('1', 'one'),
        ],
      ],
      [
        'a call without a result',
        [assistant(call('1')), user(text('never mind'))],
        [
          begin,
          sentReply(null, wireCall('1')),
          sentResult('1', 'No result.'),
          end,
          sentUser('never mind'),
        ],
      ],
      [
        'a result without a call, and one that is too late',
        [user(result('9', text('lost'))), assistant(call('1')), user(text('u')), user(result('1'))],
        [
          sentUser('Result of the tool call 9:\nlost\n\n'),
          sentReply(null, wireCall('1')),
          sentResult('1', 'No result.'),
          end,
          sentUser('u\n\nResult of the tool call 1:\n\n\n'),
        ],
      ],
      [
        'what is no text in a result',
        [
          assistant(call('1')),
          user(result('1', data('image/png', 'x'), { value: { node: 1 } }, data('audio/wav', 'x'))),
        ],
        [
          begin,
          sentReply(null, wireCall('1')),
          sentResult(
            '1',
            '(image/png left out: a result can only be text){"node":1}(left out: a result can only be text)',
          ),
        ],
      ],
      [
        'data that is text, and marks of VS Code',
        [
          user(
            data('text/plain', 'Grüße 🎉'),
            data('application/json', '{}'),
            data('cache_control', 'ephemeral'),
            { value: 'thought', id: 't1', metadata: undefined },
          ),
        ],
        [sentUser('Grüße 🎉{}')],
      ],
      [
        'input that is no JSON',
        [
          assistant({ callId: '1', name: 'a', input: undefined }, call('2', 'b', { big: 1n })),
          user(text('u')),
        ],
        [
          begin,
          sentReply(null, wireCall('1', 'a', '{}'), wireCall('2', 'b', '…')),
          sentResult('1', 'No result.'),
          sentResult('2', 'No result.'),
          end,
          sentUser('u'),
        ],
      ],
      [
        'messages of one role in a row, and several of the system',
        [
          system(text('s')),
          user(text('a')),
          user(text('b')),
          system(text('t')),
          assistant(text('c')),
          assistant(text('d'), call('1')),
        ],
        [
          { role: 'system', content: 's\n\nt' },
          sentUser('a\n\nb'),
          sentReply('c\n\nd', wireCall('1')),
          sentResult('1', 'No result.'),
        ],
      ],
      ['only a message of the system', [system(text('s'))], [sentUser('s')]],
    ];
  for (const [name, parts, expected] of table)
    it(`are converted: ${name}`, () => assert.deepEqual(converted(...parts), expected));

  const refused: readonly (readonly [string, readonly unknown[], RegExp])[] = [
    ['no messages', [], /no messages/],
    ['no list', [{ role: 1 }], /aren't valid/],
    ['an unknown role', [{ role: 7, content: [text('u')] }], /unknown role 7/],
    ['what is no image', [user(data('image/png', 'x'))], /PNG, JPEG, WebP or GIF/],
    ['an image of the model', [assistant(text('a'), image)], /only messages of the user/],
    [
      'an image that is too large',
      [user({ mimeType: 'image/png', data: Uint8Array.from([...png, ...new Uint8Array(5e6)]) })],
      /5 MB/,
    ],
    ['a sound', [user(data('audio/wav', 'x'))], /type audio\/wav/],
    ['nothing in place of a part', [user(null)], /type object/],
    ['too many', Array.from({ length: 10_001 }, () => user(text('u'))), /10000 messages/],
    ['too much', [user(text('x'.repeat(20e6))), user(text('x'.repeat(20e6)))], /too large/],
  ];
  for (const [name, parts, message] of refused) {
    it(`are refused: ${name}`, () => {
      assert.throws(
        () => converted(...parts),
        (error) => error instanceof UserError && message.test(error.message),
      );
    });
  }

  it('are refused with an image for a model that supports none', () => {
    assert.throws(
      () => wireMessages([user(image)], { model: 'm', images: false }),
      (error) => error instanceof UserError && /m doesn't accept images/.test(error.message),
    );
  });

  it('count an image by its pixels', () => {
    assert.equal(charactersOfGiven(user(text('abc'), image)), 3 + 85 * 4);
  });

  const someText = fc.oneof(
    fc.constant(''),
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constant('\uD800'),
  );
  const id = fc.constantFrom('a', 'b', 'c', '__proto__', 'toString');
  const part = fc.oneof(
    someText.map(text),
    someText,
    id.map((callId) => call(callId)),
    fc
      .tuple(id, fc.array(someText.map(text), { maxLength: 3 }))
      .map(([callId, parts]) => result(callId, ...parts)),
    fc.constant(data('cache_control', 'x')),
  );
  const message = fc.record({
    role: fc.constantFrom(1, 2, 3),
    content: fc.array(part, { maxLength: 5 }),
  });

  it('become a valid request: each call has one result, right after it', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (generated) => {
        const messages = [user(text('first')), ...generated];
        const sent = [...converted(...messages)];
        assert.ok(completionRequest.safeParse({ model: 'm', messages: sent }).success);
        const open = new Set<string>();
        for (const message of sent) {
          if (message.role === 'tool') assert.ok(open.delete(message.tool_call_id));
          else assert.equal(open.size, 0);
          if (message.role === 'assistant')
            for (const toolCall of message.tool_calls ?? []) open.add(toolCall.id);
          else assert.ok(message.role === 'tool' || message.content !== '');
        }
        assert.equal(open.size, 0);
      }),
    );
  });

  it('are taken by the chat templates of all models', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (generated) => {
        const sent = [...converted(...generated, user(text('last')))];
        assert.deepEqual(refusals(sent), [], sent.map(({ role }) => role).join(' '));
        const mapped = new GivenCallIds().replaceIn(sent, 'm');
        assert.deepEqual(refusals(mapped), []);
        assert.deepEqual(refusedIds(mapped), []);
        const ids = callIdsOf(mapped);
        assert.equal(new Set(ids).size, ids.length);
      }),
    );
  });

  it('keep the ids of the calls of their model', () => {
    const given = new GivenCallIds();
    given.add('functions.look:0', 'a');
    const messages = converted(user(text('u')), assistant(call('functions.look:0')));
    assert.deepEqual(given.replaceIn(messages, 'a'), messages);
    const [id, ofResult] = given
      .replaceIn(messages, 'b')
      .flatMap((sent) => (sent.role === 'tool' ? sent.tool_call_id : callIdsOf([sent])));
    assert.equal(id, ofResult);
    assert.match(id ?? '', /^[a-zA-Z0-9]{9}$/);
  });

  it('lose no text', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (generated) => {
        const unique = generated.map(({ role, content }, at) => ({
          role,
          content: [...content, text(`<${at}>`)],
        }));
        const all = JSON.stringify(converted(user(text('first')), ...unique));
        for (const at of unique.keys()) assert.ok(all.includes(`<${at}>`));
      }),
    );
  });

  it('are counted by their characters, whatever they are', () => {
    assert.equal(charactersOfGiven('four'), 4);
    assert.equal(
      charactersOfGiven(user(text('ab'), call('1', 'look', {}), result('1', text('c')))),
      9,
    );
    assert.equal(charactersOfGiven({ role: 1, content: 'abc' }), 3);
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const count = charactersOfGiven(value);
        assert.ok(Number.isSafeInteger(count) && count >= 0);
      }),
    );
  });
});

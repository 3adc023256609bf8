import assert from 'node:assert/strict';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { listParts, requestParts } from '../../../../src/core/turn/requestParts.ts';
import { promptCharacters } from '../../../../src/core/service/requestUsage.ts';
import { readSettings } from '../../../../src/host/platform/settingValues.ts';
import { imageBytes, urlOf } from '../../../support/images.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { listedKeys, partText, requestOverview } = await withoutVsCode(
  () => import('../../../../src/host/chat/requestTab.ts'),
);

const key = 'sk-CanaryKey-0123456789abcdefgh';
const redactor = createRedactor();
redactor.setKeys([key]);
const tokensOf = (characters: number): number => Math.ceil(characters / 4);
const models = { m: { price: { input: 2, output: 6, cachedInput: 1 }, contextWindow: 1000 } };
const settings = readSettings(
  (id) => (id === 'aside.models' ? { globalValue: models } : {}),
  (id) => assert.ok(false, id),
);

/** A request with this text in every part that can contain outside text. */
function requestWith(text: string) {
  const request: CompletionRequest = {
    model: 'm',
    messages: [
      { role: 'system', content: text },
      { role: 'user', content: `${text}\n\n${text}` },
      {
        role: 'assistant',
        content: text,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'run', arguments: text } }],
      },
      { role: 'tool', tool_call_id: 'c', content: text },
    ],
    stop: [text],
    tools: [{ type: 'function', function: { name: 'run', description: text } }],
    extra_body: { user: text },
  };
  const pieces = [
    [
      { kind: 'attachment', name: text, id: 'a', turn: 't', text },
      { kind: 'message', name: '', id: '', turn: 't', text },
    ],
  ] as const;
  const parts = requestParts(request, { pieces });
  return {
    request,
    model: request.model,
    parts,
    listed: listParts(parts, [], { id: 't' }),
    turn: 't',
    room: undefined,
    mayChoose: true,
    last: undefined,
    title: text,
    address: `https://api.test/${text}`,
    attachments: new Set(['a']),
    settings,
  };
}

describe('the overview of the next request', () => {
  const options = { tokensOf, redactor };

  for (const [how, text] of Object.entries({
    'as it is': key,
    'in the middle of a long text': `${'x'.repeat(19_990)}${key}`,
    'at the end of what is shown of a message': `${' '.repeat(1990)}${key}`,
    'in base64': btoa(`user:${key}`),
    'cut short': key.slice(0, 20),
  })) {
    it(`contains no key that a part has ${how}`, () => {
      const plan = requestWith(text);
      const texts = plan.parts.map((part) => partText(part, redactor).text);
      const all = JSON.stringify([requestOverview(plan, options), texts]);
      for (const piece of [key.slice(0, 12), key.slice(-12), btoa(key).slice(2, 16)])
        assert.ok(
          !all.includes(piece),
          all.slice(Math.max(0, all.indexOf(piece) - 80)).slice(0, 160),
        );
    });
  }

  it('has the tokens of the whole request, and says which attachment can be removed', () => {
    const plan = requestWith('Hello');
    const { tokens, parts, contextWindow, price } = requestOverview(plan, options);
    assert.equal(tokens, tokensOf(promptCharacters(plan.request)));
    assert.equal(contextWindow, 1000);
    assert.equal(price?.cachedInput, 1);
    const removable = parts.flatMap((part) => part.removable ?? []);
    assert.deepEqual(removable, ['a']);
    const sent = requestOverview({ ...plan, attachments: new Set() }, options);
    assert.ok(sent.parts.every((part) => part.removable === undefined));
  });

  it('says that pinned parts leave no room, and only then', () => {
    const plan = requestWith('Hello');
    const pinned = listParts(plan.parts, [], {
      id: 't',
      partChoices: { 'attachment:a': 'pinned' },
    });
    const saysSo = (planPart: Partial<typeof plan>, room: number | undefined): boolean =>
      requestOverview({ ...plan, ...planPart, room }, options).isPinnedTooLong;
    const { tokens } = requestOverview(plan, options);
    assert.equal(saysSo({ listed: pinned }, tokens - 1), true);
    assert.equal(saysSo({ listed: pinned }, tokens), false);
    assert.equal(saysSo({ listed: pinned }, undefined), false);
    assert.equal(saysSo({}, 1), false);
  });

  it('lists excluded parts with their tokens, which do not count', () => {
    const plan = requestWith('Hello');
    const partChoices = { 'tool:run': 'left-out' } as const;
    const sent = plan.parts.filter(({ kind }) => kind !== 'tool');
    const listed = listParts(sent, plan.parts, { id: 't', partChoices });
    const { tokens, parts } = requestOverview({ ...plan, parts: sent, listed }, options);
    const [tool, ...others] = parts;
    assert.equal(tool?.unsent, 'left-out');
    assert.equal(tool.tokens, 0);
    assert.ok((tool.unsentTokens ?? 0) > 5);
    const whole = requestOverview(plan, options).tokens;
    assert.ok(Math.abs(whole - tokens - (tool.unsentTokens ?? 0)) <= 1);
    assert.ok(others.every(({ unsentTokens }) => unsentTokens === undefined));
    const partsOfOverview = requestOverview({ ...plan, mayChoose: false }, options).parts;
    assert.ok(
      partsOfOverview.every(({ choiceKey }) => choiceKey === undefined),
      'where nobody may write',
    );
  });

  it('accepts choices only about listed parts', () => {
    const { listed } = requestWith('Hello');
    assert.deepEqual(listedKeys(listed, ['tool:run', 'tool:other', 'turn:t', '__proto__', '']), [
      'tool:run',
    ]);
  });

  it('gives the page no part key that contains a secret', () => {
    const request = { model: 'm', messages: [], tools: requestWith('').request.tools ?? [] };
    const tools = request.tools.map((tool) => ({
      ...tool,
      function: { ...tool.function, name: key },
    }));
    const parts = requestParts({ ...request, tools });
    const plan = { ...requestWith(''), parts, listed: listParts(parts, [], { id: 't' }) };
    assert.ok(!JSON.stringify(requestOverview(plan, options).parts).includes(key.slice(0, 12)));
  });

  it('folds an image, which only the copy contains in full', () => {
    const bytes = Uint8Array.from([...imageBytes.png(300, 200), ...new Uint8Array(600_000)]);
    const url = urlOf({ type: 'image/png' }, bytes);
    const plan = requestWith('Hello');
    const messages = [{ role: 'user' as const, content: 'Hello', images: [url] }];
    const pieces = [
      { kind: 'image', name: 'a.png', id: 'a', turn: 't', text: url },
      { kind: 'message', name: '', id: '', turn: 't', text: 'Hello' },
    ] as const;
    const request = { model: 'm', messages };
    const parts = requestParts(request, { pieces: [pieces] });
    const listed = listParts(parts, [], { id: 't' });
    const overview = requestOverview({ ...plan, request, parts, listed }, options);
    assert.ok(JSON.stringify(overview).length < 4000);
    assert.match(overview.json, /"data:image\/png;base64,iVBORw0K[^"]{1,20}… \(300 × 200, 800,0/);
    assert.equal(overview.isWhole, false);
    assert.deepEqual(
      overview.parts.map(({ kind, name, tokens, removable }) => [kind, name, tokens, removable]),
      [
        ['image', 'a.png', 85, 'a'],
        ['message', '', 2, undefined],
        ['option', 'model', 0, undefined],
      ],
    );
    const [part] = parts;
    assert.ok(part);
    assert.ok(partText(part, redactor).text.length < 100);
    assert.equal(promptCharacters(request), 85 * 4 + 'Hello'.length);
  });

  it('counts cached tokens from the start on', () => {
    const plan = requestWith('Hello '.repeat(20));
    const usage = {
      prompt_tokens: 0,
      completion_tokens: 0,
      total_tokens: 0,
      requests: 1,
      cached_tokens: 60,
      estimated: false,
    };
    const last = { model: 'm', parts: plan.parts, usage };
    const { parts, cache } = requestOverview({ ...plan, last }, options);
    assert.equal(cache.tokens, 60);
    assert.equal(
      parts.reduce((sum, { cached }) => sum + cached, 0),
      60,
    );
    const partial = parts.findIndex(({ cached, tokens }) => cached < tokens);
    assert.ok(parts.slice(0, partial).every(({ cached, tokens }) => cached === tokens));
    assert.ok(parts.slice(partial + 1).every(({ cached }) => cached === 0));
  });
});

import assert from 'node:assert/strict';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { requestParts } from '../../../../src/core/turn/requestParts.ts';
import { promptCharacters } from '../../../../src/core/turn/requestUsage.ts';
import { readSettings } from '../../../../src/host/settingValues.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { partText, requestOverview } = await withoutVsCode(
  () => import('../../../../src/host/request/requestOverview.ts'),
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

/** A request with a text in every part that foreign text gets to, and an attachment of the draft. */
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
      { kind: 'attachment', name: text, id: 'a', text },
      { kind: 'message', name: '', id: '', text },
    ],
  ] as const;
  return {
    request,
    parts: requestParts(request, pieces),
    last: undefined,
    title: text,
    address: `https://api.test/${text}`,
    attachments: new Set(['a']),
    settings,
  };
}

describe('what the tab with the next request gets', () => {
  const options = { language: 'en', tokensOf, redactor };

  for (const [how, text] of Object.entries({
    'as it is': key,
    'in the middle of a long text': `${'x'.repeat(19_990)}${key}`,
    'at the end of what is shown of a message': `${' '.repeat(1990)}${key}`,
    'in base64': btoa(`user:${key}`),
    'cut short': key.slice(0, 20),
  })) {
    it(`has no key in it that a part has ${how}`, () => {
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

  it('counts what is cached from the start on', () => {
    const plan = requestWith('Hello '.repeat(20));
    const usage = {
      ...{ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, requests: 1 },
      ...{ cached_tokens: 60, estimated: false },
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

  it('is small, however large a part is', () => {
    const plan = requestWith('word '.repeat(200_000));
    const overview = requestOverview(plan, options);
    assert.equal(overview.isWhole, false);
    assert.ok(JSON.stringify(overview).length < 60_000);
    for (const part of plan.parts) {
      const shown = partText(part, redactor);
      assert.ok(shown.text.length <= 20_000);
      assert.equal(shown.isWhole, part.text.trim().length <= 20_000);
    }
  });

  it('hides nothing in a text', () => {
    const [, part] = requestWith('a\u{200b}b').parts;
    assert.ok(part);
    assert.equal(partText(part, redactor).text, String.raw`a\u{200b}b`);
  });
});

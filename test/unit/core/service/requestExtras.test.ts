import assert from 'node:assert/strict';
import fc from 'fast-check';
import { requestText } from '../../../../src/core/turn/requestParts.ts';
import {
  isHeader,
  isOwnField,
  isOwnHeader,
  requestBody,
  withExtras,
} from '../../../../src/core/service/requestExtras.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { localFetch, createService, demoKey } from '../../../../src/local/service.ts';
import { testClient } from '../../../support/testClient.ts';

const request: CompletionRequest = {
  model: 'mistral/mistral-small',
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
  max_tokens: 500,
};

/** Sends the request to the local service. Returns its body and headers. */
async function send(
  completion: CompletionRequest,
  extraHeaders: Readonly<Record<string, string>> = {},
): Promise<{ readonly body: unknown; readonly headers: Headers }> {
  const local = localFetch(createService({ pace: 0 }));
  const seen: RequestInit[] = [];
  const fetch: typeof local = (address, init = {}) => {
    seen.push(init);
    return local(address, init);
  };
  const client = testClient(fetch, {
    extrasOf: (model) => ({
      extraHeaders: model === completion.model ? extraHeaders : { 'x-other': 'other' },
    }),
  });
  for await (const { type } of client.stream(completion)) assert.notEqual(type, 'retry');
  const [init] = seen;
  assert.ok(typeof init?.body === 'string');
  return { body: JSON.parse(init.body), headers: new Headers(init.headers) };
}

describe('fields and headers of the settings', () => {
  it('are sent as fields of the body, which Next Request shows', async () => {
    const extraBody = { provider: { order: ['one'] }, seed: 7 };
    const full = withExtras(request, { reasoningEffort: 'low', extraBody });
    const wire = { ...request, reasoning_effort: 'low', ...extraBody };
    const { body } = await send(full);
    assert.deepEqual(body, wire);
    const text = requestText(full, 'https://api.test/v1', { 'x-team': "it's ours" });
    const json = text.split('\n').filter((line) => !line.startsWith('//'));
    assert.deepEqual(JSON.parse(json.join('\n')), wire);
    assert.match(text, /^\/\/ x-team: it's ours$/m);
    assert.ok(text.includes(String.raw`--header 'x-team: it'\''s ours'`));
  });

  it("limit a reply to the model's maximum", () => {
    assert.equal(withExtras(request, { maxOutput: 200 }).max_tokens, 200);
    const open: CompletionRequest = { model: 'm', messages: request.messages };
    assert.equal(withExtras(open, { maxOutput: 200 }), open);
  });

  it('replace no field of a request', () => {
    const name = fc.oneof(
      fc.constantFrom(...Object.keys(request), 'n', 'tools', 'max_completion_tokens', '__proto__'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue()), (extraBody) => {
        const body = requestBody(withExtras(request, { extraBody }));
        const wire: unknown = JSON.parse(JSON.stringify(body));
        assert.ok(typeof wire === 'object' && wire !== null);
        const ownFields = Object.entries(wire).filter(([field]) => Object.hasOwn(request, field));
        assert.deepEqual(Object.fromEntries(ownFields), request);
        const added = Object.keys(wire).filter((field) => !Object.hasOwn(request, field));
        assert.ok(!added.some(isOwnField), added.join());
      }),
    );
  });

  it('replace no header of a request', async () => {
    const { headers } = await send(request, {
      'X-Team': 'ours',
      Authorization: 'Bearer other',
      AUTHORIZATION: 'Bearer other',
      'content-type': 'text/plain',
      Host: 'evil.example',
      Cookie: 'a=b',
    });
    assert.equal(headers.get('authorization'), `Bearer ${demoKey}`);
    assert.equal(headers.get('content-type'), 'application/json');
    assert.equal(headers.get('x-team'), 'ours');
    assert.deepEqual([...headers.keys()].toSorted(), ['authorization', 'content-type', 'x-team']);
  });

  it('include no header for credentials or the connection, in any case', () => {
    for (const name of ['authorization', 'Proxy-Authorization', 'COOKIE', 'Host', 'Upgrade', 'TE'])
      for (const written of [name, name.toLowerCase(), name.toUpperCase()])
        assert.equal(isOwnHeader(written), true, written);
    for (const name of ['x-team', 'HTTP-Referer', 'X-Title', 'OpenAI-Organization'])
      assert.equal(isOwnHeader(name), false, name);
  });

  it('include no invalid header, such as one with a line break', () => {
    for (const [name, value] of [
      ['a', 'b\r\nHost: evil'],
      ['a\r\nb', 'c'],
      ['a b', 'c'],
      ['', 'c'],
      ['a:', 'c'],
      ['ä', 'c'],
      ['a', 'ä'],
      ['a', 'b\0'],
    ] as const)
      assert.equal(isHeader(name, value), false, JSON.stringify([name, value]));
    assert.equal(isHeader('X-Title', 'My team: (a, b)'), true);
  });
});

import assert from 'node:assert/strict';
import { ServiceClient } from '../../../src/core/service/client.ts';
import { systemClock, type Clock } from '../../../src/core/support/clock.ts';
import type { ServiceEndpoint } from '../../../src/host/service/connection.ts';
import { KeyPrompt } from '../../../src/host/service/keyPrompt.ts';
import { createModelReader } from '../../../src/host/service/modelCatalog.ts';
import { errorText } from '../../../src/host/platform/errorText.ts';
import { Log } from '../../../src/host/platform/log.ts';
import { baseUrl, ConnectionRig, origin } from './service/rig.ts';
import { FakeLogSink } from './fakes.ts';

const canary = 'sk-CanaryKey-0123456789abcdefgh';

/** Ways in which a hostile or careless service echoes the key. */
const echoes: Record<string, (key: string) => string> = {
  'as it is': (key) => key,
  'with its header': (key) => `Authorization: Bearer ${key}`,
  'in base64': (key) => btoa(`user:${key}`),
  'in an address': (key) => `https://evil.example/?key=${encodeURIComponent(key)}`,
  'in JSON': (key) => JSON.stringify({ error: { message: `bad key ${key}`, code: key } }),
  'cut short': (key) => `${key.slice(0, 20)}…`,
};

const statuses = [200, 400, 401, 402, 403, 404, 418, 429, 500, 503];

type Fetch = typeof fetch;
const paths: Record<string, Fetch> = {};
for (const [how, echo] of Object.entries(echoes)) {
  const said = echo(canary);
  for (const status of statuses) {
    paths[`${status} ${how}`] = () =>
      Promise.resolve(new Response(said, { status, headers: { 'x-request-id': said } }));
  }
  paths[`redirect ${how}`] = () => {
    const headers = { location: `https://${said}.example/${said}` };
    return Promise.resolve(new Response(null, { status: 302, headers }));
  };
  paths[`network ${how}`] = () => {
    const cause = Object.assign(new Error(`connect to ${said}`), { code: said });
    return Promise.reject(new TypeError(`fetch failed ${said}`, { cause }));
  };
  paths[`broken body ${how}`] = () => {
    const start = (controller: ReadableStreamDefaultController): void =>
      controller.error(new Error(said));
    return Promise.resolve(new Response(new ReadableStream({ start })));
  };
  paths[`error in the stream ${how}`] = () => {
    const body = `data: ${JSON.stringify({ error: { message: said } })}\n\n`;
    const headers = { 'content-type': 'text/event-stream' };
    return Promise.resolve(new Response(body, { headers }));
  };
}

/** Fails if the text contains a piece of the key, plain or in base64. */
function assertNoKey(text: string, where: string): void {
  for (const piece of [canary.slice(0, 12), canary.slice(-12), canary.slice(0, 12).toLowerCase()]) {
    assert.ok(!text.includes(piece), `${where}: ${text}`);
  }
  for (const word of text.split(/[^A-Za-z0-9+/]+/)) {
    const decoded = Buffer.from(word, 'base64').toString('latin1');
    assert.ok(!decoded.includes(canary.slice(0, 12)), `${where}: ${text}`);
  }
}

describe('a key that the service echoes', () => {
  for (const [path, fetchEcho] of Object.entries(paths)) {
    it(`is in no error text, log, dialog or state: ${path}`, async () => {
      const readModels = createModelReader(() => 120);
      const rig = new ConnectionRig(readModels, canary, undefined);
      const sink = new FakeLogSink();
      const log = new Log(sink, rig.redactor, rig.keys.learned());
      const redact = rig.redactor.redactError;
      const texts: string[] = [];
      const explain = (error: unknown): ReturnType<typeof errorText> => {
        log.error('Checking', error);
        const text = errorText(error, { redact, now: 0, language: 'en' });
        texts.push(text.message);
        return text;
      };
      const { dialogs, keys } = rig;
      const prompt = new KeyPrompt(dialogs, keys, readModels, fetchEcho, { text: explain });
      await prompt.ask({ baseUrl, origin, host: 'api.example.com' });

      const error = await complete({ ...rigEndpoint, fetch: fetchEcho });
      explain(error);
      await rig.catalog.refresh({ ...rigEndpoint, fetch: fetchEcho }, never).catch(explain);

      assert.ok(texts.length > 0);
      assertNoKey(texts.join('\n'), 'error text');
      assertNoKey(sink.lines.join('\n'), 'log');
      assertNoKey(rig.dialogs.visibleTexts, 'dialogs');
      assertNoKey(rig.stored, 'state');
    });
  }
});

const never = new AbortController().signal;
const rigEndpoint: Omit<ServiceEndpoint, 'fetch'> = {
  id: origin,
  baseUrl,
  origin,
  host: 'api.example.com',
  apiKey: canary,
  demo: false,
};

/** The error of a completion, without the waits between retries. */
async function complete(endpoint: ServiceEndpoint): Promise<unknown> {
  const client = new ServiceClient({ ...endpoint, clock: immediateClock(), silenceLimit: 1000 });
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hello' }] };
  try {
    for await (const event of client.stream(request))
      if (event.type === 'end') return event.completion.fault;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** A clock whose timers fire immediately, and which advances by their time. */
function immediateClock(): Clock {
  let passed = 0;
  return {
    wall: () => systemClock.wall() + passed,
    monotonic: () => systemClock.monotonic() + passed,
    after: (milliseconds, callback) =>
      systemClock.after(0, () => {
        passed += milliseconds;
        callback();
      }),
  };
}

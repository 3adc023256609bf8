import assert from 'node:assert/strict';
import {
  type ServiceClient,
  maxListBytes,
  type CompletionEvent,
} from '../../../../src/core/service/client.ts';
import { CoolDowns } from '../../../../src/core/service/retry.ts';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import {
  localFetch,
  createService,
  demoKey,
  type LocalService,
  type ServiceOptions,
} from '../../../../src/local/service.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { testClient } from '../../../support/testClient.ts';
import { done, event } from '../../../support/rawReply.ts';

const request: CompletionRequest = {
  model: 'mistral/mistral-small',
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
};

interface Rig {
  readonly clock: ManualClock;
  readonly service: LocalService;
  readonly client: ServiceClient;
}

function rig(options: ServiceOptions = {}, apiKey: string | undefined = demoKey): Rig {
  const clock = new ManualClock();
  const service = createService({ clock, pace: 0, ...options });
  return { clock, service, client: testClient(localFetch(service), { clock, apiKey }) };
}

/** A client whose service always responds the same. */
function clientWithResponse(answer: Response): Pick<Rig, 'client' | 'clock'> {
  const clock = new ManualClock();
  return { client: testClient(() => Promise.resolve(answer), { clock }), clock };
}

/** Reads a stream to its end. Advances the clock at each wait before a retry. */
async function play(
  { client, clock }: Pick<Rig, 'client' | 'clock'>,
  signal?: AbortSignal,
  change: Partial<CompletionRequest> = {},
): Promise<CompletionEvent[]> {
  const events: CompletionEvent[] = [];
  for await (const event of client.stream({ ...request, ...change }, signal)) {
    events.push(event);
    if (event.type === 'retry') void clock.nextWait().then(() => clock.advance(event.delay));
  }
  return events;
}

async function errorOf(promise: Promise<unknown>): Promise<ServiceError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ServiceError, String(error));
  return error;
}

function textOf(events: readonly CompletionEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

async function* withoutUsage(
  events: AsyncGenerator<CompletionEvent, void>,
): AsyncGenerator<CompletionEvent, void> {
  for await (const event of events) if (!('usage' in event)) yield event;
}

describe('clients of one service', () => {
  /** Starts a request that is refused, and a second one `between` milliseconds later. */
  async function refuseThenSend(status: number, between: number, retryAfter: number) {
    const { clock, service } = rig();
    const coolDowns = new CoolDowns(clock);
    const create = () => testClient(localFetch(service), { clock, coolDowns });
    const [client, otherClient] = [create(), create()];
    service.faults.push({ kind: 'status', status, retryAfter });
    const first = withoutUsage(client.stream(request));
    const refused = await first.next();
    assert.equal(refused.value?.type, 'retry');
    await clock.advance(between);
    const abort = new AbortController();
    const second = withoutUsage(otherClient.stream(request, abort.signal));
    const begun = await second.next();
    return { abort, clock, service, first, second, begun: begun.value };
  }

  for (const [between, remaining] of [
    [0, 4000],
    [1500, 2500],
    [3990, undefined],
    [6000, undefined],
  ] as const) {
    it(`share the remaining wait, ${between} ms after a refusal`, async () => {
      const { begun, clock, service, second } = await refuseThenSend(429, between, 4);
      const delay = begun?.type === 'retry' ? begun.delay : undefined;
      assert.equal(delay, remaining);
      assert.equal(service.requests.length, remaining === undefined ? 2 : 1);
      if (delay === undefined) return;
      const next = second.next();
      await clock.advance(delay);
      assert.deepEqual((await next).value, { type: 'attempt', attempt: 1 });
      assert.equal((await second.next()).value?.type, 'text');
    });
  }

  it('do not wait after any other error', async () => {
    const { begun, service } = await refuseThenSend(503, 0, 4);
    assert.equal(begun?.type, 'text');
    assert.equal(service.requests.length, 2);
  });

  it('keep waiting if one of them is refused again', async () => {
    const { clock, service, first, second } = await refuseThenSend(429, 0, 4);
    service.faults.push({ kind: 'status', status: 429, retryAfter: 7 });
    const attempts = [first.next(), second.next()];
    await clock.advance(4000);
    for (const attempt of attempts) assert.equal((await attempt).value?.type, 'attempt');
    for (const attempt of [first, second]) {
      const { value } = await attempt.next();
      assert.equal(value?.type === 'retry' && value.delay, 7000);
    }
    assert.equal(service.requests.length, 2);
  });
});

describe('Client', () => {
  it('names the host even in the fault of a partial reply', async () => {
    const setup = rig();
    setup.service.faults.push({ kind: 'cut', after: 4 });
    const last = (await play(setup)).at(-1);
    assert.equal(last?.type === 'end' && last.completion.fault?.host, 'api.test');
  });

  it("remembers if an origin's finish reasons don't mark the end", async () => {
    const clock = new ManualClock();
    let body: ReadableStreamDefaultController<Uint8Array> | undefined;
    const fetch = () =>
      Promise.resolve(
        new Response(new ReadableStream({ start: (controller) => void (body = controller) })),
      );
    const setup = { clock, client: testClient(fetch, { clock }) };
    const say = (...events: readonly string[]): void =>
      body?.enqueue(new TextEncoder().encode(events.join('')));
    const finishing = (content: string): string =>
      event({ choices: [{ delta: { content }, finish_reason: 'stop' }] });
    const first = play(setup);
    await clock.advance(0);
    say(finishing('a'), finishing('b'), done);
    assert.equal(textOf(await first), 'ab');
    const second = play(setup);
    await clock.advance(0);
    say(finishing('a'));
    await clock.advance(20_000);
    say(finishing('b'));
    await clock.advance(20_000);
    say(done);
    assert.equal(textOf(await second), 'ab');
  });

  it('ends the request when its reader leaves early', async () => {
    const setup = rig();
    setup.service.faults.push({ kind: 'stall', after: 5 });
    for await (const event of setup.client.stream(request)) if (event.type === 'text') break;
    assert.equal(setup.service.requests[0]?.aborted, true);
  });

  it('terminates for any invalid model list', async () => {
    const bodies = [
      '<title'.repeat(1_000_000),
      '['.repeat(1_000_000),
      '{"data":{"a":'.repeat(100_000),
      `{"data":[${'{},'.repeat(200_000)}`,
    ];
    for (const body of bodies) {
      const error = await errorOf(clientWithResponse(new Response(body)).client.listModels());
      assert.equal(error.kind, 'unexpected-reply');
      assert.ok((error.detail?.length ?? 0) <= 301);
    }
  });

  it('reads no model list that is too large', async () => {
    const entry = `{"id":"${'x'.repeat(1000)}"},`;
    const large = `{"data":[${entry.repeat(Math.ceil(maxListBytes / entry.length))}{"id":"last"}]}`;
    const error = await errorOf(clientWithResponse(new Response(large)).client.listModels());
    assert.equal(error.kind, 'list-too-large');
    const fits = `{"data":[${entry.repeat(7000)}{"id":"last"}]}`;
    const models = await clientWithResponse(new Response(fits)).client.listModels();
    assert.equal(models.length, 5000);
  });

  it('sends no invalid options, and nothing without a key', async () => {
    const wrong: Partial<CompletionRequest>[] = [
      { temperature: 2.1 },
      { temperature: -0.1 },
      { top_p: 1.1 },
      { max_tokens: 0 },
      { max_tokens: 1.5 },
      { stop: [] },
      { messages: [] },
      { model: '' },
    ];
    const setup = rig();
    for (const change of wrong) {
      const error = await errorOf(play(setup, undefined, change));
      assert.equal(error.kind, 'invalid-request');
      assert.ok(error.detail?.startsWith(Object.keys(change)[0] ?? ''));
    }
    assert.equal(setup.service.requests.length, 0);
    assert.equal((await errorOf(play(rig({}, '')))).kind, 'missing-key');
  });
});

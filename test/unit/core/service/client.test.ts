import assert from 'node:assert/strict';
import {
  createClient,
  type Client,
  type CompletionEvent,
} from '../../../../src/core/service/client.ts';
import { CoolDowns } from '../../../../src/core/service/coolDowns.ts';
import { ServiceError } from '../../../../src/core/reply/errors.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { localFetch } from '../../../../src/local/demoService.ts';
import {
  createService,
  demoKey,
  type LocalService,
  type ServiceOptions,
} from '../../../../src/local/service.ts';
import { sleep } from '../../../../src/core/support/async.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { delta, done, event } from '../../../support/rawReply.ts';

const request: CompletionRequest = {
  model: 'mistral/mistral-small',
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
};

interface Rig {
  readonly clock: ManualClock;
  readonly service: LocalService;
  readonly client: Client;
}

function rig(options: ServiceOptions = {}, apiKey: string | undefined = demoKey): Rig {
  const clock = new ManualClock();
  const service = createService({ clock, pace: 0, ...options });
  const fetch = localFetch(service);
  const baseUrl = 'https://api.test/v1';
  const client = createClient({ baseUrl, apiKey, fetch, clock, silenceLimit: 30_000 });
  return { clock, service, client };
}

/** A client whose service always responds the same. */
function clientWithResponse(answer: Response): Pick<Rig, 'client' | 'clock'> {
  const clock = new ManualClock();
  const fetch = (): Promise<Response> => Promise.resolve(answer);
  const baseUrl = 'https://api.test/v1';
  const client = createClient({ baseUrl, apiKey: 'sk-x', fetch, clock, silenceLimit: 30_000 });
  return { client, clock };
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

describe('clients of one service', () => {
  /** Starts a request that is refused, and a second one `between` milliseconds later. */
  async function refuseThenSend(status: number, between: number, retryAfter: number) {
    const { clock, service } = rig();
    const coolDowns = new CoolDowns(clock);
    const fetch = localFetch(service);
    const options = { apiKey: demoKey, fetch, clock, silenceLimit: 30_000, coolDowns };
    const [client, otherClient] = [0, 1].map(() =>
      createClient({ ...options, baseUrl: 'https://api.test/v1' }),
    );
    assert.ok(client !== undefined && otherClient !== undefined);
    service.faults.push({ kind: 'status', status, retryAfter });
    const first = client.stream(request);
    const refused = await first.next();
    assert.equal(refused.value?.type, 'retry');
    await clock.advance(between);
    const abort = new AbortController();
    const second = otherClient.stream(request, abort.signal);
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

  it('stop immediately during the wait for another client', async () => {
    const { abort, second, service } = await refuseThenSend(429, 0, 4);
    const next = second.next();
    abort.abort();
    await assert.rejects(next, { name: 'AbortError' });
    assert.equal(service.requests.length, 1);
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
  it('lists the models of the key', async () => {
    const { client } = rig();
    const models = await client.listModels();
    assert.ok(models.some((model) => model.id === request.model && model.ownedBy === 'mistral'));
  });

  it('returns the same reply streamed and in one piece', async () => {
    const setup = rig();
    const streamed = await play(setup);
    const whole = await play(setup, undefined, { stream: false });
    assert.equal(textOf(streamed), textOf(whole));
    assert.notEqual(textOf(whole), '');
    for (const events of [streamed, whole]) {
      const last = events.at(-1);
      assert.ok(last?.type === 'end');
      assert.equal(last.completion.finishReason, 'stop');
      assert.ok((last.completion.usage?.total_tokens ?? 0) > 0);
    }
  });

  it('sends the key in its header, and only set options', async () => {
    const setup = rig();
    await play(setup);
    const [sent] = setup.service.requests;
    assert.equal(sent?.headers['authorization'], `Bearer ${demoKey}`);
    assert.deepEqual(sent.body, request);
  });

  it('tries four times after 1, 2 and 4 seconds, reporting each wait', async () => {
    for (const status of [429, 500, 502, 503]) {
      const setup = rig();
      setup.service.faults.push({ kind: 'status', status, times: 3 });
      const events = await play(setup);
      const retries = events.filter((event) => event.type === 'retry');
      assert.deepEqual(
        retries.map(({ delay }) => delay),
        [1000, 2000, 4000],
      );
      assert.deepEqual(
        retries.map(({ attempt, attempts }) => [attempt, attempts]),
        [
          [2, 4],
          [3, 4],
          [4, 4],
        ],
      );
      assert.equal(setup.service.requests.length, 4);
      assert.notEqual(textOf(events), '');
    }
  });

  it('names the host even in the fault of a partial reply', async () => {
    const setup = rig();
    setup.service.faults.push({ kind: 'cut', after: 4 });
    const last = (await play(setup)).at(-1);
    assert.equal(last?.type === 'end' && last.completion.fault?.host, 'api.test');
  });

  it('gives up after four attempts, with the last error', async () => {
    const setup = rig();
    setup.service.faults.push({ kind: 'status', status: 503, times: 9 });
    const error = await errorOf(play(setup));
    assert.equal(error.kind, 'server-error');
    assert.equal(error.host, 'api.test');
    assert.equal(setup.service.requests.length, 4);
  });

  it('retries a connection that fails before the first byte', async () => {
    const setup = rig();
    setup.service.faults.push({ kind: 'refused', times: 1 });
    const events = await play(setup);
    assert.equal(events[0]?.type, 'retry');
    assert.notEqual(textOf(events), '');
  });

  it('sends a request once if a retry would not help', async () => {
    const kinds = {
      400: 'bad-request',
      401: 'unauthorized',
      402: 'insufficient-balance',
      403: 'forbidden',
      404: 'not-found',
      418: 'unexpected-status',
    };
    for (const [status, kind] of Object.entries(kinds)) {
      const setup = rig();
      setup.service.faults.push({ kind: 'status', status: Number(status), message: 'No way' });
      const error = await errorOf(play(setup));
      assert.equal(error.kind, kind);
      assert.equal(error.detail, 'No way');
      assert.equal(setup.service.requests.length, 1, status);
    }
  });

  it('waits as long as the service asks, or lets the person retry', async () => {
    const expectedDelays: [string | number, number | undefined][] = [
      [0, 1000],
      [7, 7000],
      [60, 60_000],
      [61, undefined],
      [-1, 1000],
      ['x', 1000],
    ];
    for (const [retryAfter, delay] of expectedDelays) {
      const setup = rig();
      setup.service.faults.push({ kind: 'status', status: 429, retryAfter });
      if (delay === undefined) {
        assert.equal((await errorOf(play(setup))).retryAfter, 61_000);
        continue;
      }
      const [first] = await play(setup);
      assert.equal(first?.type === 'retry' ? first.delay : undefined, delay, String(retryAfter));
    }
  });

  it('never retries after a part of the reply was received', async () => {
    for (const kind of ['cut', 'socket'] as const) {
      const setup = rig();
      setup.service.faults.push({ kind, after: 10 });
      const events = await play(setup);
      assert.equal(textOf(events).length, 10);
      assert.equal(setup.service.requests.length, 1);
      const end = events.at(-1);
      assert.ok(end?.type === 'end' && end.completion.fault !== undefined);
    }
  });

  it('gives up on silence before the first byte and in the middle, without a retry', async () => {
    for (const fault of [{ kind: 'silence' }, { kind: 'stall', after: 5 }] as const) {
      const setup = rig();
      setup.service.faults.push(fault);
      const playing = play(setup).then(faultOf, (error: unknown) => error);
      assert.equal(await setup.clock.nextWait(), 30_000);
      await setup.clock.advance(30_000);
      const error = await playing;
      assert.ok(error instanceof ServiceError);
      assert.equal(error.kind, 'timeout');
      assert.equal(setup.service.requests.length, 1);
    }
  });

  it('waits only a few seconds for optional data', async () => {
    const end = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n';
    const cases: [number, string][] = [
      [200, end],
      [402, '{"error":{"message":"Empty'],
    ];
    for (const [status, text] of cases) {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
      });
      const setup = clientWithResponse(new Response(body, { status }));
      const playing = play(setup).then(
        (events) => events.at(-1),
        (error: unknown) => error,
      );
      await setup.clock.advance(5000);
      const last = await playing;
      if (last instanceof ServiceError) assert.equal(last.kind, 'insufficient-balance');
      else assert.deepEqual(faultOf([last].filter(isEvent)), undefined);
      assert.equal(last instanceof ServiceError, status === 402);
    }
  });

  /** A client whose response bodies the test writes. */
  function clientWithOpenBody(): Pick<Rig, 'client' | 'clock'> & {
    readonly bodies: ReadableStreamDefaultController<Uint8Array>[];
    readonly say: (...events: readonly string[]) => void;
  } {
    const clock = new ManualClock();
    const bodies: ReadableStreamDefaultController<Uint8Array>[] = [];
    const fetch = (): Promise<Response> =>
      Promise.resolve(
        new Response(
          new ReadableStream<Uint8Array>({ start: (controller) => void bodies.push(controller) }),
        ),
      );
    const baseUrl = 'https://api.test/v1';
    const client = createClient({ baseUrl, apiKey: 'sk-x', fetch, clock, silenceLimit: 30_000 });
    const say = (...events: readonly string[]): void => {
      bodies.at(-1)?.enqueue(new TextEncoder().encode(events.join('')));
    };
    return { client, clock, bodies, say };
  }

  const finishing = (content: string): string =>
    event({ choices: [{ delta: { content }, finish_reason: 'stop' }] });

  it("remembers if an origin's finish reasons don't mark the end", async () => {
    const setup = clientWithOpenBody();
    const first = play(setup);
    await setup.clock.advance(0);
    setup.say(finishing('a'), finishing('b'), done);
    assert.equal(textOf(await first), 'ab');
    const second = play(setup);
    await setup.clock.advance(0);
    setup.say(finishing('a'));
    await setup.clock.advance(20_000);
    setup.say(finishing('b'));
    await setup.clock.advance(20_000);
    setup.say(done);
    assert.equal(textOf(await second), 'ab');
  });

  it('waits at most five seconds after the first finish reason of an origin', async () => {
    const setup = clientWithOpenBody();
    const reply = play(setup);
    await setup.clock.advance(0);
    setup.say(finishing('a'));
    await setup.clock.advance(4999);
    setup.say(event({ choices: [], usage: { total_tokens: 3 } }));
    await setup.clock.advance(4999);
    assert.deepEqual(setup.clock.waits, [1]);
    await setup.clock.advance(1);
    const events = await reply;
    assert.deepEqual([textOf(events), faultOf(events)], ['a', undefined]);
  });

  it("does not count the reader's processing time", async () => {
    const setup = clientWithOpenBody();
    const texts: string[] = [];
    const reading = (async () => {
      for await (const event of setup.client.stream(request)) {
        if (event.type === 'text') texts.push(event.text);
        if (event.type === 'end') return event.completion.fault;
        await sleep(setup.clock, 90_000);
      }
      return undefined;
    })();
    await setup.clock.advance(0);
    setup.say(delta('a'));
    await setup.clock.advance(0);
    setup.say(delta('b'), finishing('c'));
    await setup.clock.advance(90_000);
    setup.say(delta(''), done);
    await setup.clock.advance(90_000);
    assert.equal(await reading, undefined);
    assert.equal(texts.join(''), 'abc');
  });

  it('ends immediately when it is stopped while it waits, streams, or pauses before an attempt', async () => {
    for (const fault of [
      { kind: 'silence' },
      { kind: 'stall', after: 5 },
      { kind: 'status', status: 503 },
    ] as const) {
      const setup = rig();
      setup.service.faults.push(fault);
      const stop = new AbortController();
      const stopped = play({ ...setup, clock: new ManualClock() }, stop.signal).catch(
        (error: unknown) => error,
      );
      await setup.clock.nextWait();
      stop.abort(new Error('stopped'));
      assert.ok((await stopped) instanceof Error);
      assert.deepEqual(setup.clock.waits, []);
    }
  });

  it('ends the request when its reader leaves early', async () => {
    const setup = rig();
    setup.service.faults.push({ kind: 'stall', after: 5 });
    for await (const event of setup.client.stream(request)) if (event.type === 'text') break;
    assert.equal(setup.service.requests[0]?.aborted, true);
  });

  it('reads on if every chunk claims to be the last', async () => {
    const setup = rig({ pace: 400 });
    const plain = textOf(await play(rig()));
    setup.service.faults.push({ kind: 'early-finish' });
    const reply = play(setup);
    for (let token = 0; token < 400; token += 1) await setup.clock.advance(400);
    assert.equal(textOf(await reply), plain);
  });

  it("recognizes a used-up quota and a proxy's page despite their statuses", async () => {
    const code = 'insufficient_quota';
    const faults = [
      [{ kind: 'status', status: 429, code }, 'insufficient-balance'],
      [{ kind: 'page' }, 'wrong-address'],
    ] as const;
    for (const [fault, kind] of faults) {
      const setup = rig();
      setup.service.faults.push(fault);
      assert.equal((await errorOf(play(setup))).kind, kind);
      assert.equal(setup.service.requests.length, 1);
    }
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

  it('never follows a redirect', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const setup = rig();
      setup.service.faults.push({ kind: 'redirect', status, location: 'https://evil.test/v1/x' });
      const error = await errorOf(play(setup));
      assert.equal(error.kind, 'redirected');
      assert.equal(error.detail, 'evil.test');
      assert.equal(setup.service.requests.length, 1);
    }
  });

  it('never treats a page, an empty body or an error object as a reply', async () => {
    for (const [fault, kind] of [
      ['html', 'unexpected-reply'],
      ['blank', 'empty-reply'],
    ] as const) {
      const setup = rig();
      setup.service.faults.push({ kind: fault });
      assert.equal((await errorOf(play(setup))).kind, kind);
    }
    const bodies = {
      '{"error":{"message":"Down"}}': 'Down',
      '{"detail":"Down"}': 'Down',
      Down: 'Down',
    };
    for (const [body, detail] of Object.entries(bodies)) {
      assert.equal((await errorOf(play(clientWithResponse(new Response(body))))).detail, detail);
    }
  });

  it('reads a completion instead of a stream, and a stream with another content type', async () => {
    const whole = JSON.stringify({
      choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    });
    const stream =
      'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    for (const body of [whole, stream]) {
      const headers = { 'content-type': 'text/plain' };
      assert.equal(textOf(await play(clientWithResponse(new Response(body, { headers })))), 'Hi');
    }
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

function isEvent(value: unknown): value is CompletionEvent {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function faultOf(events: readonly CompletionEvent[]): ServiceError | undefined {
  const end = events.at(-1);
  return end?.type === 'end' ? end.completion.fault : undefined;
}

import assert from 'node:assert/strict';
import type { TurnEnd } from '../../../../src/core/conversation/events.ts';
import { type Client } from '../../../../src/core/service/client.ts';
import { isComplete, type Completion } from '../../../../src/core/service/completion.ts';
import {
  outcomes,
  replyEnds,
  type Ended,
  type ReplyOutcome,
  type Said,
} from '../../../../src/core/service/replyEnd.ts';
import { requestOnce } from '../../../../src/core/turn/replyEvents.ts';
import { errorText } from '../../../../src/host/platform/errorText.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { testClient } from '../../../support/testClient.ts';
import { done, event } from '../../../support/rawReply.ts';

const silenceLimit = 30_000;

const call = { index: 0, id: 'c', function: { name: 'f', arguments: '{"x":1}' } };
const part = event({ choices: [{ delta: { content: 'Hi', tool_calls: [call] } }] });
const finishing = event({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] });
const early = event({ choices: [{ delta: { content: 'So' }, finish_reason: 'stop' }] });
const error = event({ error: { message: 'Full' } });
const cutCall = { index: 0, id: 'c', function: { name: 'f', arguments: '{"path":"/tm' } };

/** Bodies for each row of the table. */
const bodies: Readonly<Record<Said, readonly string[]>> = {
  'no status': [''],
  nothing: ['', '\n\n', ': still here\n\n'],
  'no reply': ['<!doctype html><title>Sign in</title>', 'Sign in first'],
  'an error': [error, part + error, '{"error":{"message":"Full"}}', part + finishing + error],
  'part of a reply': [
    part,
    part + early + part,
    part + 'data: {"choices":[{"delta":',
    '{"choices":[{"message":{"content":"Hi',
  ],
  'a finish reason': [part + finishing],
  'a doubtful finish reason': [
    early + part + finishing,
    event({ choices: [{ delta: { tool_calls: [cutCall] }, finish_reason: 'stop' }] }),
  ],
  'the end': [part + finishing + done, part + done, early + part + done],
};

function failure(code: string): TypeError {
  return new TypeError('terminated', { cause: Object.assign(new Error(code), { code }) });
}

/** Ways in which a body ends by itself. The others end by a timeout. */
const endings: Readonly<
  Partial<Record<Ended, (body: ReadableStreamDefaultController<Uint8Array>) => void>>
> = {
  closed: (body) => body.close(),
  'hung up': (body) => body.close(),
  broken: (body) => body.error(failure('UND_ERR_SOCKET')),
  unreadable: (body) => body.error(failure('Z_DATA_ERROR')),
  oversized(body) {
    body.enqueue(new TextEncoder().encode('data: "'));
    for (let size = 0; size < 18; size += 1) body.enqueue(Buffer.alloc(1024 * 1024, 'x'));
    body.close();
  },
};

/** Errors of `fetch` if there is no status. */
const refusals: Readonly<Partial<Record<Ended, TypeError>>> = {
  closed: failure('UND_ERR_SOCKET'),
  'hung up': failure('UND_ERR_SOCKET'),
  broken: failure('ECONNRESET'),
  unreadable: failure('HPE_INVALID_HEADER_TOKEN'),
  oversized: failure('UND_ERR_HEADERS_OVERFLOW'),
};

/** Combinations that can't happen: a quiet end needs a finish reason, and blank bodies may have any size. */
const impossible: Readonly<Partial<Record<Said, readonly Ended[]>>> = {
  'no status': ['quiet'],
  nothing: ['quiet', 'oversized'],
  'no reply': ['quiet'],
  'part of a reply': ['quiet'],
};

function isPossible(said: Said, ended: Ended, body: string): boolean {
  if (impossible[said]?.includes(ended) === true) return false;
  const isStream = body.startsWith('data:');
  // Other bodies are read as one object or text of up to 16 MiB, without finish reasons.
  if (!isStream && said !== 'no status') return ended !== 'quiet' && ended !== 'oversized';
  return !(said === 'a doubtful finish reason' && ended === 'quiet');
}

interface Outcome {
  readonly end: TurnEnd;
  readonly requests: number;
  readonly completion: Completion | undefined;
}

async function waitForEnd(clock: ManualClock, ended: Ended): Promise<void> {
  await clock.advance(0);
  if (ended === 'quiet') await clock.advance(5000);
  if (ended === 'silent') await clock.advance(silenceLimit);
  if (ended === 'asleep') {
    await clock.leap(600_000);
    await clock.advance(5000);
  }
  // The waits before three retries.
  for (let attempt = 0; attempt < 3; attempt += 1) await clock.advance(4000);
}

function endBody(
  controller: ReadableStreamDefaultController<Uint8Array>,
  ended: Ended,
): Promise<void> | undefined {
  const end = endings[ended];
  if (end === undefined) return new Promise(() => undefined);
  end(controller);
  return undefined;
}

async function play(said: Said, ended: Ended, text: string): Promise<Outcome> {
  const clock = new ManualClock();
  let requests = 0;
  const fetch = (): Promise<Response> => {
    requests += 1;
    if (said === 'no status') {
      const refusal = refusals[ended];
      return refusal === undefined ? new Promise(() => undefined) : Promise.reject(refusal);
    }
    let isTextSent = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (isTextSent || text === '') return endBody(controller, ended);
        isTextSent = true;
        controller.enqueue(new TextEncoder().encode(text));
        return undefined;
      },
    });
    const headers = ended === 'closed' ? { 'Transfer-Encoding': 'chunked' } : {};
    return Promise.resolve(new Response(body, { headers }));
  };
  const inner = testClient(fetch, { clock, silenceLimit });
  let completion: Completion | undefined;
  const client: Client = {
    address: inner.address,
    async *stream(request, signal) {
      for await (const event of inner.stream(request, signal)) {
        if (event.type === 'end') ({ completion } = event);
        yield event;
      }
    },
  };
  const events = requestOnce(
    { model: 'm', messages: [{ role: 'user', content: 'Hello' }], stream: true },
    {
      client,
      clock,
      signal: new AbortController().signal,
      describe: errorTextOf,
    },
  );
  const reading = (async () => {
    let last: TurnEnd | undefined;
    for await (const event of events) if (event.type === 'turn-end') last = event;
    return last;
  })();
  await waitForEnd(clock, ended);
  const end = await reading;
  assert.ok(end !== undefined);
  return { end, requests, completion };
}

function errorTextOf(fault: unknown): ReturnType<typeof errorText> {
  return errorText(fault, { redact: (text) => text, now: 0, language: 'en', model: 'm' });
}

const rows = Object.keys(bodies).filter((said): said is Said => Object.hasOwn(replyEnds, said));
const columns = Object.keys(replyEnds.nothing).filter((ended): ended is Ended =>
  Object.hasOwn(replyEnds.nothing, ended),
);

describe('the end of a reply', () => {
  for (const said of rows) {
    for (const ended of columns) {
      const outcome = replyEnds[said][ended];
      for (const [position, text] of bodies[said].entries()) {
        if (!isPossible(said, ended, text)) continue;
        it(`is ${outcome} after ${said} (${position + 1}), ${ended}`, async () => {
          check(await play(said, ended, text), outcome);
        });
      }
    }
  }
});

function check({ end, requests, completion }: Outcome, outcome: ReplyOutcome): void {
  const { status, retried, runsCalls } = outcomes[outcome];
  if (status === 'finished') assert.equal(end.status, 'finished');
  else assert.ok(end.status === 'failed' || end.status === 'cut', end.status);
  const expectedKind = end.status === 'failed' && outcome === 'cut' ? 'no-reply' : outcome;
  assert.equal(end.error?.kind, outcome === 'whole' ? undefined : expectedKind);
  assert.equal(requests, retried ? 4 : 1);
  if (completion !== undefined) assert.equal(isComplete(completion), runsCalls);
  else assert.equal(runsCalls, false);
}

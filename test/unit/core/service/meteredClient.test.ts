import assert from 'node:assert/strict';
import fc from 'fast-check';
import { addUsage, zeroUsage, type Usage } from '../../../../src/core/conversation/usage.ts';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import { ServiceError } from '../../../../src/core/reply/errors.ts';
import {
  meteredClient,
  type Admission,
  type RequestOutcome,
} from '../../../../src/core/service/meteredClient.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { plainMeter } from '../../../support/countedClient.ts';
import { admissionOf } from '../../../support/recordingClient.ts';

const request: CompletionRequest = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
const hi: CompletionEvent = { type: 'text', text: 'Hi' };

/** A client that streams the events, and throws errors among them. */
function fakeClient(
  events: readonly (CompletionEvent | Error)[],
  sent: CompletionRequest[] = [],
): Client {
  return {
    address: { baseUrl: 'https://a/v1', host: 'a', origin: 'https://a' },
    async *stream(body) {
      sent.push(body);
      for (const event of events) {
        await Promise.resolve();
        if (event instanceof Error) throw event;
        yield event;
      }
    },
    listModels: () => Promise.resolve([]),
  };
}

function metered(client: Client, more: Partial<Admission> = {}): Client {
  const admit = (body: CompletionRequest): Promise<Admission> =>
    Promise.resolve(admissionOf(body, more));
  return meteredClient(client, { meter: plainMeter(), admit });
}

async function countTexts(client: Client): Promise<number> {
  let count = 0;
  for await (const event of client.stream(request)) if (event.type === 'text') count++;
  return count;
}

describe('a metered client', () => {
  it('sends the admitted request, and reports its end once', async () => {
    const sent: CompletionRequest[] = [];
    const ends: RequestOutcome[] = [];
    const client = metered(fakeClient([hi, hi], sent), {
      request: { ...request, max_tokens: 5 },
      end: (_, outcome) => ends.push(outcome),
    });
    assert.equal(await countTexts(client), 2);
    assert.deepEqual(sent, [{ ...request, max_tokens: 5 }]);
    assert.deepEqual(ends, ['stopped']);
  });

  it('passes on a reply while its usage is written, and waits when that is due again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(20), fc.nat(20), async (first, more) => {
        const pieces = first + more + 2;
        let writeLine = (): void => undefined;
        const line = new Promise<void>((resolve) => (writeLine = resolve));
        let seen = 0;
        const due = new Set([first, first + 1 + more]);
        let noted = 0;
        const client = metered(fakeClient(Array.from({ length: pieces }, () => hi)), {
          note: () => (due.has(noted++) ? line : undefined),
        });
        const reading = (async () => {
          for await (const event of client.stream(request)) if (event.type === 'text') seen++;
        })();
        await new Promise((resolve) => setImmediate(resolve));
        assert.equal(seen, pieces - 1, 'The last piece comes with the second line.');
        writeLine();
        await reading;
        assert.equal(seen, pieces);
      }),
    );
  });

  it('sends nothing if the request is not admitted', async () => {
    const sent: CompletionRequest[] = [];
    const client = meteredClient(fakeClient([hi], sent), {
      meter: plainMeter(),
      admit: () => Promise.reject(new Error('no')),
    });
    await assert.rejects(countTexts(client), /no/);
    assert.deepEqual(sent, []);
  });

  it('cuts off the reply after the text that exceeds the limit', async () => {
    const ends: RequestOutcome[] = [];
    let seen = 0;
    const client = metered(fakeClient([hi, hi]), {
      maxTokens: 0,
      end: (_, outcome) => ends.push(outcome),
    });
    await assert.rejects(async () => {
      for await (const event of client.stream(request)) if (event.type === 'text') seen++;
    }, /over/);
    assert.equal(seen, 1);
    assert.deepEqual(ends, ['cut']);
  });

  it('requests admission again after an attempt that may be billed, and adds up usage', async () => {
    const sent: unknown[] = [];
    const ends: RequestOutcome[] = [];
    const error = new ServiceError('timeout', 'No answer');
    const client: Client = {
      ...fakeClient([]),
      async *stream(body, _signal, first = 1) {
        await Promise.resolve();
        for (let attempt = first; attempt < 4; attempt++) {
          sent.push([body.max_tokens, attempt]);
          yield { type: 'retry', attempt: attempt + 1, attempts: 4, delay: 0, error };
          yield { type: 'attempt', attempt: attempt + 1 };
        }
        sent.push([body.max_tokens, 4]);
        yield hi;
      },
    };
    let admitted = 0;
    const counting = meteredClient(client, {
      meter: plainMeter(),
      admit(body) {
        admitted += 1;
        if (admitted > 3) return Promise.reject(new Error('over'));
        const end = (_: Usage, outcome: RequestOutcome): number => ends.push(outcome);
        return Promise.resolve(admissionOf({ ...body, max_tokens: admitted }, { end }));
      },
    });
    await assert.rejects(countTexts(counting), /over/);
    assert.deepEqual(sent, [
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    assert.deepEqual(ends, ['failed', 'failed', 'failed']);
  });
});

describe('the usage of a request', () => {
  const billed = new ServiceError('timeout', 'No reply');
  const refused = new ServiceError('rate-limited', '429', { status: 429 });
  const retry = (error: ServiceError): readonly CompletionEvent[] => [
    { type: 'retry', attempt: 2, attempts: 4, delay: 0, error },
    { type: 'attempt', attempt: 2 },
  ];
  const reported = { ...zeroUsage, prompt_tokens: 9, total_tokens: 9, requests: 1 };
  const end = (usage: Usage | undefined): CompletionEvent => ({
    type: 'end',
    completion: {
      toolCalls: [],
      finishReason: 'stop',
      fault: undefined,
      doneSeen: true,
      malformedEvents: 0,
      usage,
    },
  });
  const part = fc.constantFrom<readonly (CompletionEvent | Error)[]>(
    [hi],
    [end(reported)],
    [end(undefined)],
    [refused],
    [billed],
    [new Error('cut')],
    [],
  );

  it('is the same in events and admissions, however the request ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(billed, refused), { maxLength: 3 }),
        fc.array(part, { maxLength: 3 }),
        fc.boolean(),
        async (retries, parts, isStopped) => {
          const abort = new AbortController();
          let admitted = 0;
          let ended = 0;
          let counted = zeroUsage;
          const remaining = [...retries];
          const client: Client = {
            ...fakeClient([]),
            async *stream() {
              await Promise.resolve();
              while (remaining.length > 0) yield* retry(remaining.shift() ?? billed);
              for (const event of parts.flat()) {
                if (event instanceof Error) throw event;
                yield event;
                if (event.type === 'end') return;
              }
              if (isStopped) abort.abort();
              throw new Error('The stream ends');
            },
          };
          const counting = meteredClient(client, {
            meter: plainMeter(),
            admit(body) {
              admitted += 1;
              const end = (usage: Usage): void => {
                ended += 1;
                counted = addUsage(counted, usage);
              };
              return Promise.resolve(admissionOf(body, { end }));
            },
          });
          const reports: Usage[] = [];
          try {
            for await (const event of counting.stream(request, abort.signal))
              if (event.type === 'usage') reports.push(event.usage);
          } catch (error) {
            assert.ok(error instanceof Error);
          }
          assert.equal(ended, admitted);
          assert.deepEqual(reports, [counted]);
        },
      ),
      { numRuns: 200 },
    );
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { addUsage, zeroUsage, type Usage } from '../../../../src/core/conversation/usage.ts';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import {
  type Client,
  type ClientOptions,
  type CompletionEvent,
} from '../../../../src/core/service/client.ts';
import type { Admission, RequestOutcome } from '../../../../src/core/service/requestUsage.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { fetchOf } from '../../../support/fetchOf.ts';
import { clockWithoutRetryWaits } from '../../../support/manualClock.ts';
import { admissionOf } from '../../../support/metering.ts';
import { testClient } from '../../../support/testClient.ts';
import { until } from '../../../support/until.ts';

const request: CompletionRequest = {
  model: 'm',
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
};
const hi: CompletionEvent = { type: 'text', text: 'Hi' };

const ended = {
  toolCalls: [],
  finishReason: 'stop',
  fault: undefined,
  doneSeen: true,
  malformedEvents: 0,
  usage: undefined,
};
const done: CompletionEvent = { type: 'end', completion: ended };
/** An attempt that may be billed, as nobody knows whether the service got it. */
const broken = Object.assign(new Error('The connection broke'), { code: 'ECONNRESET' });

/** A client of a service that streams the events, and throws errors among them. */
function clientOf(
  events: readonly (CompletionEvent | Error)[],
  admit: ClientOptions['admit'],
  sent: CompletionRequest[] = [],
): Client {
  return clientWith(admit, async function* (body) {
    sent.push(body);
    for (const event of events) {
      await Promise.resolve();
      if (event instanceof Error) throw event;
      yield event;
    }
  });
}

function clientWith(admit: ClientOptions['admit'], stream: Client['stream']): Client {
  return testClient(fetchOf({ stream }), {
    clock: clockWithoutRetryWaits,
    ...(admit && { admit }),
  });
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
    const limited = { ...request, max_tokens: 5 };
    const end = (_: Usage, outcome: RequestOutcome): number => ends.push(outcome);
    const client = clientOf([hi, hi, done], () => admissionOf(limited, { end }), sent);
    assert.equal(await countTexts(client), 2);
    assert.deepEqual(sent, [limited]);
    assert.deepEqual(ends, ['finished']);
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
        const note = (): Promise<void> | undefined => (due.has(noted++) ? line : undefined);
        const texts = Array.from({ length: pieces }, () => hi);
        const client = clientOf([...texts, done], (body) => admissionOf(body, { note }));
        const reading = (async () => {
          for await (const event of client.stream(request)) if (event.type === 'text') seen++;
        })();
        await until(() => seen >= pieces - 1);
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
        assert.equal(seen, pieces - 1, 'The last piece comes with the second line.');
        writeLine();
        await reading;
        assert.equal(seen, pieces);
      }),
    );
  });

  it('sends nothing if the request is not admitted', async () => {
    const sent: CompletionRequest[] = [];
    const client = clientOf([hi], () => Promise.reject(new Error('no')), sent);
    await assert.rejects(countTexts(client), /no/);
    assert.deepEqual(sent, []);
  });

  it('cuts off the reply after the text that exceeds the limit', async () => {
    const ends: RequestOutcome[] = [];
    let seen = 0;
    const limits: Partial<Admission> = {
      maxTokens: 0,
      exceeded: () => new Error('over'),
      end: (_, outcome) => ends.push(outcome),
    };
    const client = clientOf([hi, hi], (body) => admissionOf(body, limits));
    await assert.rejects(async () => {
      for await (const event of client.stream(request)) if (event.type === 'text') seen++;
    }, /over/);
    assert.equal(seen, 1);
    assert.deepEqual(ends, ['cut']);
  });

  it('requests admission again after an attempt that may be billed, and adds up usage', async () => {
    const sent: unknown[] = [];
    const ends: RequestOutcome[] = [];
    let admitted = 0;
    const admit = (body: CompletionRequest): Promise<Admission> => {
      admitted += 1;
      if (admitted > 3) return Promise.reject(new Error('over'));
      const end = (_: Usage, outcome: RequestOutcome): number => ends.push(outcome);
      return admissionOf({ ...body, max_tokens: admitted }, { end });
    };
    const client = clientWith(admit, async function* (body) {
      await Promise.resolve();
      sent.push(body.max_tokens);
      if (sent.length > 0) throw broken;
      yield hi;
    });
    const attempts: number[] = [];
    await assert.rejects(async () => {
      for await (const event of client.stream(request))
        if (event.type === 'attempt') attempts.push(event.attempt);
    }, /over/);
    assert.deepEqual(
      [sent, attempts],
      [
        [1, 2, 3],
        [2, 3, 4],
      ],
    );
    assert.deepEqual(ends, ['failed', 'failed', 'failed']);
  });
});

describe('the usage of a request', () => {
  const refused = new ServiceError('rate-limited', '429', { status: 429 });
  const end = (usage: Usage | undefined): CompletionEvent => ({
    type: 'end',
    completion: { ...ended, usage },
  });
  const reported = { ...zeroUsage, prompt_tokens: 9, total_tokens: 9, requests: 1 };
  const part = fc.constantFrom<readonly (CompletionEvent | Error)[]>(
    [hi],
    [end(reported)],
    [end(undefined)],
    [new Error('cut')],
    [],
  );

  it('is the same in events and admissions, however the request ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(broken, refused), { maxLength: 4 }),
        fc.array(part, { maxLength: 3 }),
        fc.boolean(),
        async (failures, parts, isStopped) => {
          const abort = new AbortController();
          let admitted = 0;
          let ended = 0;
          let counted = zeroUsage;
          const remaining = [...failures];
          const admit = (body: CompletionRequest): Promise<Admission> => {
            admitted += 1;
            const end = (usage: Usage): void => {
              ended += 1;
              counted = addUsage(counted, usage);
            };
            return admissionOf(body, { end });
          };
          const client = clientWith(admit, async function* () {
            await Promise.resolve();
            const failure = remaining.shift();
            if (failure !== undefined) throw failure;
            for (const event of parts.flat()) {
              if (event instanceof Error) throw event;
              yield event;
            }
            if (isStopped) abort.abort();
          });
          const reports: Usage[] = [];
          try {
            for await (const event of client.stream(request, abort.signal))
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

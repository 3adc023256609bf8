import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readModelFacts } from '../../../src/core/service/modelFacts.ts';
import { createDemo } from '../../../src/local/demo.ts';
import { localFetch, createService, demoKey } from '../../../src/local/service.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { runs } from '../../support/sample.ts';
import { completionsUrl, user } from './serviceRequests.ts';

const init = {
  method: 'POST',
  headers: { authorization: `Bearer ${demoKey}`, 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'mistral/mistral-small',
    messages: [user('hello')],
    stream: true,
  }),
} as const;

/** Runs the garbage collector, and then its finalizers. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  for (let turn = 0; turn < runs(10, 5); turn += 1) {
    Reflect.apply(collect, undefined, []);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('localFetch', () => {
  it('rejects with the reason of an aborted signal, and sends nothing', async () => {
    const service = createService({ pace: 0 });
    const reason = new Error('never mind');
    const aborted = localFetch(service)(completionsUrl, {
      ...init,
      signal: AbortSignal.abort(reason),
    });
    await assert.rejects(aborted, reason);
    assert.equal(service.requests.length, 0);
  });

  it('rejects with the reason of a signal that is aborted while waiting', async () => {
    const service = createService({ pace: 0 });
    service.faults.push({ kind: 'silence' });
    const leaving = new AbortController();
    const reason = new Error('too long');
    service.onRequest(() => leaving.abort(reason));
    await assert.rejects(
      localFetch(service)(completionsUrl, { ...init, signal: leaving.signal }),
      reason,
    );
    await service.requests[0]?.finished;
    assert.equal(service.requests[0]?.aborted, true);
  });

  it('reacts to the signal after garbage collection', async () => {
    const service = createService({ pace: 0 });
    service.faults.push({ kind: 'silence' });
    const leaving = new AbortController();
    const arrived = new Promise((resolve) => service.onRequest(resolve));
    const silent = localFetch(service)(completionsUrl, { ...init, signal: leaving.signal });
    await arrived;
    await collectGarbage();
    const reason = new Error('too long');
    leaving.abort(reason);
    await assert.rejects(silent, reason);
  });

  it('fails the body with the reason of a signal that is aborted later, and stops billing', async () => {
    const clock = new ManualClock();
    const service = createService({ clock, pace: 50 });
    const leaving = new AbortController();
    const response = await localFetch(service)(completionsUrl, { ...init, signal: leaving.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    const pending = reader?.read();
    await clock.nextWait();
    const reason = new Error('stopped');
    leaving.abort(reason);
    await assert.rejects(async () => pending, reason);
    await service.requests[0]?.finished;
    assert.deepEqual(clock.waits, [], 'No timer is left.');
    assert.equal(service.account.tokens, 5, 'Only the prompt is paid for.');
  });

  it('lists the prices and limits of its models, so that the cost of a message is shown', async () => {
    const { fetch, baseUrl, apiKey } = createDemo();
    const headers = { authorization: `Bearer ${apiKey}` };
    const answer: unknown = await (await fetch(`${baseUrl}/models`, { headers })).json();
    const { data } = z.object({ data: z.array(z.unknown()) }).parse(answer);
    assert.ok(data.length > 1);
    for (const facts of data.map(readModelFacts)) {
      assert.ok(facts.price !== undefined && facts.price.input > 0);
      assert.ok(facts.contextWindow !== undefined && facts.tools !== undefined);
    }
  });
});

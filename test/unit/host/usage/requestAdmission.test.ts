import assert from 'node:assert/strict';
import type { Admission } from '../../../../src/core/service/budget.ts';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import { RequestAdmission } from '../../../../src/host/usage/requestAdmission.ts';
import type { RequestPurpose } from '../../../../src/host/usage/usageRecord.ts';
import { isObject, parseJson } from '../../../../src/core/support/json.ts';
import { TokenRatios } from '../../../../src/host/usage/tokenRatios.ts';
import { FakeMemento } from '../fakes.ts';
import { admissionOn, contextOf, ledgerOf, MemoryLog, usageOf } from './usageRig.ts';

const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }] };
const sender = {
  purpose: 'chat',
  chat: undefined,
  service: 'https://a',
  model: 'm',
  demo: false,
} as const;

/** Every purpose, so that a new one is a case here before it compiles. */
const purposes: Readonly<Record<Exclude<RequestPurpose, `provider:${string}`>, true>> = {
  chat: true,
  tools: true,
  compare: true,
  edit: true,
  fix: true,
  commit: true,
  review: true,
  shorten: true,
};

describe('a request of any purpose', () => {
  /** The purpose of each line of a log that says what a request was for. */
  function purposesIn(log: MemoryLog): ReadonlySet<unknown> {
    const lines = log.all.map(parseJson).filter(isObject);
    return new Set(lines.flatMap(({ purpose }) => (purpose === undefined ? [] : [purpose])));
  }

  for (const purpose of [...Object.keys(purposes), 'provider:a.b']) {
    if (!isPurpose(purpose)) throw new Error(purpose);

    it(`counts in the budget, and is refused once that is spent: ${purpose}`, async () => {
      const log = new MemoryLog();
      const { admission } = admissionOn(ledgerOf(log), { day: 4000, unit: 'tokens' });
      const admitted = await admission.admit(request, { ...sender, purpose });
      const limit = admitted.request.max_tokens ?? Infinity;
      assert.ok(limit < 4000, 'its reply has a limit');
      const completion = {
        ...{ toolCalls: [], finishReason: 'length', model: undefined, fault: undefined },
        ...{ doneSeen: true, malformedEvents: 0, usage: usageOf(20, 4000) },
      };
      admitted.observe({ type: 'end', completion });
      admitted.end(undefined, undefined);
      await assert.rejects(
        () => admission.admit(request, { ...sender, purpose }),
        /^UserError: Not sent/,
      );
      assert.deepEqual(purposesIn(log), new Set([purpose]));
    });
  }

  it('is a later round of a chat where results of tools are its end, and counts as that', async () => {
    const call = { id: 'c', type: 'function' as const, function: { name: 'f', arguments: '{}' } };
    const round = {
      model: 'm',
      messages: [
        ...request.messages,
        { role: 'assistant' as const, content: '', tool_calls: [call] },
        { role: 'tool' as const, tool_call_id: 'c', content: 'done' },
      ],
    };
    const log = new MemoryLog();
    const { admission } = admissionOn(ledgerOf(log), { unit: 'tokens' });
    for (const sent of [request, round]) {
      const admitted = await admission.admit(sent, sender);
      admitted.end(undefined, undefined);
      assert.deepEqual(purposesIn(log), new Set(sent === request ? ['chat'] : ['chat', 'tools']));
    }
  });
});

function isPurpose(text: string): text is RequestPurpose {
  return Object.hasOwn(purposes, text) || text.startsWith('provider:');
}

describe('a budget that another window has set', () => {
  it('holds for the next request', async () => {
    let day: number | undefined;
    const admission = new RequestAdmission({
      ledger: ledgerOf(new MemoryLog()),
      meter: new TokenRatios(new FakeMemento()),
      budget: () => ({ day, unit: 'tokens' }),
      refreshBudget: () => Promise.resolve(void (day = 1)),
      context: () => contextOf(() => undefined),
      maxReplyOf: () => undefined,
    });
    await assert.rejects(() => admission.admit(request, sender), /^UserError: Not sent/);
  });

  it('can be waited for no longer than until the request is stopped', async () => {
    const admission = new RequestAdmission({
      ledger: ledgerOf(new MemoryLog()),
      meter: new TokenRatios(new FakeMemento()),
      budget: () => ({ unit: 'tokens' }),
      refreshBudget: () => new Promise(() => undefined),
      context: () => contextOf(() => undefined),
      maxReplyOf: () => undefined,
    });
    const stop = new AbortController();
    const admitting = admission.admit(request, sender, stop.signal);
    stop.abort();
    await assert.rejects(admitting, { name: 'AbortError' });
  });
});

describe('a request whose reply is longer than its model writes', () => {
  const refusal = new ServiceError('bad-request', '400', {
    detail: 'max_tokens cannot exceed 8192',
  });

  async function refused(budget: { day?: number }): Promise<readonly unknown[][]> {
    const noted: unknown[][] = [];
    const admission = new RequestAdmission({
      ledger: ledgerOf(new MemoryLog()),
      meter: new TokenRatios(new FakeMemento()),
      budget: () => ({ ...budget, unit: 'tokens' }),
      refreshBudget: () => Promise.resolve(),
      context: () => contextOf(() => undefined),
      maxReplyOf: () => undefined,
      noteError: (...parameters) => noted.push(parameters),
    });
    const admitted = await admission.admit(request, sender);
    const next = admitted.instead(refusal);
    assert.equal(next?.max_tokens, budget.day === undefined ? undefined : 8192);
    admitted.instead(new Error('another'));
    return noted;
  }

  it('is sent with less, and what the service said is noted for later', async () => {
    assert.deepEqual(await refused({ day: 50_000 }), [['https://a', 'm', refusal]]);
  });

  it('is sent without a limit where the model takes none, which the budgets know then', async () => {
    const ledger = ledgerOf(new MemoryLog());
    const { admission } = admissionOn(ledger, { day: 50_000, unit: 'tokens' });
    const chat = { id: () => 'c', usage: () => new Map(), saved: () => Promise.resolve() };
    const modelsOf = (): unknown => admission.used(chat, 0).map((budget) => budget.unlimitedModels);
    const admitted = await admission.admit(request, sender);
    assert.deepEqual(modelsOf(), [[]]);
    const none = new ServiceError('bad-request', '400', {
      detail: 'Unsupported parameter: max_tokens is not supported with this model.',
    });
    const next = admitted.instead(none);
    assert.ok(next !== undefined && next.max_tokens === undefined);
    const completion = {
      ...{ toolCalls: [], finishReason: 'stop', model: undefined, fault: undefined },
      ...{ doneSeen: true, malformedEvents: 0, usage: usageOf(20, 30) },
    };
    admitted.observe({ type: 'end', completion });
    assert.deepEqual(modelsOf(), [['m']]);
  });

  it('fails where Aside set no limit, as the error is then shown', async () => {
    assert.deepEqual(await refused({}), []);
  });
});

describe('a reply within a budget', () => {
  /** Reads a reply with so many tokens by estimate; false if it is cut off. */
  function isWhole(admitted: Admission, estimated: number): boolean {
    const text = 'word'.repeat(estimated);
    const cut = admitted.observe({ type: 'text', text });
    admitted.end(cut, undefined);
    return cut === undefined;
  }

  /** Ends a request with a reply that had all tokens it might have, or more. */
  function endAtLimit(admitted: Admission, more = 0): void {
    const completion = {
      ...{ toolCalls: [], finishReason: 'length', model: undefined, fault: undefined },
      ...{ doneSeen: true, malformedEvents: 0 },
    };
    const tokens = (admitted.request.max_tokens ?? 0) + more;
    admitted.observe({ type: 'end', completion: { ...completion, usage: usageOf(20, tokens) } });
    admitted.end(undefined, undefined);
  }

  it('is cut off where the budget ends, until its model was seen to keep to max_tokens', async () => {
    const { admission } = admissionOn(ledgerOf(new MemoryLog()), { day: 4000, unit: 'tokens' });
    const limited = await admission.admit({ ...request, max_tokens: 100_000 }, sender);
    assert.equal(isWhole(limited, 4000), false);
    await assert.rejects(admission.admit(request, sender), /over the daily budget/);
  });

  it('is not cut off for an estimate that is a little too high', async () => {
    const { admission } = admissionOn(ledgerOf(new MemoryLog()), { day: 4000, unit: 'tokens' });
    const small = { ...request, max_tokens: 500 };
    const first = await admission.admit(small, sender);
    assert.equal(isWhole(first, 549), true, 'the budget has room');
    endAtLimit(await admission.admit(small, sender));
    const large = { ...request, max_tokens: 100_000 };
    const account = { id: () => '', usage: () => new Map(), saved: () => Promise.resolve() };
    const next = admission.preview(large, account, sender.service);
    const limited = await admission.admit(large, sender);
    assert.deepEqual(limited.request, next, 'Next Request says the same.');
    const most = limited.request.max_tokens ?? 0;
    assert.ok(most < 4000);
    assert.equal(isWhole(limited, Math.floor(most * 1.09)), true, 'the model keeps to it');
  });

  it('is cut off there again after the model wrote more than it should', async () => {
    const { admission } = admissionOn(ledgerOf(new MemoryLog()), { day: 4000, unit: 'tokens' });
    const small = { ...request, max_tokens: 200 };
    endAtLimit(await admission.admit(small, sender));
    endAtLimit(await admission.admit(small, sender), 300);
    const limited = await admission.admit({ ...request, max_tokens: 100_000 }, sender);
    assert.equal(isWhole(limited, 4000), false);
  });
});

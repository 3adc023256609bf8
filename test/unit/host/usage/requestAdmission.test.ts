import assert from 'node:assert/strict';
import { zeroUsage } from '../../../../src/core/conversation/usage.ts';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import type { Admission } from '../../../../src/core/service/requestUsage.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { ServiceError } from '../../../../src/core/reply/errors.ts';
import type { RequestPurpose } from '../../../../src/host/usage/usageRecord.ts';
import { isObject, parseJson } from '../../../../src/core/support/json.ts';
import { accountOf, admissionOn, ledgerOf, MemoryLog, usageOf } from './usageRig.ts';

const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }] };
const sender = {
  purpose: 'chat',
  chat: undefined,
  service: 'https://a',
  model: 'm',
  demo: false,
} as const;

/** A record, so that a new purpose doesn't compile without a case here. */
const purposes: Readonly<Record<Exclude<RequestPurpose, `provider:${string}`>, true>> = {
  chat: true,
  tools: true,
  edit: true,
  fix: true,
  commit: true,
  review: true,
  shorten: true,
};

describe('a request of any purpose', () => {
  /** The purposes in a log. */
  function purposesIn(log: MemoryLog): ReadonlySet<unknown> {
    const lines = log.all.map(parseJson).filter(isObject);
    return new Set(lines.flatMap(({ purpose }) => (purpose === undefined ? [] : [purpose])));
  }

  it('counts toward the budget, and is refused when that is used up', async () => {
    for (const purpose of [...Object.keys(purposes), 'provider:a.b']) {
      if (!isPurpose(purpose)) throw new Error(purpose);
      const log = new MemoryLog();
      const { admit } = admissionOn(ledgerOf(log), { day: 4000, unit: 'tokens' });
      const admitted = await admit(request, { ...sender, purpose });
      assert.ok((admitted.request.max_tokens ?? Infinity) < 4000, 'its reply has a limit');
      admitted.end(usageOf(20, 4000), 'finished');
      await assert.rejects(() => admit(request, { ...sender, purpose }), /^UserError: Not sent/);
      assert.deepEqual(purposesIn(log), new Set([purpose]));
    }
  });

  it('counts as a later round of a chat if it ends with tool results', async () => {
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
    const { admit } = admissionOn(ledgerOf(log), { unit: 'tokens' });
    for (const body of [request, round]) {
      const admitted = await admit(body, sender);
      admitted.end(zeroUsage, 'stopped');
      assert.deepEqual(purposesIn(log), new Set(body === request ? ['chat'] : ['chat', 'tools']));
    }
  });
});

function isPurpose(text: string): text is RequestPurpose {
  return Object.hasOwn(purposes, text) || text.startsWith('provider:');
}

/** A service that refuses requests with an error, or replies with this many tokens. */
function serviceOf(
  reply: (request: CompletionRequest) => ServiceError | number,
  sent: (number | undefined)[] = [],
): Client {
  return {
    address: { baseUrl: 'https://a/v1', host: 'a', origin: 'https://a' },
    async *stream(body): AsyncGenerator<CompletionEvent, void> {
      sent.push(body.max_tokens);
      const tokens = await Promise.resolve(reply(body));
      if (tokens instanceof ServiceError) throw tokens;
      const completion = {
        toolCalls: [],
        finishReason: 'length',
        model: undefined,
        fault: undefined,
        doneSeen: true,
        malformedEvents: 0,
        usage: usageOf(20, tokens),
      };
      yield { type: 'end', completion };
    },
  };
}

async function read(client: Client, body: CompletionRequest = request): Promise<void> {
  for await (const event of client.stream(body)) assert.notEqual(event.type, 'reasoning');
}

describe("a request for a reply above the model's limit", () => {
  it('is sent without a limit if the model accepts none, which budgets then consider', async () => {
    const { admission, clientOf } = admissionOn(ledgerOf(new MemoryLog()), {
      day: 50_000,
      unit: 'tokens',
    });
    const modelsOf = (): unknown =>
      admission.used(accountOf('c')).map((budget) => budget.unlimitedModels);
    const none = new ServiceError('bad-request', '400', {
      detail: 'Unsupported parameter: max_tokens is not supported with this model.',
    });
    const sent: (number | undefined)[] = [];
    const unlimited = serviceOf(({ max_tokens }) => (max_tokens === undefined ? 30 : none), sent);
    const client = clientOf(unlimited, sender);
    assert.deepEqual(modelsOf(), [[]]);
    await read(client);
    assert.deepEqual(modelsOf(), [['m']]);
    await read(client);
    assert.deepEqual(sent.slice(1), [undefined, undefined]);
  });

  const tooLong = new ServiceError('bad-request', '400', {
    detail: 'max_tokens cannot exceed 8192',
  });

  it('fails if Aside set no limit, so that the error is shown', async () => {
    const { clientOf, learned } = admissionOn(ledgerOf(new MemoryLog()), { unit: 'tokens' });
    const client = clientOf(
      serviceOf(() => tooLong),
      sender,
    );
    const { kind, detail } = tooLong;
    await assert.rejects(read(client, { ...request, max_tokens: 9000 }), { kind, detail });
    assert.deepEqual(learned.details(sender.service, sender.model), {});
  });
});

describe('a reply within a budget', () => {
  /** Ends a reply of this estimated length; false if it is cut off. */
  function isWhole(admitted: Admission, estimated: number): boolean {
    const isCut = estimated > admitted.maxTokens;
    admitted.end(usageOf(20, estimated, { estimated: true }), isCut ? 'cut' : 'stopped');
    return !isCut;
  }

  /** A service that uses up the limit of each request, or exceeds it. */
  function serviceUsingLimit(more = 0): Client {
    return serviceOf(({ max_tokens = 0 }) => max_tokens + more);
  }

  it('is not cut off because of a slightly high estimate', async () => {
    const { admission, admit, clientOf } = admissionOn(ledgerOf(new MemoryLog()), {
      day: 4000,
      unit: 'tokens',
    });
    const small = { ...request, max_tokens: 500 };
    const first = await admit(small, sender);
    assert.equal(isWhole(first, 549), true, 'the budget has room');
    await read(clientOf(serviceUsingLimit(), sender), small);
    const large = { ...request, max_tokens: 100_000 };
    const next = admission.preview(large, accountOf(''), sender);
    const limited = await admit(large, sender);
    assert.deepEqual(limited.request, next, 'Next Request says the same.');
    const most = limited.request.max_tokens ?? 0;
    assert.ok(most < 4000);
    assert.equal(isWhole(limited, Math.floor(most * 1.09)), true, 'the model keeps to it');
  });

  it('is cut off there again after the model exceeded its limit', async () => {
    const { admit, clientOf } = admissionOn(ledgerOf(new MemoryLog()), {
      day: 4000,
      unit: 'tokens',
    });
    const small = { ...request, max_tokens: 200 };
    await read(clientOf(serviceUsingLimit(), sender), small);
    await read(clientOf(serviceUsingLimit(300), sender), small);
    const limited = await admit({ ...request, max_tokens: 100_000 }, sender);
    assert.equal(isWhole(limited, 4000), false);
  });
});

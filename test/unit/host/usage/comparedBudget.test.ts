import assert from 'node:assert/strict';
import fc from 'fast-check';
import { comparedTurns } from '../../../../src/core/conversation/comparison.ts';
import { usageCost, type Price } from '../../../../src/core/conversation/usage.ts';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import type { ChatAccount } from '../../../../src/host/usage/requestAdmission.ts';
import { paidUsage } from '../../../../src/host/usage/usageTable.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { runs } from '../../../support/sample.ts';
import { openChat } from '../chat/openChatRig.ts';
import { FakeMemento } from '../fakes.ts';
import { admissionOn, contextOf, ledgerOf, MemoryLog, noon, usageOf } from './usageRig.ts';
import { noStorage } from '../../../support/memoryStorage.ts';

const prices: ReadonlyMap<string, Price> = new Map([
  ['cheap', { input: 0.1, output: 0.4 }],
  ['middle', { input: 1, output: 4 }],
  ['dear', { input: 15, output: 75 }],
]);

/** A message to several models, and the tokens that each of them would reply with. */
const comparison = fc.record({
  models: fc.shuffledSubarray([...prices.keys()], { minLength: 2 }),
  message: fc.nat(4000),
  reply: fc.array(fc.nat(8000), { minLength: 3, maxLength: 3 }),
  /** Index of the model that is stopped after its first chunk; none if there is no such model. */
  stopped: fc.nat(8),
  isChosen: fc.boolean(),
});

const budget = fc.record({
  of: fc.constantFrom('chat' as const, 'day' as const, 'month' as const),
  unit: fc.constantFrom('tokens' as const, 'money' as const),
  share: fc.integer({ min: 1, max: 100 }),
});

describe('a budget', () => {
  it('is never exceeded by models that reply at once', async () => {
    const ends = new Set<string>();
    await fc.assert(
      fc.asyncProperty(budget, fc.array(comparison, { maxLength: 5 }), async (limitation, all) => {
        const { of, unit, share } = limitation;
        const limit = unit === 'tokens' ? share * 300 : share / 100;
        const ledger = ledgerOf(new MemoryLog());
        const { clientOf } = admissionOn(
          ledger,
          { [of]: limit, unit },
          { context: () => contextOf((model) => prices.get(model)) },
        );
        let billed = 0;
        let replies: readonly number[] = [];
        const bill = (model: string, prompt: number, completion: number): void => {
          const price = prices.get(model);
          assert.ok(price !== undefined);
          const usage = usageOf(prompt, completion);
          billed += unit === 'tokens' ? prompt + completion : usageCost(usage, price);
        };
        const service: Client = {
          address: { baseUrl: 'https://a/v1', host: 'a', origin: 'https://a' },
          listModels: () => Promise.resolve([]),
          async *stream(
            { model, messages, max_tokens = Infinity },
            signal,
          ): AsyncGenerator<CompletionEvent, void> {
            const characters = messages.reduce(
              (sum, { content }) => sum + String(content).length,
              0,
            );
            const prompt = Math.ceil(characters / 4);
            bill(model, prompt, 0);
            const wanted = replies[[...prices.keys()].indexOf(model)] ?? 0;
            const length = Math.min(wanted, max_tokens);
            for (let written = 0; written < length; written += 500) {
              await new Promise((resolve) => setImmediate(resolve));
              signal?.throwIfAborted();
              const piece = Math.min(500, length - written);
              bill(model, 0, piece);
              yield { type: 'text', text: 'word'.repeat(piece) };
            }
            const finishReason = length < wanted ? 'length' : 'stop';
            const usage = usageOf(prompt, length);
            const fields = { toolCalls: [], model: undefined, fault: undefined };
            const completion = {
              ...fields,
              finishReason,
              usage,
              doneSeen: true,
              malformedEvents: 0,
            };
            yield { type: 'end', completion };
          },
        };
        const account: ChatAccount = {
          id: () => 'c',
          usage: () => paidUsage(open.chat.conversation),
          saved: () => open.store.flush(),
        };
        const open = openChat(
          { id: 'c', origin: 'new' },
          {
            clock: new ManualClock(noon),
            state: new FakeMemento(),
            storage: noStorage,
            chat: {
              connect: (purpose, model) => {
                const sender = { purpose, chat: account, service: 'https://a', model, demo: false };
                const client = clientOf(service, sender);
                return Promise.resolve({ client, demo: false });
              },
            },
          },
        );
        const { chat } = open;
        for (const { models, message, reply, stopped, isChosen } of all) {
          replies = reply;
          const sending = chat.compare({ text: 'x'.repeat(message), attachments: [] }, models);
          await new Promise((resolve) => setImmediate(resolve));
          const columns = comparedTurns(chat.conversation);
          const toStop = columns[stopped];
          if (toStop !== undefined) chat.stop(toStop.id);
          const turns = await sending;
          for (const { status } of turns) ends.add(status);
          const chosen = turns.at(-1);
          if (isChosen && chosen !== undefined)
            await chat.changeBetweenTurns({ type: 'version-select', turn: chosen.id });
        }
        assert.ok(billed <= limit * (1 + 1e-9), `${billed} of ${limit}`);
        open.dispose();
        ledger.dispose();
      }),
      { numRuns: runs(300) },
    );
    // Some requests were sent, and others exceeded the budget.
    assert.ok(ends.has('finished') && ends.has('failed'), [...ends].join());
  }).timeout(60_000);
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import {
  canContinue,
  lastTurn,
  type Conversation,
  type Turn,
} from '../../src/core/conversation/conversation.ts';
import { readEvent, writeEvent } from '../../src/core/conversation/record.ts';
import { LearnedFactStore } from '../../src/core/service/learnedFacts.ts';
import { createRedactor } from '../../src/core/support/redact.ts';
import { Toolbox } from '../../src/core/tools/toolbox.ts';
import { chatFileOf } from '../../src/core/history/chatFile.ts';
import { forkEvents } from '../../src/core/history/chatImport.ts';
import type { Chat } from '../../src/host/chat/chat.ts';
import { localFetch, createService, demoKey } from '../../src/local/service.ts';
import { thinkingModels, type LocalModel } from '../../src/local/models.ts';
import { ManualClock } from '../support/manualClock.ts';
import { testClient } from '../support/testClient.ts';
import { runs } from '../support/sample.ts';
import { look, usualLimits } from '../support/toolTurn.ts';
import { meterOf } from '../support/metering.ts';
import { testChat } from '../unit/host/chat/openChatRig.ts';

const sentMessages = z.object({ messages: z.array(z.looseObject({ role: z.string() })) });

const reasoning = 'Let me think about “this” first.\n';

/** A chat with one model that thinks, and calls a tool in as many rounds as a message wants. */
class TracedChat {
  readonly learned = new LearnedFactStore();
  /** Number of refused requests in turns that were not stopped. */
  refused = 0;
  readonly service;
  readonly #model: LocalModel;
  readonly #host;
  #chat: Chat;
  #messages = 0;
  /** Number of rounds with calls for each message. */
  #rounds = 0;

  constructor(model: LocalModel) {
    this.#model = model;
    const clock = new ManualClock();
    this.service = createService({
      clock,
      pace: 0,
      models: [model],
      script: ({ messages }) => {
        const start = messages.findLastIndex(({ role }) => role === 'user');
        const done = messages.slice(start).filter(({ role }) => role === 'assistant').length;
        if (done >= this.#rounds) return { reasoning, content: 'That is all.' };
        const toolCalls = [{ name: 'look', arguments: JSON.stringify({ name: `${done}` }) }];
        return { reasoning, content: '', toolCalls };
      },
    });
    const redactor = createRedactor();
    redactor.setKeys([demoKey]);
    const { learned } = this;
    const client = testClient(localFetch(this.service), { clock, redactor, learned });
    const toolbox = new Toolbox([look], { clock, redactor, onError: () => undefined });
    this.#host = {
      clock,
      meter: meterOf(4),
      connect: () => Promise.resolve({ client, demo: false }),
      tools: () => Promise.resolve({ toolbox, ...usualLimits }),
    };
    this.#chat = testChat(this.#host);
  }

  get conversation(): Conversation {
    return this.#chat.conversation;
  }

  get facts() {
    return this.learned.details('https://api.test', this.#model.id);
  }

  /** @param stopAfter number of events after which the person stops the turn */
  async send(rounds: number, stopAfter?: number): Promise<void> {
    this.#rounds = rounds;
    this.#messages += 1;
    const message = { text: `Message ${this.#messages}`, attachments: [] };
    await this.#run(() => this.#chat.send(message, this.#model.id), stopAfter);
  }

  async retry(): Promise<void> {
    const turn = lastTurn(this.conversation);
    if (turn !== undefined) await this.#run(() => this.#chat.resend(turn.id, {}));
  }

  async continue(): Promise<void> {
    const turn = lastTurn(this.conversation);
    if (turn !== undefined && canContinue(turn)) await this.#run(() => this.#chat.continue());
  }

  /** Replaces the chat by its fork, as its journal has it. */
  async fork(): Promise<void> {
    const events = forkEvents(this.conversation, 'A fork') ?? [];
    const stored = events.map((event, at) => readEvent(writeEvent(event, at + 1).trim())?.event);
    assert.deepEqual(stored, events);
    this.#chat = testChat(this.#host);
    this.#chat.show(events);
    await Promise.resolve();
  }

  async #run(start: () => Promise<Turn>, stopAfter = Infinity): Promise<void> {
    const before = this.#refusals();
    let count = 0;
    const listening = this.#chat.onDidChange((change) => {
      if (change.type === 'event' && ++count === stopAfter) this.#chat.stop();
    });
    const turn = await start();
    listening.dispose();
    if (turn.status !== 'stopped') this.refused += this.#refusals() - before;
    assert.ok(turn.status === 'stopped' || turn.status === 'finished', turn.error?.message);
  }

  #refusals(): number {
    return this.service.requests.filter(({ status }) => status === 400).length;
  }
}

type Step =
  | { readonly do: 'send'; readonly rounds: number; readonly stopAfter: number | undefined }
  | { readonly do: 'retry' | 'continue' | 'fork' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('send' as const),
    rounds: fc.nat(3),
    stopAfter: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined, freq: 3 }),
  }),
  fc.record({ do: fc.constantFrom('retry' as const, 'continue', 'fork') }),
);

/** Number of refusals from which the rule of each model must be learned. */
const refusals = { ignored: 0, turn: 1, signature: 1, chat: 2, refused: 0 } as const;

describe('a model that thinks', () => {
  for (const model of thinkingModels) {
    it(`gets only reasoning that it accepts, whatever happens in the chat: ${model.trace}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
          const chat = new TracedChat(model);
          for (const next of steps) {
            if (next.do === 'send') await chat.send(next.rounds, next.stopAfter);
            else await chat[next.do]();
          }
          assert.ok(chat.refused <= refusals[model.trace], `${chat.refused} requests refused`);
        }),
        { numRuns: runs(150, 5), seed: 3 },
      );
    });
  }

  it('gets no reasoning after a refusal, which is stored', async () => {
    const [, , , model] = thinkingModels;
    assert.equal(model?.trace, 'refused');
    const chat = new TracedChat(model);
    await chat.learned.learn('https://api.test', model.id, { trace: 'turn' });
    await chat.send(3);
    assert.equal(chat.refused, 1);
    assert.equal(chat.facts.trace, 'refused');
  });

  it('gets its reasoning back, byte for byte, only if it requires that', async () => {
    const [model] = thinkingModels;
    assert.ok(model);
    const chat = new TracedChat(model);
    await chat.send(1);
    await chat.send(1);
    const sent = chat.service.requests.map(({ body, status }) => {
      const { messages } = sentMessages.parse(body);
      return [status, messages.flatMap((message) => message['reasoning_content'] ?? [])];
    });
    assert.deepEqual(sent, [
      [200, []],
      [400, []],
      [200, [reasoning]],
      [200, []],
      [200, [reasoning]],
    ]);
    for (const hasReasoning of [false, true]) {
      const json = JSON.stringify(
        chatFileOf(chat.conversation, (text) => text, { reasoning: hasReasoning }),
      );
      assert.equal(json.includes('trace'), false, 'in no exported file');
      assert.equal(json.includes('Let me think'), hasReasoning);
    }
  });
});

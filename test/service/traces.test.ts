import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import {
  canContinue,
  emptyConversation,
  lastTurn,
  type Conversation,
} from '../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../src/core/conversation/events.ts';
import { readEvent, writeEvent } from '../../src/core/conversation/record.ts';
import { ServiceClient } from '../../src/core/service/client.ts';
import { LearnedFactStore } from '../../src/core/service/learnedFacts.ts';
import { createRedactor } from '../../src/core/support/redact.ts';
import { Toolbox } from '../../src/core/tools/toolbox.ts';
import { LiveConversation } from '../../src/core/conversation/liveConversation.ts';
import { RequestPlanner } from '../../src/core/turn/nextTurn.ts';
import { runTurn, TurnControl } from '../../src/core/turn/runTurn.ts';
import { chatFileOf } from '../../src/core/history/chatFile.ts';
import { forkEvents } from '../../src/core/history/chatImport.ts';
import { localFetch, createService, demoKey } from '../../src/local/service.ts';
import { thinkingModels, type LocalModel } from '../../src/local/models.ts';
import { ManualClock } from '../support/manualClock.ts';
import { runs } from '../support/sample.ts';
import { look, usualLimits } from '../support/toolTurn.ts';
import { turnStart, userMessage } from '../support/turns.ts';
import { meterOf } from '../support/metering.ts';

const sentMessages = z.object({ messages: z.array(z.looseObject({ role: z.string() })) });

/** A chat with one model, which can be reloaded from its journal. */
class TracedChat {
  readonly learned = new LearnedFactStore();
  /** Number of refused requests in turns that were not stopped. */
  refused = 0;
  readonly #live = new LiveConversation(emptyConversation('c'));
  #journal = '';
  #lines = 0;
  #turns = 0;
  /** Number of rounds with calls for each message. */
  #rounds = 0;
  readonly #model: LocalModel;
  readonly #clock = new ManualClock();
  readonly service;
  readonly #client;
  readonly #toolbox;

  constructor(model: LocalModel) {
    this.#model = model;
    const reasoning = 'Let me think about “this” first.\n';
    this.service = createService({
      clock: this.#clock,
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
    this.#client = new ServiceClient({
      baseUrl: 'https://api.test/v1',
      apiKey: demoKey,
      fetch: localFetch(this.service),
      clock: this.#clock,
      silenceLimit: 30_000,
      redactor,
      learned: this.learned,
    });
    this.#toolbox = new Toolbox([look], {
      clock: this.#clock,
      redactor,
      onError: () => undefined,
    });
  }

  get conversation(): Conversation {
    return this.#live.current;
  }

  get facts() {
    return this.learned.details('https://api.test', this.#model.id);
  }

  async send(rounds: number, stopAfter?: number): Promise<void> {
    this.#rounds = rounds;
    this.#turns += 1;
    const id = `t${this.#turns}`;
    const after = lastTurn(this.conversation)?.id ?? '';
    const question = userMessage(`Message ${this.#turns}`);
    this.#apply(turnStart({ id, question, after, model: this.#model.id, at: 0 }));
    await this.#run(stopAfter);
  }

  async retry(): Promise<void> {
    const turn = lastTurn(this.conversation);
    if (turn === undefined) return;
    this.#apply({ type: 'turn-remove', id: turn.id });
    await this.send(this.#rounds);
  }

  async continue(): Promise<void> {
    const turn = lastTurn(this.conversation);
    if (turn === undefined || !canContinue(turn)) return;
    this.#apply({ type: 'turn-continue', at: 0 });
    await this.#run();
  }

  /** Replaces the chat by its fork. */
  fork(): void {
    const events = forkEvents(this.conversation, 'A fork') ?? [];
    this.#live.replace(emptyConversation('c'));
    this.#journal = '';
    for (const event of events) this.#apply(event);
  }

  reload(): void {
    const lines = this.#journal.split('\n').filter((line) => line !== '');
    const events = lines.map((line) => readEvent(line)?.event);
    assert.equal(events.includes(undefined), false);
    const before = this.conversation;
    this.#live.replace(emptyConversation('c'));
    for (const event of events) if (event !== undefined) this.#live.apply(event);
    assert.deepEqual(this.conversation, before);
  }

  /** @param stopAfter number of events after which the person stops the turn */
  async #run(stopAfter = Infinity): Promise<void> {
    const control = new TurnControl();
    const before = this.#refusals();
    let count = 0;
    const planner = new RequestPlanner(this.#live, {
      clock: this.#clock,
      meter: meterOf(4),
      connect: () => Promise.resolve({ client: this.#client, demo: false }),
      settings: () => ({ instructions: '', stream: true, options: {} }),
      describe: (error) => ({ kind: 'any', message: String(error) }),
      tools: () => Promise.resolve({ toolbox: this.#toolbox, ...usualLimits }),
    });
    for await (const event of runTurn(planner, control)) {
      this.#apply(event);
      count += 1;
      if (count === stopAfter) control.stop();
    }
    const turn = lastTurn(this.conversation);
    if (turn?.status !== 'stopped') this.refused += this.#refusals() - before;
    assert.ok(turn?.status === 'stopped' || turn?.status === 'finished', turn?.error?.message);
  }

  #refusals(): number {
    return this.service.requests.filter(({ status }) => status === 400).length;
  }

  #apply(event: ConversationEvent): void {
    this.#lines += 1;
    this.#journal += writeEvent(event, this.#lines);
    this.#live.apply(event);
  }
}

type Step =
  | { readonly do: 'send'; readonly rounds: number; readonly stopAfter: number | undefined }
  | { readonly do: 'retry' | 'continue' | 'reload' | 'fork' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('send' as const),
    rounds: fc.nat(3),
    stopAfter: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined, freq: 3 }),
  }),
  fc.record({ do: fc.constantFrom('retry' as const, 'continue', 'reload', 'fork') }),
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
    const reasoning = 'Let me think about “this” first.\n';
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

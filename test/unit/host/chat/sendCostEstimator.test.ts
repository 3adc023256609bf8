import assert from 'node:assert/strict';
import {
  emptyConversation,
  type Attachment,
  type Turn,
  type UserMessage,
} from '../../../../src/core/conversation/conversation.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import type { ContextCut } from '../../../../src/core/turn/sentTurns.ts';
import { outlineUrl } from '../../../../src/core/support/image.ts';
import { buildRequest, type PromptSettings } from '../../../../src/core/turn/prompt.ts';
import type { ModelFacts } from '../../../../src/core/service/modelFacts.ts';
import {
  withFacts,
  readSettings,
  type SettingValues,
} from '../../../../src/host/platform/settingValues.ts';
import type { BudgetLeft, ChatAccount } from '../../../../src/host/usage/requestAdmission.ts';
import type { AttachmentChip } from '../../../../src/protocol/messages.ts';
import { only } from '../../../support/only.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { turnStart, turnWith } from '../../../support/turns.ts';

const image = {
  type: 'image/png' as const,
  width: 100,
  height: 100,
  size: 1,
  hash: '0'.repeat(64),
};

const { SendCostEstimator } = await withoutVsCode(
  () => import('../../../../src/host/chat/sendCostEstimator.ts'),
);

const priced = { 'some/model': { contextWindow: 1000, price: { input: 2, output: 6 } } };

function settingsWith(models: unknown): SettingValues {
  const inspect = (id: string): { globalValue?: unknown } =>
    id === 'aside.models' ? { globalValue: models } : {};
  return readSettings(inspect, (id) => assert.ok(false, id));
}

function file(text: string): Attachment {
  return { id: 'a', kind: 'file', name: 'a.ts', path: 'a.ts', language: 'ts', text };
}

function turn(attachments: readonly Attachment[]): Turn {
  return turnWith({
    question: { text: 'why?', attachments },
    parts: [{ type: 'text', text: 'So.' }],
  });
}

const prompt: PromptSettings = {
  instructions: '',
  stream: true,
  options: {},
  images: ({ image: attached }) => attached && outlineUrl(attached),
};

/** An estimator with one token per character, which counts how often the request is read. */
function rig(
  more: {
    readonly hasTools?: boolean;
    readonly models?: unknown;
    readonly facts?: Readonly<Record<string, ModelFacts>>;
    readonly draft?: string;
    readonly budgetLeft?: BudgetLeft;
  } = {},
) {
  const facts = new Map(Object.entries(more.facts ?? {}));
  const values = withFacts(settingsWith(more.models ?? {}), facts);
  /** How often the request was read, and what was left out of it. */
  const state: { looks: number; cut: ContextCut } = { looks: 0, cut: {} };
  const chat = {
    conversation: emptyConversation('c'),
    definitions: undefined,
    get mode() {
      return this.conversation.options.mode ?? 'agent';
    },
    preview(question: UserMessage, model: string) {
      state.looks++;
      const event = turnStart({ id: 'n', question, model, at: 0 });
      const conversation = reduce(this.conversation, { ...event, ...state.cut });
      assert.ok(conversation.running);
      return { conversation, turn: conversation.running, settings: prompt };
    },
    tokensOf: (_: string, characters: number) => characters,
    preset: { model: { current: () => ({ id: 'some/model' }) } },
    account: only<ChatAccount>(),
  };
  const message = {
    attachments: new Array<Attachment>(),
    contextChips: new Array<AttachmentChip>(),
    draft: more.draft ?? '',
  };
  const costs = new SendCostEstimator(chat, message, {
    settings: { current: () => values },
    toolAccess: { obstacle: () => (more.hasTools === true ? undefined : 'setting') },
    service: { budgetLeft: () => more.budgetLeft },
  });
  return { state, chat, message, costs };
}

describe('SendCostEstimator', () => {
  it('has the known prices of the models that have replied', () => {
    const { chat, costs } = rig({ models: priced });
    assert.equal(costs.prices(), undefined);
    chat.conversation = { ...chat.conversation, turns: [turn([])] };
    assert.equal(costs.prices(), undefined);
    const replied = { ...turn([]), id: 'u', model: 'some/model' };
    chat.conversation = { ...chat.conversation, turns: [turn([]), replied, replied] };
    const byModel = { 'some/model': { input: 2, output: 6 } };
    assert.deepEqual(costs.prices(), { currency: '$', byModel });
  });

  it('counts the tools of the mode', () => {
    const { chat, costs } = rig({ hasTools: true });
    const { tokens, toolTokens = 0 } = costs.current().cost;
    assert.ok(toolTokens > 1000);
    chat.conversation = { ...chat.conversation, options: { mode: 'ask' } };
    const { toolTokens: reading = 0 } = costs.current().cost;
    assert.ok(reading > 0 && reading < toolTokens);
    chat.conversation = { ...chat.conversation, options: { mode: 'chat' } };
    const { cost } = costs.current();
    assert.deepEqual([cost.tokens, cost.toolTokens], [tokens - toolTokens, undefined]);
    assert.equal(rig().costs.current().cost.toolTokens, undefined, 'a model without tools');
  });

  it('counts no excluded part, and marks its chip', () => {
    const { chat, message, costs } = rig();
    const empty = costs.current().cost.tokens;
    message.attachments = [file('x'.repeat(100))];
    const chip = { name: 'AGENTS.md', path: 'AGENTS.md', icon: 'book', tokens: 9 };
    const instructions = { ...chip, id: 'i', state: 'attached', isInstructions: true } as const;
    message.contextChips = [instructions];
    const parts = ['attachment:a', 'file:AGENTS.md'];
    const event = { type: 'part-choice', parts, choice: 'left-out' } as const;
    chat.conversation = reduce(chat.conversation, event);
    const { cost, attachments } = costs.current();
    assert.equal(cost.tokens, empty);
    assert.deepEqual(
      attachments.map(({ state }) => state),
      ['left-out', 'left-out'],
    );
    chat.conversation = reduce(chat.conversation, { type: 'part-choice', parts });
    assert.deepEqual(
      costs.current().attachments.map(({ state }) => state),
      ['attached', 'attached'],
    );
  });

  it('matches the length of the request', () => {
    const { chat, costs } = rig();
    chat.conversation = { ...chat.conversation, turns: [turn([file('one\n')])] };
    const { messages } = buildRequest(
      chat.conversation,
      { ...turn([]), id: 'n', question: { text: '', attachments: [] }, parts: [] },
      prompt,
    );
    const length = messages.reduce((sum, { content }) => sum + (content ?? '').length, 0);
    assert.equal(costs.current().cost.tokens, length);
  });

  it('marks attachments that were sent already, which cost nothing', () => {
    const { chat, message, costs } = rig();
    chat.conversation = { ...chat.conversation, turns: [turn([file('one\n')])] };
    message.attachments = [file('one\n')];
    assert.deepEqual(costs.current().attachments, [
      {
        id: 'a',
        name: 'a.ts',
        path: 'a.ts',
        icon: 'file-code',
        tokens: 0,
        state: 'unchanged',
      },
    ]);
    message.attachments = [file('two\n')];
    assert.equal(costs.current().attachments[0]?.state, 'changed');
  });

  it('adds up the cost of sending to several models if all prices are known', () => {
    const models = { ...priced, other: { price: { input: 4, output: 4 } } };
    const { costs } = rig({ models });
    const typed = { text: 'x'.repeat(1000), attachments: [] };
    const ofModel = costs.ofModels(typed, ['some/model']);
    const two = costs.ofModels(typed, ['some/model', 'other']);
    assert.equal(two.tokens, 2 * ofModel.tokens);
    assert.ok(ofModel.tokens > 1000);
    const expected = (ofModel.tokens * (2 + 4)) / 1_000_000;
    assert.ok(Math.abs((two.cost ?? 0) - expected) < 1e-9);
    const unknown = costs.ofModels(typed, ['some/model', 'unknown']);
    assert.deepEqual(unknown, { tokens: two.tokens, cost: undefined });
  });

  it('estimates the message in any number of models from one request, with tiers and fees', () => {
    const tiers = [{ from: 1000, input: 4, output: 1 }];
    const rising: ModelFacts = { price: { input: 1, output: 1, tiers, request: 0.5 } };
    const { state, costs } = rig({ models: priced, facts: { rising }, draft: 'x'.repeat(1000) });
    const [known, unknown, ofTier] = ['some/model', 'unknown', 'rising'].map(costs.inModels());
    assert.equal(state.looks, 1);
    const { tokens = 0 } = known ?? {};
    assert.ok(tokens > 1000);
    assert.deepEqual(known, { tokens, cost: (tokens * 2) / 1_000_000 });
    assert.deepEqual(unknown, { tokens, cost: undefined });
    assert.deepEqual(ofTier, { tokens, cost: (tokens * 4) / 1_000_000 + 0.5 });
  });

  it('adds the tools only for models that get them, and the fees of images', () => {
    const facts = { drawn: { price: { input: 0, output: 0, image: 0.25 } } };
    const { message, costs } = rig({ facts, hasTools: true });
    const { tokens } = costs.inModels()('drawn');
    assert.ok(tokens > rig({ facts }).costs.inModels()('drawn').tokens);
    message.attachments = [{ ...file(''), kind: 'image', image }];
    assert.equal(costs.inModels()('drawn').cost, 0.25);
  });

  it('reports omitted and shortened parts of the chat, even with a summary', () => {
    const { state, chat, costs } = rig();
    const ids = ['a', 'b', 'c', 'd'];
    const turns = ids.map((id) => ({ ...turn([]), id }));
    const call = {
      type: 'tool-call' as const,
      id: 'x',
      name: 'read_file',
      arguments: '{}',
      round: 1,
      status: 'done' as const,
      result: 'r'.repeat(500),
      startedAt: 0,
    };
    const withCall = turns.map((turn) => ({ ...turn, parts: [call, ...turn.parts] }));
    chat.conversation = { ...chat.conversation, turns: withCall };
    assert.equal(costs.current().cost.leftOut, undefined);
    state.cut = { firstSent: 'b', shortResultsBefore: 'd' };
    chat.conversation = { ...chat.conversation, turns: [...withCall] };
    assert.deepEqual(costs.current().cost.leftOut, { turns: 1, results: true });
    state.cut = {};
    const summary = { id: 's', text: 'All.', upTo: 'b', model: 'm', at: 0 };
    chat.conversation = { ...chat.conversation, summaries: [summary] };
    assert.deepEqual(costs.current().cost.leftOut, { summarized: 2 });
    chat.conversation = { ...chat.conversation, summaries: [{ ...summary, unused: true }] };
    assert.equal(costs.current().cost.leftOut, undefined);
  });

  it('reports the current remainder of a budget, and the cost of a token', () => {
    const budgetLeft: BudgetLeft = {
      of: 'day',
      unit: 'money',
      limit: 5,
      remaining: 1,
      margin: 1.5,
    };
    const { budget } = rig({ models: priced, budgetLeft }).costs.current().cost;
    const { margin, ...parts } = budgetLeft;
    assert.deepEqual(budget, { ...parts, perToken: (margin * 2) / 1_000_000 });
    assert.equal(rig({ budgetLeft }).costs.current().cost.budget, undefined, 'It has no price.');
    const rising = { input: 1, output: 1, tiers: [{ from: 1, input: 4, output: 1 }] };
    const ofTier = rig({ facts: { 'some/model': { price: rising } }, budgetLeft });
    assert.equal(ofTier.costs.current().cost.budget?.perToken, (margin * 4) / 1_000_000);
    const inTokens: BudgetLeft = { ...budgetLeft, unit: 'tokens' };
    assert.equal(rig({ budgetLeft: inTokens }).costs.current().cost.budget?.perToken, 1.5);
  });
});

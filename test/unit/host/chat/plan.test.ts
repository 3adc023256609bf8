import assert from 'node:assert/strict';
import {
  emptyConversation,
  type Conversation,
  type Turn,
} from '../../../../src/core/conversation/conversation.ts';
import { type ChatMode, openPlan } from '../../../../src/core/conversation/mode.ts';
import { readEvent, writeEvent } from '../../../../src/core/conversation/record.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { chatFileOf } from '../../../../src/core/history/chatFile.ts';
import { forkEvents, importEvents } from '../../../../src/core/history/chatImport.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { Toolbox } from '../../../../src/core/tools/toolbox.ts';
import type { Chat } from '../../../../src/host/chat/chat.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { change, look, toolRig, usualLimits } from '../../../support/toolTurn.ts';
import { turnWith, userMessage } from '../../../support/turns.ts';
import { until } from '../../../support/until.ts';
import { openChat } from './openChatRig.ts';

const steps = 'First:\n\n- [ ] Look\n- [ ] Change';

const models = {
  chat: 'mistral/codestral',
  ask: 'mistral/mistral-small',
  agent: 'mistral/mistral-large',
};

/** A chat whose requests have the tools of its mode, and go to a model named after it. */
function planRig(replies: readonly string[], mode: ChatMode = 'agent') {
  const clock = new ManualClock();
  const options = { clock, redactor: createRedactor(), onError: assert.ifError };
  const toolbox = new Toolbox([look, change], options);
  const rig = toolRig({ script: replies });
  const open = openChat(
    { id: 'c', origin: 'new' },
    {
      clock,
      client: rig.client,
      chat: {
        proposedMode: mode,
        tools() {
          const box = toolbox.inMode(() => open.mode);
          return Promise.resolve(box && { toolbox: box, ...usualLimits });
        },
      },
      modelOf: (purpose) => Object.entries(models).find(([mode]) => mode === purpose)?.[1],
      expand: (message) =>
        Promise.resolve({ message: { ...message, plan: message.text.startsWith('/plan') } }),
    },
  );
  const ended = (count: number) =>
    until(() => open.conversation.turns.length === count && !open.isBusy);
  return {
    open,
    /** Types and sends a message, and waits for its reply. */
    send: async (text: string) => {
      const { length } = open.conversation.turns;
      await open.request({ name: 'send', parameters: { text } });
      await ended(length + 1);
    },
    press: (action: 'start' | 'edit') =>
      open.request({ name: 'plan', parameters: { turn: lastOf(open).id, action } }),
    /** The tools of each request, with its model. */
    sent: () =>
      rig.requests().map(({ model, tools = [] }) => {
        const names = tools.map(({ function: { name } }) => name);
        return [model, ...names].join(' ');
      }),
  };
}

function lastOf(chat: Chat): Turn {
  const turn = chat.conversation.turns.at(-1);
  assert.ok(turn);
  return turn;
}

const planOf = ({ panel: state }: Chat): string | undefined => state.current().plan;

describe('a plan', () => {
  for (const mode of ['chat', 'ask', 'agent'] as const)
    it(`in the mode ${mode} is requested in Ask, and started in Agent`, async () => {
      const { open, press, send, sent } = planRig([steps, 'Done.'], mode);
      await send('/plan it');
      assert.deepEqual([open.mode, planOf(open)], ['ask', lastOf(open).id]);
      await press('start');
      await until(() => open.conversation.turns.length === 2);
      assert.deepEqual(sent(), [`${models.ask} look`, `${models.agent} look change`]);
      assert.match(lastOf(open).question.text, /^Carry out the plan/);
      assert.deepEqual([open.mode, planOf(open)], ['agent', undefined]);
    });

  it('is started once, however often the button is clicked', async () => {
    const { open, press, send } = planRig([steps, 'Done.']);
    await send('/plan it');
    const results = await Promise.allSettled([press('start'), press('start')]);
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    await until(() => open.conversation.turns.length === 2);
    await assert.rejects(press('start'), /can no longer be started/);
  });

  it('can be discussed in Ask before it is started', async () => {
    const { open, send } = planRig([steps, 'Which unit?', steps]);
    await send('/plan it');
    await send('Why?');
    assert.equal(planOf(open), undefined);
    await send('In percent.');
    assert.equal(planOf(open), lastOf(open).id);
  });

  it('is inserted before the draft for editing, and ends when that is sent', async () => {
    const { open, press, send, sent } = planRig([steps, steps]);
    await send('/plan it');
    await open.composer.setDraft('And test it.');
    await press('edit');
    const { draft } = open.composer;
    assert.match(draft, /^Carry out the plan[^]*- \[x\] …`\.\n\nFirst:\n\n- \[ \] Look/);
    assert.ok(draft.endsWith('- [ ] Change\nAnd test it.'), draft);
    assert.deepEqual([open.mode, sent().length], ['agent', 1]);
    await send(draft);
    assert.deepEqual([sent().at(-1), planOf(open)], [`${models.agent} look change`, undefined]);
  });

  it('is written with read-only tools even if its message is sent again in Agent', async () => {
    const { open, send, sent } = planRig([steps]);
    await send('/plan it');
    open.setMode('agent');
    const turn = lastOf(open).id;
    await open.request({ name: 'resend', parameters: { turn, text: '/plan that' } });
    await until(() => !open.isBusy);
    assert.deepEqual(sent(), [`${models.ask} look`, `${models.ask} look`]);
    assert.equal(planOf(open), lastOf(open).id);
  });

  it('is still a plan after it was queued and edited, and respects a mode lowered meanwhile', async () => {
    const { open, send } = planRig([steps]);
    await send('Hello');
    const message = { ...userMessage('/plan it'), plan: true };
    open.queue.add({ id: 'q', message, model: models.ask }, open.conversation.id);
    const [queued] = open.queue.shown;
    assert.ok(queued && open.queue.edit(queued.id));
    open.setMode('chat');
    open.queue.replace(queued.id, userMessage('/plan that'), models.ask);
    open.sendQueued();
    await until(() => open.conversation.turns.length === 2);
    const { question, mode } = lastOf(open);
    assert.deepEqual([question, mode], [{ ...userMessage('/plan that'), plan: true }, 'chat']);
  });
});

describe('the plan at the end of a chat', () => {
  const text = (written: string): Turn['parts'] => [{ type: 'text', text: written }];
  const plan = turnWith({
    question: { ...userMessage('Plan it.'), plan: true },
    mode: 'ask',
    endedAt: 1,
    parts: text(steps),
  });
  const chatOf = (...turns: readonly Turn[]): Conversation => ({
    ...emptyConversation('c'),
    turns,
  });

  it('is the text with the list', () => {
    const parts = [...text('I look.'), ...text(steps), ...text('Shall I?')];
    assert.deepEqual(openPlan(chatOf({ ...plan, parts })), { turn: 't', text: steps });
    for (const list of ['* [ ] a', '1. [ ] a', '> - [ ] a', '  + [ ] a\n'])
      assert.equal(openPlan(chatOf({ ...plan, parts: text(list) }))?.text, list);
  });

  it('is undefined without steps, an end, or a message that requests it', () => {
    const others: readonly Partial<Turn>[] = [
      { parts: text('- [x] Done') },
      { parts: text('No list: [ ] a') },
      { status: 'stopped' },
      { finishReason: 'length' },
      { mode: 'agent' },
      { mode: undefined },
      { question: userMessage('Make a list.') },
    ];
    for (const other of others) assert.equal(openPlan(chatOf({ ...plan, ...other })), undefined);
    assert.equal(openPlan({ ...chatOf(plan), running: plan }), undefined);
    assert.equal(openPlan(chatOf()), undefined);
  });

  it('survives the journal and a fork, but not a file from outside', () => {
    const { id, question, model, mode } = plan;
    const start = { type: 'turn-start', id, question, model, mode, json: false, at: 0 } as const;
    const events = [
      start,
      { type: 'text-delta', text: steps, at: 0 },
      { type: 'turn-end', status: 'finished', at: 1 },
    ] as const;
    const read = events.flatMap((event, at) => readEvent(writeEvent(event, at + 1))?.event ?? []);
    const journal = read.reduce(reduce, emptyConversation('c'));
    assert.equal(openPlan(journal)?.turn, 't');
    const fork = forkEvents(journal, 'Fork') ?? [];
    assert.equal(openPlan(fork.reduce(reduce, emptyConversation('d')))?.text, steps);
    const imported = importEvents(chatFileOf(journal, (written) => written));
    assert.equal(openPlan(imported.reduce(reduce, emptyConversation('e'))), undefined);
  });
});

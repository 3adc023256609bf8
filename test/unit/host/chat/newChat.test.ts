import assert from 'node:assert/strict';
import type { UserMessage } from '../../../../src/core/conversation/conversation.ts';
import { MessageQueue } from '../../../../src/host/chat/messageQueue.ts';
import { NewChat } from '../../../../src/host/chat/newChat.ts';
import { toolRig } from '../../../support/toolTurn.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { ViewRequestHandler } = await withoutVsCode(
  () => import('../../../../src/host/chat/viewRequestHandler.ts'),
);

/** Moments between the command and the message: promises that settle, and turns of the event loop. */
async function pass(moments: number): Promise<void> {
  for (let moment = 0; moment < moments % 40; moment++) await Promise.resolve();
  for (let turn = 0; turn < moments / 40; turn++) await new Promise((next) => setImmediate(next));
}

/** @param hangs whether the first turn never ends by itself */
function rig(slow: number, hangs = false) {
  let prepared = 0;
  const tools = toolRig({
    script: ['Yes.'],
    checkMessage: () => pass(slow),
    prepare: () => (hangs && ++prepared === 1 ? new Promise(() => undefined) : pass(slow)),
  });
  const { chat, clock } = tools;
  const drafts: string[] = [];
  const queue = new MessageQueue(chat, (text) => drafts.push(text));
  const newChat = new NewChat({ chat, queue, clock });
  const given = {
    attachments: [],
    clearAttachments: () => undefined,
    acceptDraft: () => undefined,
    attached: () => Promise.resolve(),
  };
  const unused = () => Promise.reject(new Error('not used'));
  const requests = new ViewRequestHandler({
    chat,
    queue,
    newChat,
    composer: given,
    expand: (message: UserMessage) => Promise.resolve(message),
    tools: { decide: unused, review: unused, change: unused },
    replies: {
      open: unused,
      insert: unused,
      apply: unused,
      newFile: unused,
      runInTerminal: unused,
    },
    attachments: { handle: unused },
    requireModel: async () => {
      await pass(slow);
      return 'mistral/mistral-small';
    },
    pickModel: unused,
    focus: unused,
  });
  const send = (text: string): Promise<void> => requests.handle({ type: 'send', text });
  return { ...tools, drafts, newChat, queue, requests, send };
}

type Rig = ReturnType<typeof rig>;

async function idle({ chat, clock }: Rig): Promise<void> {
  for (let round = 0; round < 12; round++) {
    await clock.advance(10);
    await pass(400);
  }
  assert.equal(chat.isRunning, false);
}

/** The message is in the open chat alone, with its reply, and nowhere else. */
async function assertMoved(one: Rig, old: string): Promise<void> {
  await idle(one);
  const { chat, drafts, queue } = one;
  assert.notEqual(chat.conversation.id, old);
  assert.deepEqual(
    chat.conversation.turns.map(({ question, status }) => [question.text, status]),
    [['Hello', 'finished']],
  );
  assert.deepEqual([queue.messages, drafts], [[], []]);
}

const moments = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 39, 40, 80, 120, 200, 400];

describe('New Chat and a message that is sent after it', () => {
  for (const slow of [0, 3, 80]) {
    it(`come in order at any moment between them, with ${slow} moments to prepare`, async () => {
      for (const between of moments) {
        const one = rig(slow);
        const { id } = one.chat.conversation;
        const opened = one.newChat.open();
        await pass(between);
        await one.send('Hello');
        await opened;
        await assertMoved(one, id);
      }
    });

    it(`come in order while a reply is stopped, with ${slow} moments to prepare`, async () => {
      for (const between of moments) {
        const one = rig(slow, true);
        const { chat, newChat, send } = one;
        await send('Before');
        await one.clock.advance(600);
        assert.ok(chat.isRunning);
        const { id } = chat.conversation;
        const opened = newChat.open();
        await pass(between);
        await send('Hello');
        await opened;
        await assertMoved(one, id);
      }
    });

    it(`give the message to the new chat where it overtook, with ${slow} moments`, async () => {
      for (const between of moments.slice(0, 12)) {
        const one = rig(slow);
        const { id } = one.chat.conversation;
        const sent = one.send('Hello');
        await pass(between);
        const hasReply = one.chat.conversation.turns.length > 0;
        await one.newChat.open();
        await sent;
        if (!hasReply) await assertMoved(one, id);
      }
    });
  }

  it('leave a message that was queued just before to the new chat', async () => {
    const one = rig(0, true);
    const { chat, newChat, send } = one;
    await send('Before');
    await one.clock.advance(600);
    const { id } = chat.conversation;
    await send('Hello');
    assert.equal(one.queue.messages.length, 1);
    await newChat.open();
    await assertMoved(one, id);
  });

  it('leave a message in its chat whose reply is there, however soon', async () => {
    const one = rig(0);
    const { id } = one.chat.conversation;
    await one.send('Hello');
    while (one.chat.conversation.turns.length === 0) await pass(1);
    await one.newChat.open();
    assert.notEqual(one.chat.conversation.id, id);
    assert.deepEqual(one.chat.conversation.turns, []);
  });

  it('leave an earlier message in its chat', async () => {
    const one = rig(0);
    await one.send('Hello');
    await idle(one);
    await one.clock.advance(600);
    await one.newChat.open();
    assert.deepEqual(one.chat.conversation.turns, []);
  });
});

describe('another version of a reply', () => {
  it('is shown once no reply is running', async () => {
    const one = rig(0, true);
    const { chat, requests, send } = one;
    await send('Hello');
    await one.clock.advance(10);
    assert.ok(chat.isRunning);
    const select = (turn: string) => requests.handle({ type: 'select-version', turn });
    await assert.rejects(select('any'), /Wait for the reply, or stop it first\./);
    chat.stop();
    await idle(one);
    const [first] = chat.conversation.turns;
    assert.ok(first !== undefined);
    await chat.resend(first.id, {});
    await select(first.id);
    assert.equal(chat.conversation.turns[0]?.id, first.id);
  });
});

import assert from 'node:assert/strict';
import { newId } from '../../../../src/core/support/id.ts';
import type { ChatOptions } from '../../../../src/host/chat/chat.ts';
import { NewChat } from '../../../../src/host/chat/newChat.ts';
import type { OpenChat } from '../../../../src/host/chat/openChat.ts';
import { toolRig } from '../../../support/toolTurn.ts';
import { FakeMemento } from '../fakes.ts';
import { openChat } from './openChatRig.ts';

/** Moments between the command and the message: promises that settle, and turns of the event loop. */
async function pass(moments: number): Promise<void> {
  for (let moment = 0; moment < moments % 40; moment++) await Promise.resolve();
  for (let turn = 0; turn < moments / 40; turn++) await new Promise((next) => setImmediate(next));
}

/** @param hangs whether the first turn never ends by itself */
function rig(slow: number, hangs = false) {
  let prepared = 0;
  const tools = toolRig({ script: ['Yes.'] });
  const { clock, client } = tools;
  const start: Partial<ChatOptions> = {
    checkMessage: () => pass(slow),
    prepare: () => (hangs && ++prepared === 1 ? new Promise(() => undefined) : pass(slow)),
  };
  const storage = { append: () => Promise.resolve(), read: () => Promise.resolve(undefined) };
  const create = (): OpenChat => {
    const open: OpenChat = openChat(
      { id: newId(), origin: 'new' },
      {
        clock,
        storage,
        state: new FakeMemento(),
        chat: { ...start, connect: () => Promise.resolve({ client, demo: false }) },
        chatFor: (message, model) => newChat.chatFor(open, message, model),
        requireModel: async () => {
          await pass(slow);
          return 'mistral/mistral-small';
        },
      },
    );
    return open;
  };
  const moved: (readonly [string, OpenChat, OpenChat])[] = [];
  const newChat = new NewChat(create, clock, ({ text }, from, to) => moved.push([text, from, to]));
  const first = create();
  let shown = first;
  return {
    clock,
    first,
    shown: () => shown,
    /** The messages that went from one chat to another. */
    moved,
    open: () => (shown = newChat.open(shown)),
    /** What a page says that shows the first chat. */
    send: (text: string): Promise<unknown> => first.request({ name: 'send', parameters: { text } }),
  };
}

type Rig = ReturnType<typeof rig>;

async function idle({ shown, clock }: Rig): Promise<void> {
  for (let round = 0; round < 12; round++) {
    await clock.advance(10);
    await pass(400);
  }
  assert.equal(shown().chat.isBusy, false);
}

/** The message is in the chat that is shown, with its reply, and nowhere else. */
async function assertMoved(one: Rig, before: readonly string[]): Promise<void> {
  await idle(one);
  const { first } = one;
  const { chat, queue } = one.shown();
  assert.deepEqual(
    chat.conversation.turns.map(({ question, status }) => [question.text, status]),
    [['Hello', 'finished']],
  );
  assert.deepEqual([queue.messages, first.queue.messages], [[], []]);
  const { turns, running } = first.chat.conversation;
  const left = [...turns, ...(running === undefined ? [] : [running])];
  if (first === one.shown()) return;
  assert.deepEqual(
    left.map(({ question }) => question.text),
    before,
  );
  // What belongs to it, such as its images, can be taken along.
  assert.deepEqual(one.moved, [['Hello', first, one.shown()]]);
}

const moments = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 39, 40, 80, 120, 200, 400];

describe('New Chat and a message that is sent after it', () => {
  for (const slow of [0, 3, 80]) {
    it(`come in order at any moment between them, with ${slow} moments to prepare`, async () => {
      for (const between of moments) {
        const one = rig(slow);
        one.open();
        await pass(between);
        await one.send('Hello');
        await assertMoved(one, []);
      }
    });

    it(`come in order while a reply goes on, with ${slow} moments to prepare`, async () => {
      for (const between of moments) {
        const one = rig(slow, true);
        await one.send('Before');
        await one.clock.advance(600);
        assert.ok(one.first.chat.isRunning);
        one.open();
        await pass(between);
        await one.send('Hello');
        await assertMoved(one, ['Before']);
        assert.ok(one.first.chat.isRunning);
      }
    });

    it(`give the message to the new chat where it overtook, with ${slow} moments`, async () => {
      for (const between of moments.slice(0, 12)) {
        const one = rig(slow);
        const sent = one.send('Hello');
        await pass(between);
        const hasReply = one.first.chat.conversation.turns.length > 0;
        one.open();
        await sent;
        if (!hasReply) await assertMoved(one, []);
      }
    });
  }

  it('leave a message that was queued just before to the new chat', async () => {
    const one = rig(0, true);
    await one.send('Before');
    await one.clock.advance(600);
    await one.send('Hello');
    assert.equal(one.first.queue.messages.length, 1);
    one.open();
    await assertMoved(one, ['Before']);
  });

  it('leave a message in its chat whose reply is there, however soon', async () => {
    const one = rig(0);
    await one.send('Hello');
    while (one.first.chat.conversation.turns.length === 0) await pass(1);
    one.open();
    assert.notEqual(one.shown(), one.first);
    await idle(one);
    assert.deepEqual(one.shown().chat.conversation.turns, []);
  });

  it('leave an earlier message in its chat, and a later one to the page that sent it', async () => {
    const one = rig(0);
    await one.send('Hello');
    await idle(one);
    await one.clock.advance(600);
    one.open();
    await one.clock.advance(600);
    await one.send('Later');
    await idle(one);
    assert.deepEqual(one.shown().chat.conversation.turns, []);
    assert.equal(one.first.chat.conversation.turns.length, 2);
  });

  it('stay in a chat that is empty', async () => {
    const one = rig(0);
    assert.equal(one.open(), one.first);
    await one.first.composer.setDraft('A draft');
    assert.equal(one.open(), one.first);
    await one.send('Hello');
    assert.notEqual(one.open(), one.first);
  });
});

describe('another version of a reply', () => {
  it('is shown once no reply is running, and summaries are switched only then', async () => {
    const one = rig(0, true);
    const { chat } = one.first;
    await one.send('Hello');
    await one.clock.advance(10);
    assert.ok(chat.isRunning);
    const select = (turn: string) =>
      one.first.request({ name: 'select-version', parameters: { turn } });
    await assert.rejects(select('any'), /Wait for the reply, or stop it first\./);
    const summary = { name: 'use-summary', parameters: { summary: 's', used: false } } as const;
    await assert.rejects(one.first.request(summary), /Wait for the reply, or stop it first\./);
    chat.stop();
    await idle(one);
    const [first] = chat.conversation.turns;
    assert.ok(first !== undefined);
    await chat.resend(first.id, {});
    await select(first.id);
    assert.equal(chat.conversation.turns[0]?.id, first.id);
  });
});

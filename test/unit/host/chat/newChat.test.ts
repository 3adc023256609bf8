import assert from 'node:assert/strict';
import { newId } from '../../../../src/core/support/id.ts';
import type { ChatOptions } from '../../../../src/host/chat/chat.ts';
import { NewChat } from '../../../../src/host/panel/newChat.ts';
import type { OpenChat } from '../../../../src/host/chat/openChat.ts';
import { toolRig } from '../../../support/toolTurn.ts';
import { FakeMemento } from '../fakes.ts';
import { openChat } from './openChatRig.ts';
import { noStorage } from '../../../support/memoryStorage.ts';

/** Waits between the command and the message: microtasks first, then turns of the event loop. */
async function pass(moments: number): Promise<void> {
  for (let moment = 0; moment < moments % 40; moment++) await Promise.resolve();
  for (let turn = 0; turn < moments / 40; turn++) await new Promise((next) => setImmediate(next));
}

/** @param hangs true if the first turn never ends by itself */
function rig(slow: number, hangs = false) {
  let prepared = 0;
  const tools = toolRig({ script: ['Yes.'] });
  const { clock, client } = tools;
  const start: Partial<ChatOptions> = {
    checkMessage: () => pass(slow),
    prepare: () => (hangs && ++prepared === 1 ? new Promise(() => undefined) : pass(slow)),
  };
  const create = (): OpenChat => {
    const open: OpenChat = openChat(
      { id: newId(), origin: 'new' },
      {
        clock,
        storage: noStorage,
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
  let current = first;
  return {
    clock,
    first,
    currentChat: () => current,
    /** Messages that moved from one chat to another. */
    moved,
    open: () => (current = newChat.open(current)),
    /** Sends a message from the page of the first chat. */
    send: (text: string): Promise<unknown> => first.request({ name: 'send', parameters: { text } }),
  };
}

type Rig = ReturnType<typeof rig>;

async function idle({ currentChat: shownChat, clock }: Rig): Promise<void> {
  for (let round = 0; round < 12; round++) {
    await clock.advance(10);
    await pass(400);
  }
  assert.equal(shownChat().chat.isBusy, false);
}

/** Asserts that the message is in the current chat, with its reply, and in no other. */
async function assertMoved(window: Rig, before: readonly string[]): Promise<void> {
  await idle(window);
  const { first } = window;
  const { chat, queue } = window.currentChat();
  assert.deepEqual(
    chat.conversation.turns.map(({ question, status }) => [question.text, status]),
    [['Hello', 'finished']],
  );
  assert.deepEqual([queue.messages, first.queue.messages], [[], []]);
  const { turns, running } = first.chat.conversation;
  const turnsInFirst = [...turns, ...(running === undefined ? [] : [running])];
  if (first === window.currentChat()) return;
  assert.deepEqual(
    turnsInFirst.map(({ question }) => question.text),
    before,
  );
  // Lets the caller move what belongs to the message, such as images.
  assert.deepEqual(window.moved, [['Hello', first, window.currentChat()]]);
}

const moments = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 39, 40, 80, 120, 200, 400];

describe('New Chat and a message that is sent after it', () => {
  for (const slow of [0, 3, 80]) {
    it(`are in order with any delay between them, with ${slow} steps to prepare`, async () => {
      for (const between of moments) {
        const window = rig(slow);
        window.open();
        await pass(between);
        await window.send('Hello');
        await assertMoved(window, []);
      }
    });

    it(`are in order during a reply, with ${slow} steps to prepare`, async () => {
      for (const between of moments) {
        const window = rig(slow, true);
        await window.send('Before');
        await window.clock.advance(600);
        assert.ok(window.first.chat.isRunning);
        window.open();
        await pass(between);
        await window.send('Hello');
        await assertMoved(window, ['Before']);
        assert.ok(window.first.chat.isRunning);
      }
    });

    it(`send the message in the new chat if it overtook the command, with ${slow} steps`, async () => {
      for (const between of moments.slice(0, 12)) {
        const window = rig(slow);
        const sent = window.send('Hello');
        await pass(between);
        const hasReply = window.first.chat.conversation.turns.length > 0;
        window.open();
        await sent;
        if (!hasReply) await assertMoved(window, []);
      }
    });
  }

  it('send a message that was queued just before in the new chat', async () => {
    const window = rig(0, true);
    await window.send('Before');
    await window.clock.advance(600);
    await window.send('Hello');
    assert.equal(window.first.queue.messages.length, 1);
    window.open();
    await assertMoved(window, ['Before']);
  });

  it('keep a message in its chat if its reply has arrived, however soon', async () => {
    const window = rig(0);
    await window.send('Hello');
    while (window.first.chat.conversation.turns.length === 0) await pass(1);
    window.open();
    assert.notEqual(window.currentChat(), window.first);
    await idle(window);
    assert.deepEqual(window.currentChat().chat.conversation.turns, []);
  });

  it('keep an earlier message in its chat, and a later one in that of its page', async () => {
    const window = rig(0);
    await window.send('Hello');
    await idle(window);
    await window.clock.advance(600);
    window.open();
    await window.clock.advance(600);
    await window.send('Later');
    await idle(window);
    assert.deepEqual(window.currentChat().chat.conversation.turns, []);
    assert.equal(window.first.chat.conversation.turns.length, 2);
  });

  it('use the current chat if it is empty', async () => {
    const window = rig(0);
    assert.equal(window.open(), window.first);
    await window.first.composer.setDraft('A draft');
    assert.equal(window.open(), window.first);
    await window.send('Hello');
    assert.notEqual(window.open(), window.first);
  });
});

describe('another version of a reply', () => {
  it('is shown when no reply is running, and summaries are switched only then', async () => {
    const window = rig(0, true);
    const { chat } = window.first;
    await window.send('Hello');
    await window.clock.advance(10);
    assert.ok(chat.isRunning);
    const select = (turn: string) =>
      window.first.request({ name: 'select-version', parameters: { turn } });
    await assert.rejects(select('any'), /Wait for the reply, or stop it first\./);
    const summary = { name: 'use-summary', parameters: { summary: 's', used: false } } as const;
    await assert.rejects(window.first.request(summary), /Wait for the reply, or stop it first\./);
    chat.stop();
    await idle(window);
    const [first] = chat.conversation.turns;
    assert.ok(first !== undefined);
    await chat.resend(first.id, {});
    await select(first.id);
    assert.equal(chat.conversation.turns[0]?.id, first.id);
  });
});

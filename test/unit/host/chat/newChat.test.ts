import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/core/support/event.ts';
import type { OpenChat } from '../../../../src/host/chat/openChat.ts';
import type { OpenChats } from '../../../../src/host/chat/openChats.ts';
import { noStorage } from '../../../support/memoryStorage.ts';
import { toolRig } from '../../../support/toolTurn.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { FakeMemento } from '../fakes.ts';
import { FakePlace, openChats, Page } from './openChatRig.ts';

const { ChatPanel } = await withoutVsCode(() => import('../../../../src/host/panel/chatPanel.ts'));

/** Waits for microtasks first, then for turns of the event loop. */
async function pass(moments: number): Promise<void> {
  for (let moment = 0; moment < moments % 40; moment++) await Promise.resolve();
  for (let turn = 0; turn < moments / 40; turn++) await new Promise((next) => setImmediate(next));
}

/** A tab with its page, which knows only the chats that it was sent. */
class Tab extends FakePlace {
  override isInFront = true;
  readonly #fromView = new Emitter<unknown>();
  readonly #page: InstanceType<typeof Page>;
  /** Id of the chat that the page shows. */
  visible = '';
  readonly answers: (string | undefined)[] = [];

  constructor(chats: OpenChats) {
    super(chats, chats.create());
    this.#page = new Page({
      port: {
        post: (message) => {
          if (message.type === 'snapshot') this.visible = message.snapshot.conversation.id;
          if (message.type === 'answer') this.answers.push(message.error);
        },
        listen: this.#fromView.event,
      },
      open: this.openChat,
      chats,
      keepDraft: () => Promise.reject(new Error('closed')),
      references: () => Promise.resolve([]),
      refusal: String,
      onDidFocus: () => undefined,
      schedule: (work) => work(),
    });
    this.#fromView.fire({ type: 'ready' });
  }

  override show(open: OpenChat): void {
    this.#page.show(open);
    super.show(open);
  }

  /** Sends a message. Returns the id of the chat that the page shows. */
  send(text: string): string {
    const { visible } = this;
    const call = { name: 'send', parameters: { text } };
    this.#fromView.fire({ type: 'request', id: 1, conversation: visible, call });
    return visible;
  }
}

/**
 * @param slow moments that each step before a request takes
 * @param hangs true if the first turn never ends by itself
 */
async function rig(slow: number, hangs = false) {
  let prepared = 0;
  const { clock, client } = toolRig({ script: ['Yes.'] });
  const { chats, sidebar } = openChats({
    clock,
    storage: noStorage,
    state: new FakeMemento(),
    chat: {
      checkMessage: () => pass(slow),
      prepare: () => (hangs && ++prepared === 1 ? new Promise(() => undefined) : pass(slow)),
      connect: () => Promise.resolve({ client, demo: false }),
    },
    async requireModel() {
      await pass(slow);
      return 'mistral/mistral-small';
    },
  });
  const tab = new Tab(chats);
  chats.addPlace(tab);
  const panel = new ChatPanel({
    chats,
    sidebar,
    model: { current: () => ({ id: 'm' }) },
    requireModel: () => Promise.resolve('m'),
  });
  await pass(400);
  return { clock, chats, tab, newChat: () => panel.newChat() };
}

type Rig = Awaited<ReturnType<typeof rig>>;

async function idle({ clock }: Rig): Promise<void> {
  for (let round = 0; round < 8; round++) {
    await clock.advance(10);
    await pass(400);
  }
}

/** All messages that were sent or wait in a queue, each with the id of its chat. */
function messagesOf({ chats }: Rig): readonly (readonly [string, string])[] {
  return chats.all.flatMap(({ chat, queue }) => {
    const { id, turns, running } = chat.conversation;
    const sent = [...turns, ...(running === undefined ? [] : [running])];
    return [...sent.map(({ question }) => question), ...queue.messages].map(
      ({ text }) => [text, id] as const,
    );
  });
}

describe('a message that is sent around New Chat', () => {
  const moments = [0, 1, 2, 3, 5, 8, 12, 20, 39, 40, 80, 400];

  for (const before of ['nothing', 'a reply', 'a running reply'] as const)
    for (const order of ['before', 'after'] as const)
      for (const slow of [0, 80])
        it(`is in the chat that its page shows, and only there: ${order} it, after ${before}, with ${slow} steps to prepare`, async () => {
          for (const between of moments) {
            const window = await rig(slow, before === 'a running reply');
            const { tab, newChat } = window;
            const first = before === 'nothing' ? [] : [['Before', tab.send('Before')] as const];
            if (before !== 'nothing') await idle(window);
            assert.equal(tab.openChat.chat.isRunning, before === 'a running reply');
            if (order === 'after') await newChat();
            await pass(order === 'after' ? between : 0);
            const visible = tab.send('Hello');
            await pass(order === 'before' ? between : 0);
            if (order === 'before') await newChat();
            await idle(window);
            assert.deepEqual(messagesOf(window), [...first, ['Hello', visible]]);
            assert.deepEqual(new Set(tab.answers), new Set([undefined]));
          }
        });

  it('goes to the new chat as soon as the page shows it', async () => {
    const window = await rig(0);
    const { tab, newChat } = window;
    const before = tab.send('Before');
    await idle(window);
    await newChat();
    await idle(window);
    const visible = tab.send('Hello');
    await idle(window);
    assert.equal(visible, tab.openChat.id);
    assert.deepEqual(messagesOf(window), [
      ['Before', before],
      ['Hello', visible],
    ]);
  });
});

describe('New Chat', () => {
  it('stays in a chat that is empty, whose draft is kept', async () => {
    const { tab, newChat } = await rig(0);
    const first = tab.openChat;
    await newChat();
    await first.composer.setDraft('A draft');
    await newChat();
    assert.equal(tab.openChat, first);
    assert.equal(first.composer.draft, 'A draft');
  });
});

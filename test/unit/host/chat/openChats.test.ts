import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Conversation, Turn } from '../../../../src/core/conversation/conversation.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { reduceWindow, type ConversationWindow } from '../../../../src/core/conversation/window.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import type { ChatPage } from '../../../../src/host/chat/chatPage.ts';
import type { Chat } from '../../../../src/host/chat/chat.ts';
import type { OpenChats } from '../../../../src/host/chat/openChats.ts';
import { forgetChat } from '../../../../src/host/chat/chatMemento.ts';
import type { HostMessage } from '../../../../src/protocol/messages.ts';
import type { Call } from '../../../../src/protocol/rpc.ts';
import { Draft } from '../../../../src/webview/state/draft.ts';
import type { ChatHost } from '../../../../src/host/chat/chat.ts';
import { MemoryStorage } from '../../../support/memoryStorage.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { FakeMemento } from '../fakes.ts';
import { FakePlace, openChats, Page, pagesOf, SlowModel } from './openChatRig.ts';
import { settled } from '../../../support/settled.ts';

/** Time of day, shared by all pages. */
let timeOfDay = 0;

/** A place with a page that knows only what it was sent. */
class FakePage extends FakePlace {
  readonly #page: ChatPage;
  readonly #fromView = new Emitter<unknown>();
  readonly #draft = new Draft(({ conversation, text }, onStored) => {
    const parameters = { text, at: (timeOfDay += 1) };
    this.#onStored.set(this.#request(conversation, { name: 'draft', parameters }), onStored);
  });
  /** Callbacks of the requests that wait for the host's answer. */
  readonly #onStored = new Map<number, () => void>();
  window: ConversationWindow | undefined;
  #requests = 0;

  constructor(chats: OpenChats, chat = chats.inSidebar) {
    super(chats, chat);
    this.#page = new Page(
      { post: (message) => this.#receive(message), listen: this.#fromView.event },
      chat,
      pagesOf(chats),
      () => chats.setFocused(this),
      (work) => work(),
    );
    this.#fromView.fire({ type: 'ready' });
  }

  override show(open: Chat): void {
    this.#page.show(open);
    super.show(open);
  }

  override replace(open: Chat): void {
    this.#page.replace(open);
    super.replace(open);
  }

  /** Hides the tab, whose page VS Code then discards. */
  hide(chats: OpenChats): void {
    this.isVisible = false;
    this.window = undefined;
    chats.notePlaces();
  }

  /** Shows the tab, whose page VS Code then loads again. */
  reload(chats: OpenChats): void {
    this.isVisible = true;
    chats.notePlaces();
    this.#fromView.fire({ type: 'ready' });
  }

  get conversation(): string {
    return this.window?.conversation.id ?? '';
  }

  get draft(): string {
    return this.#draft.text.value;
  }

  type(text: string): void {
    this.#draft.replace(this.draft + text);
    this.#draft.flush();
  }

  request(call: Call): void {
    this.#request(this.conversation, call);
  }

  #request(conversation: string, call: Call): number {
    const id = (this.#requests += 1);
    this.#fromView.fire({ type: 'call', id, conversation, call });
    return id;
  }

  #receive(message: HostMessage): void {
    if (!this.isVisible) return;
    if (message.type === 'snapshot') {
      const { snapshot } = message;
      this.window = snapshot;
      this.#draft.load(snapshot.conversation.id, snapshot.draft, snapshot.draftAt);
    }
    if (message.type === 'draft') this.#draft.adopt(message.text);
    if (message.type === 'answer' && message.error === undefined)
      this.#onStored.get(message.id)?.();
    if (message.type !== 'events' || this.window === undefined) return;
    for (const event of message.events) {
      const next: ConversationWindow | undefined = reduceWindow(this.window, event);
      assert.ok(next !== undefined, `${event.type} is of another chat`);
      this.window = next;
    }
    this.#fromView.fire({ type: 'acknowledge' });
  }
}

function rig(
  state = new FakeMemento(),
  storage = new MemoryStorage(),
  mostIdle?: number,
  chat: Partial<ChatHost> = {},
) {
  const clock = new ManualClock();
  const model = new SlowModel();
  const { client } = model;
  const { chats, sidebar } = openChats({ clock, state, storage, client, chat }, mostIdle);
  return { clock, model, chats, sidebar, state, storage, journals: storage.texts };
}

function turnsOf({ turns, running }: Pick<Conversation, 'turns' | 'running'>): readonly Turn[] {
  return running === undefined ? turns : [...turns, running];
}

function questionsOf(open: Chat): readonly string[] {
  return turnsOf(open.conversation).map(({ question }) => question.text);
}

const step = fc.record({
  act: fc.constantFrom(
    ...(['create', 'show', 'send', 'send', 'send', 'type', 'step', 'step', 'stop'] as const),
    ...(['open', 'wait', 'hide', 'leave', 'leave', 'see', 'finish', 'finish'] as const),
  ),
  page: fc.nat(2),
  chat: fc.nat(4),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Takes the steps, lets all replies finish, and shows all pages. */
async function walk(steps: readonly Step[], mostIdle: number) {
  const window = rig(undefined, undefined, mostIdle);
  const { clock, model, chats, sidebar } = window;
  const pages = [chats.inSidebar, chats.create(), chats.create()].map(
    (open) => new FakePage(chats, open),
  );
  for (const page of pages) chats.addPlace(page);
  /** Text that was typed, and messages that were sent, by chat. */
  const drafts = new Map<string, string>();
  const sent = new Map<string, string>();
  /** Chat ids in the order in which the chats were opened. */
  const ids = new Set<string>();
  await settled();
  for (const { act, page: number, chat } of steps) {
    const page = pages[number];
    assert.ok(page !== undefined);
    const { conversation } = page;
    const known = [...ids];
    const other = known[chat % Math.max(1, known.length)];
    const open = known.filter((id) => chats.find(id) !== undefined);
    if ((act === 'hide' || act === 'leave') && page.isVisible) page.hide(chats);
    if (act === 'see' && !page.isVisible) page.reload(chats);
    if (act === 'step') model.step();
    if (act === 'finish') await model.finish();
    if (act === 'wait' || act === 'leave') await clock.advance(6000);
    if (page.isVisible) {
      if (act === 'create') page.show(chats.create());
      if (act === 'show') page.show(chats.open(open[chat % open.length] ?? sidebar.chat.id));
      if (act === 'open' && other !== undefined) page.show(chats.open(other));
      if (act === 'send') {
        const text = `q${sent.size}`;
        sent.set(text, conversation);
        page.request({ name: 'send', parameters: { text } });
      }
      if (act === 'type') {
        page.type('x');
        drafts.set(conversation, `${drafts.get(conversation) ?? ''}x`);
      }
      if (act === 'stop') page.request({ name: 'stop', parameters: {} });
    }
    // Some steps come before the pages have caught up.
    if (act !== 'show' && act !== 'create') await settled();
    for (const open of chats.all) ids.add(open.id);
  }
  for (const page of pages) if (!page.isVisible) page.reload(chats);
  for (let round = 0; round < 10; round++) await model.finish();
  await chats.leave();
  return { ...window, pages, ids, drafts, sent };
}

describe('the chats of a window', () => {
  it('stay separate in any order of actions: their pages, journals, queues and drafts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 60 }),
        fc.constantFrom(0, 1, Infinity),
        async (steps, mostIdle) => {
          const { chats, state, journals, pages, drafts, sent } = await walk(steps, mostIdle);
          const inSidebar = chats.inSidebar;
          if (!inSidebar.isBlank) assert.equal(state.get('aside.openChat'), inSidebar.id);
          for (const page of pages) {
            assert.equal(page.conversation, page.chat.conversation.id);
            assert.deepEqual(page.window?.conversation, page.chat.conversation);
          }
          for (const open of chats.all) {
            const { id, turns } = open.conversation;
            assert.equal(open.composer.draft, drafts.get(id) ?? '');
            const queued = open.queue.shown.map(({ text }) => text);
            for (const text of [...questionsOf(open), ...queued]) assert.equal(sent.get(text), id);
            if (turns.length === 0) continue;
            const journal = readJournal(id, journals.get(id) ?? '').conversation;
            assert.deepEqual(journal, open.conversation);
          }
          const stored = [...journals].flatMap(([id, text]) =>
            readJournal(id, text).conversation.turns.map(({ question }) => [question.text, id]),
          );
          for (const [text = '', id] of stored) assert.equal(sent.get(text), id);
          const queued = chats.all.flatMap(({ queue }) => queue.shown);
          assert.equal(stored.length + queued.length, sent.size, 'a message is lost');
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are in memory only if visible or needed, except for the last ones', async () => {
    for (const mostIdle of [0, 1, 3]) {
      const { chats, model, clock } = rig(undefined, undefined, mostIdle);
      const pages = [0, 1, 2, 3, 4].map(() => new FakePage(chats, chats.create()));
      for (const page of pages) {
        chats.addPlace(page);
        await settled();
        page.request({ name: 'send', parameters: { text: 'Hello' } });
      }
      const inMemory = (): readonly boolean[] =>
        pages.map(({ chat: openChat }) => openChat.conversation.turns.length > 0);
      await model.finish();
      const [first] = pages;
      first?.type('A draft');
      for (const page of pages) page.hide(chats);
      await clock.advance(60_000);
      await settled();
      assert.deepEqual(
        inMemory(),
        pages.map((_, index) => index >= pages.length - mostIdle),
      );
      assert.equal(first?.chat.isBlank, false);
      first.reload(chats);
      await settled();
      assert.equal(first.draft, 'A draft');
      assert.equal(first.window?.conversation.turns[0]?.status, 'finished');
      assert.equal(inMemory()[0], true);
      await clock.advance(60_000);
      assert.equal(inMemory()[0], true, 'it is seen');
    }
  });

  it('continue while others are visible, and close when no longer needed', async () => {
    const { chats, sidebar, model, clock } = rig();
    const [first] = chats.all;
    assert.ok(first !== undefined);
    void first.send({ text: 'Hello', attachments: [] }, 'm');
    await settled();
    sidebar.show(chats.create());
    await clock.advance(60_000);
    assert.equal(chats.isRunning(first.id), true);
    chats.setUnread(first, true);
    await model.finish();
    await clock.advance(60_000);
    assert.equal(chats.find(first.id), first, 'its reply was not seen');
    assert.equal(chats.isRunning(first.id), false);
    chats.setUnread(first, false);
    chats.closeUnneeded();
    await clock.advance(60_000);
    await settled();
    assert.equal(chats.find(first.id), undefined);
    const again = chats.open(first.id);
    assert.notEqual(again, first);
    await again.allRead();
    assert.deepEqual(again.conversation, first.conversation);
  });

  it('restore drafts and queues after a reload, each its own', async () => {
    const { chats, sidebar, state, storage } = rig();
    const ids: string[] = [];
    for (const text of ['one', 'two']) {
      if (ids.length > 0) sidebar.show(chats.create());
      const { chat: openChat } = sidebar;
      ids.push(openChat.id);
      void openChat.send({ text, attachments: [] }, 'm');
      await settled();
      openChat.post({ text: `${text} more`, attachments: [] }, 'm');
      await openChat.composer.setDraft(`${text} draft`);
    }
    await chats.leave();
    const later = rig(state, storage);
    assert.equal(later.chats.inSidebar.id, ids[1]);
    for (const [index, text] of ['one', 'two'].entries()) {
      const open = later.chats.open(ids[index] ?? '');
      await open.allRead();
      assert.deepEqual(questionsOf(open), [text]);
      assert.equal(open.composer.draft, `${text} draft`);
      assert.deepEqual(
        open.queue.shown.map((message) => message.text),
        [`${text} more`],
      );
    }
  });

  it('restore text and attachments from before the first message after a reload', async () => {
    const attached = { id: 'a', name: 'a.ts', path: 'a.ts', language: 'ts', text: 'let a = 1;' };
    for (const text of ['', 'A draft'])
      for (const attachments of [[], [attached]]) {
        const { chats, sidebar, state, storage } = rig();
        const { composer } = sidebar.chat;
        if (text !== '') await composer.setDraft(text);
        for (const attachment of attachments) composer.attach(attachment);
        await settled();
        await chats.leave();
        const later = rig(state, storage).chats.inSidebar;
        await later.allRead();
        assert.equal(later.composer.draft, text);
        assert.deepEqual(later.composer.attachments, attachments);
        const isKept = text !== '' || attachments.length > 0;
        assert.equal(state.get('aside.openChat'), isKept ? later.id : undefined);
      }
  });

  it('adopt the state of a version with a single chat', async () => {
    const state = new FakeMemento();
    await state.update('aside.draft', 'An old draft');
    await state.update('aside.openChat', 'old');
    const { chats, sidebar } = rig(state);
    assert.equal(sidebar.chat.composer.draft, 'An old draft');
    assert.equal(chats.create().composer.draft, '');
    await sidebar.chat.composer.setDraft('A new draft');
    assert.equal(state.get('aside.draft'), undefined);
    assert.deepEqual(state.get('old aside.draft'), { text: 'A new draft', at: 0 });
    await forgetChat(state, 'old');
    assert.deepEqual([...state.stored.keys()], ['aside.openChat']);
  });

  it('send, write and lose nothing once they are deleted, whatever was pending', async () => {
    for (const pending of ['check', 'connection', 'reply', 'queue'] as const) {
      const waiting: (() => void)[] = [];
      const wait = (at: string): Promise<void> =>
        at === pending ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
      const sent: unknown[] = [];
      const window = rig(undefined, undefined, undefined, {
        checkMessage: () => wait('check'),
        connect: async () => {
          await wait('connection');
          const { client } = window.model;
          const stream: typeof client.stream = (request, ...more) => {
            sent.push(request);
            return client.stream(request, ...more);
          };
          return { client: { ...client, stream }, demo: false };
        },
      });
      const { chats, sidebar, journals, model, state } = window;
      const { chat: openChat } = sidebar;
      const { id } = openChat;
      // Awaited at the end: a chat that is closed rejects them before.
      const ask = (text: string): Promise<unknown> =>
        Promise.allSettled([openChat.request({ name: 'send', parameters: { text } })]);
      const asks = [ask('Hello')];
      await settled();
      if (pending === 'queue') asks.push(ask('And then?'));
      await settled();
      const requests = sent.length;
      await chats.close(id);
      assert.equal(chats.find(id), undefined);
      assert.notEqual(sidebar.chat, openChat);
      const before = [journals.get(id), openChat.conversation];
      const late = openChat.send({ text: 'Late', attachments: [] }, 'm');
      asks.push(Promise.allSettled([late]));
      for (const go of waiting) go();
      await model.finish();
      await Promise.all(asks);
      assert.equal(sent.length, requests, pending);
      assert.deepEqual([journals.get(id), openChat.conversation], before, pending);
      assert.equal(state.get('aside.unsaved'), undefined);
    }
  });

  it('are shown in their tabs if they have one, otherwise in the side bar', async () => {
    const { chats, sidebar } = rig();
    const tab = new FakePlace(chats, chats.create());
    chats.addPlace(tab);
    const { chat: openChat } = sidebar;
    await chats.show(tab.chat.id);
    assert.deepEqual([tab.revealed, sidebar.revealed], [1, 0]);
    assert.equal(sidebar.chat, openChat);
    await chats.show('stored');
    assert.equal(sidebar.chat.id, 'stored');
    assert.deepEqual([tab.revealed, sidebar.revealed], [1, 1]);
    assert.equal(chats.tabOf(sidebar.chat), undefined);
  });

  it('are the target of commands: that of the active tab, otherwise that of the side bar', () => {
    const { chats, sidebar } = rig();
    const tab = new FakePlace(chats, chats.create());
    chats.addPlace(tab);
    assert.equal(chats.focused, sidebar.chat);
    tab.isInFront = true;
    chats.setFocused(sidebar);
    assert.equal(chats.focused, sidebar.chat, 'the sidebar had the focus since');
    chats.setFocused(tab);
    assert.equal(chats.focused, tab.chat);
    tab.isInFront = false;
    assert.equal(chats.focused, sidebar.chat, 'a file is in front');
    tab.isInFront = true;
    chats.removePlace(tab);
    assert.equal(chats.focused, sidebar.chat);
  });
});

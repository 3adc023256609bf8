import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Conversation, Turn } from '../../../../src/core/conversation/conversation.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { reduceWindow, type ConversationWindow } from '../../../../src/core/conversation/window.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import type { ChatPage } from '../../../../src/host/chat/chatPage.ts';
import type { OpenChat } from '../../../../src/host/chat/openChat.ts';
import type { OpenChats } from '../../../../src/host/chat/openChats.ts';
import type { HostMessage } from '../../../../src/protocol/messages.ts';
import { Draft } from '../../../../src/webview/state/draft.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { runs } from '../../../support/sample.ts';
import { FakeMemento } from '../fakes.ts';
import { FakePlace, openChats, Page, SlowModel } from './openChatRig.ts';
import { settled } from './windowRig.ts';

/** The time of day, which is the same for all pages. */
let timeOfDay = 0;

/** A place with a page, and with what the page knows of its chat: nothing but what it was sent. */
class ShownPage extends FakePlace {
  readonly #page: ChatPage;
  readonly #fromView = new Emitter<unknown>();
  readonly #draft = new Draft((draft) =>
    this.#fromView.fire({ type: 'draft', ...draft, at: (timeOfDay += 1) }),
  );
  window: ConversationWindow | undefined;
  #requests = 0;

  constructor(chats: OpenChats, shown = chats.inSidebar) {
    super(chats, shown);
    this.#page = new Page({
      port: { post: (message) => this.#receive(message), listen: this.#fromView.event },
      shown,
      chats,
      keepDraft: () => Promise.reject(new Error('closed')),
      references: () => Promise.resolve([]),
      refusal: String,
      onDidFocus: () => chats.noteFocus(this),
      schedule: (work) => work(),
    });
    this.#fromView.fire({ type: 'ready' });
  }

  override show(open: OpenChat): void {
    this.#page.show(open);
    super.show(open);
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

  request(request: object): void {
    const { conversation } = this;
    const id = (this.#requests += 1);
    this.#fromView.fire({ type: 'request', id, conversation, request });
  }

  close(chats: OpenChats): void {
    this.#page.dispose();
    chats.removePlace(this);
  }

  #receive(message: HostMessage): void {
    if (message.type === 'snapshot') {
      const { snapshot } = message;
      this.window = snapshot;
      this.#draft.load(snapshot.conversation.id, snapshot.draft, snapshot.draftAt);
    }
    if (message.type === 'draft') this.#draft.adopt(message.text);
    if (message.type === 'draft-stored') this.#draft.confirm(message.number);
    if (message.type !== 'events' || this.window === undefined) return;
    for (const event of message.events) {
      const next: ConversationWindow | undefined = reduceWindow(this.window, event);
      assert.ok(next !== undefined, `${event.type} is of another chat`);
      this.window = next;
    }
    this.#fromView.fire({ type: 'acknowledge' });
  }
}

function rig(state = new FakeMemento(), journals = new Map<string, string>()) {
  const clock = new ManualClock();
  const model = new SlowModel();
  const news = new Set<OpenChat>();
  const storage = {
    append: (id: string, text: string) =>
      Promise.resolve(void journals.set(id, (journals.get(id) ?? '') + text)),
    read: (id: string) => Promise.resolve(journals.get(id)),
  };
  const { client } = model;
  const chat = { connect: () => Promise.resolve({ client, demo: false }) };
  const { chats, sidebar } = openChats({ clock, state, storage, chat }, (open) => news.has(open));
  return { clock, model, chats, sidebar, state, journals, news };
}

function turnsOf({ turns, running }: Pick<Conversation, 'turns' | 'running'>): readonly Turn[] {
  return running === undefined ? turns : [...turns, running];
}

function questionsOf(open: OpenChat): readonly string[] {
  return turnsOf(open.chat.conversation).map(({ question }) => question.text);
}

const step = fc.record({
  act: fc.constantFrom(
    ...(['create', 'show', 'show', 'send', 'send', 'type', 'step', 'step', 'stop'] as const),
    ...(['open', 'wait', 'unqueue'] as const),
  ),
  page: fc.nat(2),
  chat: fc.nat(4),
});

describe('the chats of a window', () => {
  it('stay apart in any order of what is done: their pages, journals, queues and drafts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const { clock, model, chats, sidebar, journals } = rig();
        const pages = [0, 1, 2].map(() => new ShownPage(chats));
        for (const page of pages) chats.addPlace(page);
        /** What was typed and sent in which chat. */
        const drafts = new Map<string, string>();
        const sent = new Map<string, string>();
        const ids = new Set<string>();
        let words = 0;
        await settled();
        for (const { act, page: number, chat } of steps) {
          const page = pages[number];
          assert.ok(page !== undefined);
          const { conversation } = page;
          const other = [...ids][chat % Math.max(1, ids.size)];
          if (act === 'create') page.show(chats.create());
          if (act === 'show') page.show(chats.all[chat % chats.all.length] ?? sidebar.shown);
          if (act === 'open' && other !== undefined) page.show(chats.open(other));
          if (act === 'send') {
            const text = `q${(words += 1)}`;
            sent.set(text, conversation);
            page.request({ type: 'send', text });
          }
          if (act === 'type') {
            page.type('x');
            drafts.set(conversation, `${drafts.get(conversation) ?? ''}x`);
          }
          if (act === 'stop') page.request({ type: 'stop' });
          if (act === 'step') model.step();
          if (act === 'wait') await clock.advance(6000);
          // The pages are slower than some of the steps.
          if (act !== 'show' && act !== 'create') await settled();
          for (const open of chats.all) ids.add(open.id);
        }
        for (let round = 0; round < 40; round++) {
          model.step();
          await settled();
        }
        for (const page of pages) {
          assert.equal(page.conversation, page.shown.chat.conversation.id);
          assert.deepEqual(page.window?.conversation, page.shown.chat.conversation);
        }
        await chats.leave();
        for (const open of chats.all) {
          const { id, turns } = open.chat.conversation;
          assert.equal(open.composer.draft, drafts.get(id) ?? '');
          const queued = open.queue.messages.map(({ text }) => text);
          for (const text of [...questionsOf(open), ...queued]) assert.equal(sent.get(text), id);
          if (turns.length === 0) continue;
          const journal = readJournal(id, journals.get(id) ?? '').conversation;
          assert.deepEqual(journal, open.chat.conversation);
        }
        const stored = [...journals].flatMap(([id, text]) =>
          readJournal(id, text).conversation.turns.map(({ question }) => [question.text, id]),
        );
        for (const [text = '', id] of stored) assert.equal(sent.get(text), id);
        const queued = chats.all.flatMap(({ queue }) => queue.messages);
        assert.equal(stored.length + queued.length, sent.size, 'a message is lost');
      }),
      { numRuns: runs(60) },
    );
  });

  it('are the same for all pages that show them, event by event', async () => {
    const { chats, model } = rig();
    const pages = [new ShownPage(chats), new ShownPage(chats)];
    const [one, other] = pages;
    assert.ok(one !== undefined && other !== undefined);
    for (const page of pages) chats.addPlace(page);
    await settled();
    one.type('He');
    await settled();
    assert.equal(other.draft, 'He');
    other.type('llo');
    await settled();
    assert.equal(one.draft, 'Hello');
    one.request({ type: 'send', text: 'Hello' });
    for (let round = 0; round < 4; round++) {
      await settled();
      assert.ok(one.window !== undefined);
      assert.deepEqual(one.window.conversation, other.window?.conversation);
      model.step();
    }
    assert.equal(one.window?.conversation.turns[0]?.status, 'finished');
    assert.deepEqual([one.draft, other.draft], ['', '']);
  });

  it('go on while others are shown, and close when nobody needs them any more', async () => {
    const { chats, sidebar, model, clock, news } = rig();
    const [first] = chats.all;
    assert.ok(first !== undefined);
    void first.chat.send({ text: 'Hello', attachments: [] }, 'm');
    await settled();
    sidebar.show(chats.create());
    await clock.advance(60_000);
    assert.equal(chats.isRunning(first.id), true);
    news.add(first);
    for (let round = 0; round < 4; round++) {
      model.step();
      await settled();
    }
    await clock.advance(60_000);
    assert.equal(chats.find(first.id), first.chat, 'its reply was not seen');
    assert.equal(chats.isRunning(first.id), false);
    news.clear();
    chats.closeUnneeded();
    await clock.advance(60_000);
    await settled();
    assert.equal(chats.find(first.id), undefined);
    const again = chats.open(first.id);
    assert.notEqual(again, first);
    await again.chat.restored();
    assert.deepEqual(again.chat.conversation, first.chat.conversation);
  });

  it('have what was typed and queued again after a reload, each its own', async () => {
    const { chats, sidebar, state, journals } = rig();
    const ids: string[] = [];
    for (const text of ['one', 'two']) {
      if (ids.length > 0) sidebar.show(chats.create());
      const { shown } = sidebar;
      ids.push(shown.id);
      void shown.chat.send({ text, attachments: [] }, 'm');
      await settled();
      shown.queue.add({ text: `${text} more`, attachments: [] }, 'm');
      await shown.composer.setDraft(`${text} draft`);
    }
    await chats.leave();
    const later = rig(state, journals);
    assert.equal(later.chats.inSidebar.id, ids[1]);
    for (const [index, text] of ['one', 'two'].entries()) {
      const open = later.chats.open(ids[index] ?? '');
      await open.chat.restored();
      assert.deepEqual(questionsOf(open), [text]);
      assert.equal(open.composer.draft, `${text} draft`);
      assert.deepEqual(
        open.queue.messages.map((message) => message.text),
        [`${text} more`],
      );
    }
  });

  it('store which one the sidebar shows, from its first message on', async () => {
    const { chats, sidebar, state } = rig();
    const openChat = (): unknown => state.get('aside.openChat');
    await settled();
    assert.equal(openChat(), undefined);
    void sidebar.shown.chat.send({ text: 'Hello', attachments: [] }, 'm');
    await settled();
    assert.equal(openChat(), sidebar.shown.id);
    sidebar.show(chats.create());
    assert.equal(openChat(), sidebar.shown.id);
    chats.addPlace(new FakePlace(chats, chats.create()));
    assert.equal(openChat(), sidebar.shown.id);
  });

  it('take over what a version with one chat at a time kept of it', async () => {
    const state = new FakeMemento();
    await state.update('aside.draft', 'An old draft');
    await state.update('aside.openChat', 'old');
    const { chats, sidebar } = rig(state);
    assert.equal(sidebar.shown.composer.draft, 'An old draft');
    assert.equal(chats.create().composer.draft, '');
    await sidebar.shown.composer.setDraft('A new draft');
    assert.equal(state.get('aside.draft'), undefined);
    assert.deepEqual(state.get('old aside.draft'), { text: 'A new draft', at: 0 });
    await chats.forget('old');
    assert.deepEqual([...state.stored.keys()], ['aside.openChat']);
  });

  it('are closed where one is deleted: it stops, and a new one is shown', async () => {
    const { chats, sidebar } = rig();
    const { shown } = sidebar;
    void shown.chat.send({ text: 'Hello', attachments: [] }, 'm');
    await settled();
    await chats.close(shown.id);
    assert.equal(chats.find(shown.id), undefined);
    assert.equal(shown.chat.conversation.turns[0]?.status, 'stopped');
    assert.notEqual(sidebar.shown, shown);
  });

  it('are those that commands act on: of the tab in front, else of the sidebar', () => {
    const { chats, sidebar } = rig();
    const tab = new FakePlace(chats, chats.create());
    chats.addPlace(tab);
    assert.equal(chats.current(), sidebar.shown.chat);
    tab.isInFront = true;
    chats.noteFocus(sidebar);
    assert.equal(chats.current(), sidebar.shown.chat, 'the sidebar had the focus since');
    chats.noteFocus(tab);
    assert.equal(chats.current(), tab.shown.chat);
    tab.isInFront = false;
    assert.equal(chats.current(), sidebar.shown.chat, 'a file is in front');
    tab.isInFront = true;
    chats.removePlace(tab);
    assert.equal(chats.current(), sidebar.shown.chat);
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Turn } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import type { Chat } from '../../../../src/host/chat/chat.ts';
import { ChatTaints } from '../../../../src/host/tools/toolChats.ts';
import type { HostMessage } from '../../../../src/protocol/messages.ts';
import type { Call } from '../../../../src/protocol/rpc.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { until } from '../../../support/until.ts';
import { MemoryStorage } from '../../../support/memoryStorage.ts';
import { settled } from '../../../support/settled.ts';
import { turnStart } from '../../../support/turns.ts';
import { openChats, Page, pagesOf, SlowModel } from './openChatRig.ts';

type Rig = ReturnType<typeof rig>;

function rig() {
  const model = new SlowModel();
  const clock = new ManualClock();
  const requests: CompletionRequest[] = [];
  const discarded: string[] = [];
  const client = {
    ...model.client,
    stream: (request: CompletionRequest, signal?: AbortSignal) => {
      requests.push(request);
      return model.client.stream(request, signal);
    },
  };
  const { chats, sidebar } = openChats({
    clock,
    storage: new MemoryStorage(),
    client,
    async discard(id) {
      discarded.push(id);
      await chats.close(id);
    },
  });
  const main = chats.inSidebar;
  /** Sends a request of the main chat's page. */
  const request = (
    name: 'ask-side-chat' | 'close-side-chat' | 'send',
    parameters: object,
  ): Promise<unknown> => {
    const call: Call<'ask-side-chat' | 'close-side-chat' | 'send'> =
      name === 'close-side-chat'
        ? { name, parameters }
        : { name, parameters: { text: '', ...parameters } };
    return main.request(call);
  };
  return { chats, sidebar, model, clock, main, requests, discarded, request };
}

/** Streams until no chat runs and no message waits. */
async function finish({ chats, model }: Rig): Promise<void> {
  await until(() => {
    model.step();
    return chats.all.every((chat) => !chat.isBusy && chat.queue.isEmpty);
  });
}

const textOf = ({ question, parts, status }: Turn): unknown => [
  question.text,
  status,
  parts.map((part) => ('text' in part ? part.text : part.type)).join(''),
];

function sideOf({ main }: Rig): Chat {
  const { current } = main.side;
  assert.ok(current !== undefined);
  return current;
}

describe('a side chat', () => {
  it('starts with the turns of its chat, without a running reply, and does not change the chat', async () => {
    const window = rig();
    await window.request('send', { text: 'first' });
    await finish(window);
    await window.request('send', { text: 'second' });
    await until(() => window.requests.length === 2);
    const before = window.main.conversation;
    await window.request('ask-side-chat', { text: 'aside' });
    await until(() => window.requests.length === 3);
    assert.equal(window.main.conversation, before);
    const [first, second, side] = window.requests.map(({ messages }) => messages);
    assert.deepEqual(side?.slice(0, -1), second?.slice(0, -1));
    assert.equal(JSON.stringify(side?.slice(0, 2)), JSON.stringify(first?.slice(0, 2)));
    assert.equal(side?.at(-1)?.content, 'aside');
    assert.deepEqual(window.main.panel.current().sideChat, {
      chat: sideOf(window).id,
      copied: 1,
      isRunning: true,
    });
    await assert.rejects(
      window.request('ask-side-chat', { text: 'another' }),
      /Wait for the reply/,
    );
    await finish(window);
    assert.deepEqual(sideOf(window).conversation.turns.slice(1).map(textOf), [
      ['aside', 'finished', 'aside-1 aside-2 '],
    ]);
    assert.equal(window.main.conversation.turns.length, 2);
    assert.equal(window.main.panel.current().sideChat?.isRunning, false);
  });

  it('continues with a second message, and can be released from its chat', async () => {
    const window = rig();
    await window.request('ask-side-chat', { text: 'one' });
    await finish(window);
    const side = sideOf(window);
    await window.request('ask-side-chat', { text: 'two' });
    await finish(window);
    assert.equal(sideOf(window), side);
    assert.equal(side.conversation.turns.length, 2);
    assert.equal(window.chats.isSideChat(side), true);
    assert.equal(window.main.side.release(), side);
    assert.equal(window.chats.isSideChat(side), false);
    assert.deepEqual(window.discarded, []);
  });

  it('is attached to the next message with all of its turns, and deleted', async () => {
    const window = rig();
    await window.request('ask-side-chat', { text: 'one' });
    const side = sideOf(window);
    await until(() => side.isRunning);
    await assert.rejects(
      window.request('close-side-chat', { action: 'attach' }),
      /Wait for the reply/,
    );
    await finish(window);
    await window.request('close-side-chat', { action: 'attach' });
    assert.deepEqual(
      window.main.composer.attachments.map(({ text }) => text),
      ['Side question: one\n\nReply: one-1 one-2 '],
    );
    assert.deepEqual(window.discarded, [side.id]);
    assert.equal(window.main.side.state, undefined);
  });

  it('is as tainted as its chat, and taints it if it is attached after a foreign call', async () => {
    const call = { id: 'call', name: 'fetch', arguments: '{}', round: 1 };
    const foreign: readonly ConversationEvent[] = [
      { type: 'tool-call-start', call },
      { type: 'tool-call-run', id: 'call', at: 1 },
    ];
    for (const where of ['chat', 'side chat', 'nowhere'] as const) {
      const window = rig();
      const taints = new ChatTaints(window.chats, () => false);
      if (where === 'chat')
        window.main.show([
          turnStart(),
          ...foreign,
          { type: 'turn-end', status: 'finished', at: 1 },
        ]);
      await window.request('ask-side-chat', { text: 'one' });
      const side = sideOf(window);
      await until(() => side.isRunning);
      if (where === 'side chat') side.show(foreign);
      assert.equal(taints.isTainted(side.id), where === 'chat', where);
      await finish(window);
      await window.request('close-side-chat', { action: 'attach' });
      const [attachment] = window.main.composer.attachments;
      assert.equal(attachment?.tainted, where === 'nowhere' ? undefined : true, where);
      taints.dispose();
    }
  });

  it('stays open while its chat is visible, and stops and closes when its chat does', async () => {
    const window = rig();
    const { chats, sidebar, main, clock } = window;
    await window.request('send', { text: 'first' });
    await finish(window);
    await window.request('ask-side-chat', { text: 'one' });
    const side = sideOf(window);
    await until(() => side.isRunning);
    assert.equal(chats.isVisible(side), true);
    await clock.advance(60_000);
    assert.ok(chats.all.includes(side));
    await chats.show(side.id);
    assert.equal(sidebar.chat, main, 'The card is beside its chat.');
    sidebar.show(chats.create());
    await until(() => !side.isRunning);
    assert.equal(side.conversation.turns.at(-1)?.status, 'stopped');
    await until(() => clock.waits.length > 0);
    await clock.advance(60_000);
    await until(() => !chats.all.includes(main));
    await clock.advance(60_000);
    assert.deepEqual(window.discarded, [], 'It stays among the saved chats.');
  });

  it('has a page inside the page of its chat, with its own back pressure', async () => {
    const window = rig();
    const fromView = new Emitter<unknown>();
    const posted: HostMessage[] = [];
    const page = new Page(
      { post: (message) => posted.push(message), listen: fromView.event },
      window.main,
      pagesOf(window.chats),
      () => undefined,
      (work) => work(),
    );
    fromView.fire({ type: 'ready' });
    await until(() => posted.length > 0);
    await window.request('ask-side-chat', { text: 'one' });
    const chat = sideOf(window).id;
    await until(() => sideOf(window).isRunning);
    const say = (message: object): void => fromView.fire({ type: 'side', chat, message });
    say({ type: 'ready' });
    const ofSide = (): HostMessage[] =>
      posted.flatMap((message) => (message.type === 'side' ? [message.message] : []));
    await until(() => ofSide().some(({ type }) => type === 'snapshot'));
    window.model.step();
    await until(() => ofSide().some(({ type }) => type === 'events'));
    window.model.step();
    await until(() => !sideOf(window).isRunning);
    assert.equal(ofSide().filter(({ type }) => type === 'events').length, 1);
    say({ type: 'acknowledge' });
    await until(() => ofSide().filter(({ type }) => type === 'events').length === 2);
    assert.ok(
      posted.every(({ type }) => type !== 'events'),
      'The chat itself has none.',
    );
    const call = { name: 'retry', parameters: { turn: 'none', chooseModel: false } };
    say({ type: 'call', id: 1, conversation: chat, call });
    await until(() => ofSide().some(({ type }) => type === 'answer'));
    await window.request('close-side-chat', {});
    const count = ofSide().length;
    say({ type: 'ready' });
    await settled();
    assert.equal(ofSide().length, count);
    page.dispose();
  });

  it('never changes its chat, in any order of actions', async () => {
    const main = fc.constantFrom('send', 'step', 'stop');
    const aside = fc.constantFrom('ask', 'stopAside', 'close', 'attach', 'release');
    const steps = fc.array(fc.oneof(main, aside), { maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(steps, async (names) => {
        const states: unknown[] = [];
        for (const hasAside of [true, false]) {
          const window = rig();
          let count = 0;
          for (const name of names) {
            count += 1;
            await play(window, name, `m${count}`, hasAside);
            await settled();
          }
          // After a stopped turn, the waiting messages are sent with the next one.
          const { isBusy, queue } = window.main;
          if (!isBusy && !queue.isEmpty) await window.request('send', {});
          await finish(window);
          states.push(window.main.conversation.turns.map(textOf));
          const asides = window.chats.all.filter(({ side: { current } }) => current !== undefined);
          assert.ok(asides.length <= 1);
          window.chats.dispose();
        }
        assert.deepEqual(states[0], states[1]);
      }),
      { numRuns: 120 },
    );
  });

  it('is gone from its chat once it was deleted elsewhere', async () => {
    const window = rig();
    await window.request('ask-side-chat', { text: 'one' });
    await finish(window);
    await window.chats.close(sideOf(window).id);
    assert.equal(window.main.side.current, undefined);
    await window.request('close-side-chat', {});
    await assert.rejects(window.request('ask-side-chat', { text: ' ' }), /Type a message/);
  });
});

async function play(window: Rig, name: string, text: string, hasAside: boolean): Promise<void> {
  const { main, model } = window;
  const refused = (): undefined => undefined;
  if (name === 'send') await window.request('send', { text });
  else if (name === 'step') model.step();
  else if (name === 'stop') main.stop();
  else if (!hasAside) return;
  else if (name === 'ask') await window.request('ask-side-chat', { text }).catch(refused);
  else if (name === 'stopAside') main.side.current?.stop();
  else if (name === 'close') await window.request('close-side-chat', {});
  else if (name === 'attach') {
    await window.request('close-side-chat', { action: 'attach' }).catch(refused);
    // The person's message has it.
    for (const { id } of main.composer.attachments) main.composer.remove(id);
  } else main.side.release();
}

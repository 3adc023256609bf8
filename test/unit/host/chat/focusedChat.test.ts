import assert from 'node:assert/strict';
import type { Chat } from '../../../../src/host/chat/chat.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { FakePlace, openChats, SlowModel } from './openChatRig.ts';
import { settled } from '../../../support/settled.ts';

const { FocusedChat } = await withoutVsCode(
  () => import('../../../../src/host/chat/focusedChat.ts'),
);

function rig() {
  const model = new SlowModel();
  const { chats, sidebar } = openChats({ client: model.client });
  const panel = new FocusedChat(
    chats,
    { stateOf: () => ({ kind: 'service', host: 'api.test' }) },
    { current: () => ({ id: 'm', fromWorkspace: false, missing: false }) },
    { requireModel: () => Promise.resolve('m') },
  );
  return { chats, sidebar, panel, model };
}

function messagesIn(open: Chat): readonly string[] {
  const { turns, running } = open.conversation;
  return [...turns, ...(running === undefined ? [] : [running])].map(
    ({ question }) => question.text,
  );
}

describe('commands on chats', () => {
  it('ask in a new chat that is shown, or in the background while a reply is running', async () => {
    const { chats, sidebar, panel, model } = rig();
    const asking = [panel.ask('one', { newChat: true })];
    await settled();
    const { chat: openChat } = sidebar;
    assert.deepEqual(messagesIn(openChat), ['one']);
    for (const text of ['two', 'three']) asking.push(panel.ask(text, { newChat: true }));
    await settled();
    assert.equal(sidebar.chat, openChat);
    assert.deepEqual(chats.all.map(messagesIn).toSorted(), [['one'], ['three'], ['two']]);
    await model.finish();
    const texts = (await Promise.all(asking)).map((result) => result?.text);
    assert.deepEqual(texts, ['one-1 one-2 ', 'two-1 two-2 ', 'three-1 three-2 ']);
    void panel.ask('four', { newChat: true });
    await settled();
    assert.notEqual(sidebar.chat, openChat);
    assert.deepEqual(messagesIn(sidebar.chat), ['four']);
  });

  it('act only on the focused chat: Stop, New Chat and asking', async () => {
    const { chats, sidebar, panel } = rig();
    const tab = new FakePlace(chats, chats.create());
    chats.addPlace(tab);
    for (const { chat: openChat } of [sidebar, tab])
      void openChat.send({ text: 'Hello', attachments: [] }, 'm').catch(() => undefined);
    await settled();
    tab.isInFront = true;
    panel.stop();
    await settled();
    assert.deepEqual([sidebar.chat.isRunning, tab.chat.isRunning], [true, false]);
    const before = [sidebar.chat, tab.chat];
    await panel.newChat();
    assert.equal(sidebar.chat, before[0]);
    assert.notEqual(tab.chat, before[1]);
    void panel.ask('In the tab', undefined);
    await settled();
    assert.deepEqual(messagesIn(tab.chat), ['In the tab']);
  });

  it('leave an empty chat open on New Chat, with its draft', async () => {
    const { sidebar, panel } = rig();
    const { chat: openChat } = sidebar;
    await openChat.composer.setDraft('A draft');
    await panel.newChat();
    assert.equal(sidebar.chat, openChat);
    assert.equal(openChat.composer.draft, 'A draft');
  });
});

import assert from 'node:assert/strict';
import type { ViewBadge } from 'vscode';
import type { Chat } from '../../../../src/host/chat/chat.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { Toolbox } from '../../../../src/core/tools/toolbox.ts';
import type { ChatHost } from '../../../../src/host/chat/chat.ts';
import { look, toolRig, usualLimits } from '../../../support/toolTurn.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { until } from '../../../support/until.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { FakePlace, openChats, SlowModel } from './openChatRig.ts';
import { settled } from '../../../support/settled.ts';
import { noEvents } from '../../../support/noEvents.ts';

const { WindowNotices } = await withoutVsCode(
  () => import('../../../../src/host/chat/windowNotices.ts'),
);
const { ChatTaints } = await withoutVsCode(() => import('../../../../src/host/tools/toolChats.ts'));

function rig(chat: Partial<ChatHost> = {}) {
  const clock = new ManualClock();
  const model = new SlowModel();
  const { chats, sidebar } = openChats({ clock, client: model.client, chat });
  const messages: string[] = [];
  const revealed: Chat[] = [];
  let badge: ViewBadge | undefined;
  const notices = new WindowNotices({
    chats,
    clock,
    focus: { isFocused: () => true, onDidChange: noEvents },
    level: () => 'all',
    notify(message) {
      messages.push(message);
      return Promise.resolve(message.includes('one'));
    },
    reveal: (open) => revealed.push(open),
  });
  notices.onDidChangeBadge((value) => (badge = value));
  const finish = async (): Promise<void> => {
    await model.finish();
    await clock.advance(1000);
    await settled();
  };
  return { clock, chats, sidebar, messages, revealed, badge: () => badge, notices, finish };
}

function ask(open: Chat, text: string, model = 'm'): void {
  open.send({ text, attachments: [] }, model).catch(() => undefined);
}

describe('the notices of several chats', () => {
  it('cover each hidden chat, add up in the badge, and lead to their chat', async () => {
    const { chats, sidebar, messages, revealed, badge, finish } = rig();
    const first = sidebar.chat;
    ask(first, 'one');
    sidebar.show(chats.create());
    const second = sidebar.chat;
    ask(second, 'two');
    sidebar.show(chats.create());
    ask(sidebar.chat, 'in sight');
    await settled();
    await finish();
    assert.deepEqual(messages.toSorted(), ['Reply ready: one', 'Reply ready: two']);
    assert.deepEqual(revealed, [first]);
    assert.deepEqual(badge(), { value: 2, tooltip: 'Reply ready' });
    sidebar.show(first);
    assert.equal(badge()?.value, 1);
    assert.deepEqual([chats.hasUnread(first.id), chats.hasUnread(second.id)], [false, true]);
    chats.addPlace(new FakePlace(chats, second));
    assert.equal(badge(), undefined);
  });

  it('leave the badge when their chat is deleted', async () => {
    const { chats, sidebar, badge, finish } = rig();
    const { chat: openChat } = sidebar;
    ask(openChat, 'two');
    sidebar.show(chats.create());
    await settled();
    await finish();
    assert.equal(badge()?.value, 1);
    await chats.close(openChat.id);
    assert.equal(badge(), undefined);
  });
});

describe('the chat that waits for the person', () => {
  it('is the focused one, otherwise one that waits, and none when it is visible', async () => {
    const { client } = toolRig({ script: [[['look', { name: 'x' }]]] });
    const toolbox = new Toolbox([look], {
      clock: new ManualClock(),
      redactor: createRedactor(),
      onError: assert.ifError,
    });
    const { chats, sidebar, notices } = rig({
      connect: () => Promise.resolve({ client, demo: false }),
      tools: () => Promise.resolve({ toolbox, ...usualLimits, maxRounds: 1 }),
    });
    const waiting = (): string | undefined => notices.waiting?.chat;
    const first = sidebar.chat;
    ask(first, 'first', 'mistral/mistral-small');
    sidebar.show(chats.create());
    await until(() => first.conversation.running?.status === 'paused');
    assert.equal(waiting(), first.id);
    assert.equal(notices.waiting?.text, 'Reply paused');
    const second = sidebar.chat;
    ask(second, 'second', 'mistral/mistral-small');
    sidebar.isVisible = false;
    chats.notePlaces();
    await until(() => second.conversation.running?.status === 'paused');
    assert.equal(chats.focused, second);
    assert.equal(waiting(), second.id);
    sidebar.isVisible = true;
    sidebar.show(first);
    assert.equal(waiting(), second.id, 'the first one is in sight');
    sidebar.show(second);
    assert.equal(waiting(), first.id);
    first.stop();
    await until(() => !first.isRunning);
    assert.equal(waiting(), undefined);
    second.stop();
  });
});

describe('the taint of several chats', () => {
  it('stays with the chat of the call, until that is closed', () => {
    const { chats, sidebar } = rig();
    const taints = new ChatTaints(chats, () => true);
    const other = chats.create();
    const [first, second] = [sidebar.chat, other].map(({ conversation }) => conversation.id);
    taints.noteExternalCall(second);
    assert.deepEqual([taints.isTainted(first), taints.isTainted(second)], [false, true]);
    taints.noteExternalCall(undefined);
    assert.equal(taints.isTainted(undefined), false);
    assert.equal(taints.isTainted(chats.create().conversation.id), false);
    taints.dispose();
  });
});

import assert from 'node:assert/strict';
import type { ViewBadge } from 'vscode';
import type { Conversation } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { Toolbox } from '../../../../src/core/tools/toolbox.ts';
import type { Chat, ChatHost } from '../../../../src/host/chat/chat.ts';
import { look, toolRig, usualLimits } from '../../../support/toolTurn.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { until } from '../../../support/until.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { FakePlace, openChats, SlowModel } from './openChatRig.ts';
import { settled } from '../../../support/settled.ts';
import { cases } from '../../../support/sample.ts';
import { turnStart } from '../../../support/turns.ts';
import type { NoticesWindow } from '../../../../src/host/chat/windowNotices.ts';
import type { OpenChats } from '../../../../src/host/chat/openChats.ts';

const { WindowNotices } = await withoutVsCode(
  () => import('../../../../src/host/chat/windowNotices.ts'),
);
const { ChatTaints } = await withoutVsCode(() => import('../../../../src/host/tools/toolChats.ts'));

type Level = ReturnType<NoticesWindow['level']>;

/** The notices of a window. */
class Rig {
  readonly clock = new ManualClock();
  readonly model = new SlowModel();
  readonly chats: OpenChats;
  readonly sidebar: FakePlace;
  readonly notices: InstanceType<typeof WindowNotices>;
  readonly messages: string[] = [];
  readonly revealed: Chat[] = [];
  readonly #focused = new Emitter<unknown>();
  isFocused = true;
  level: Level = 'all';
  badge: ViewBadge | undefined;
  #turns = 0;
  #calls = 0;

  constructor(host: Partial<ChatHost> = {}) {
    const { clock, model } = this;
    const { chats, sidebar } = openChats({ clock, client: model.client, chat: host });
    this.chats = chats;
    this.sidebar = sidebar;
    this.notices = new WindowNotices({
      chats,
      clock,
      focus: { isFocused: () => this.isFocused, onDidChange: this.#focused.event },
      level: () => this.level,
      notify: (message) => {
        this.messages.push(message);
        return Promise.resolve(message.includes('one'));
      },
      reveal: (open) => this.revealed.push(open),
    });
    this.notices.onDidChangeBadge((value) => (this.badge = value));
  }

  get conversation(): Conversation {
    return this.sidebar.chat.conversation;
  }

  get isInSight(): boolean {
    return this.sidebar.isVisible && this.isFocused;
  }

  /** What the status bar says. */
  waiting(): string | undefined {
    return this.notices.waiting?.text;
  }

  show(isVisible: boolean): void {
    this.sidebar.isVisible = isVisible;
    this.chats.notePlaces();
  }

  focus(isFocused: boolean): void {
    this.isFocused = isFocused;
    this.#focused.fire(undefined);
  }

  play(event: ConversationEvent): void {
    this.sidebar.chat.show([event]);
  }

  start(text = 'Why?'): void {
    const id = `turn-${this.#turns++}`;
    const question = { text, attachments: [] };
    this.play(turnStart({ id, question, at: 0 }));
  }

  /** Requests an approval; returns the name of the call in notifications. */
  requestApproval(by: 'panel' | 'dialog' = 'panel', title = `Edit ${this.#calls}.ts`): string {
    const id = `call-${this.#calls++}`;
    const call = { id, name: 'edit_file', arguments: '{}', round: 1, title };
    this.play({ type: 'tool-call-start', call });
    this.play({ type: 'tool-call-ask', id, question: { by, forChat: true, files: [] } });
    return title;
  }

  end(status: 'finished' | 'stopped' = 'finished'): void {
    this.play({ type: 'turn-end', status, at: 0 });
  }

  /** Lets all replies end. */
  async finish(): Promise<void> {
    await this.model.finish();
    await this.clock.advance(1000);
    await settled();
  }
}

/** A window whose chat is hidden. */
function hidden(): Rig {
  const rig = new Rig();
  rig.show(false);
  return rig;
}

describe('notices of the chat', () => {
  it('show a reply once, if no queued message follows, until it is seen', async () => {
    const rig = hidden();
    rig.start('Why is it green?');
    rig.end();
    rig.start('And why is it blue?');
    await rig.clock.advance(10_000);
    assert.deepEqual(rig.messages, []);
    rig.end();
    await rig.clock.advance(10_000);
    assert.deepEqual(rig.messages, ['Reply ready: And why is it blue?']);
    assert.deepEqual(rig.badge, { value: 1, tooltip: 'Reply ready' });
    rig.show(true);
    rig.show(false);
    assert.equal(rig.badge, undefined);
  });

  it('ignore turns that the person stopped, and approvals in dialogs', async () => {
    const rig = hidden();
    rig.start();
    rig.requestApproval('dialog');
    assert.equal(rig.waiting(), undefined);
    rig.end('stopped');
    await rig.clock.advance(10_000);
    assert.deepEqual([rig.messages, rig.badge], [[], undefined]);
  });

  it('show a paused reply, each time', () => {
    const rig = hidden();
    rig.start();
    for (const times of [1, 2]) {
      rig.play({ type: 'turn-pause', pause: { reason: 'rounds' } });
      assert.equal(rig.messages.length, times);
      assert.equal(rig.waiting(), 'Reply paused');
      rig.play({ type: 'turn-resume' });
      assert.equal(rig.waiting(), undefined);
    }
  });

  it('follow the setting', async () => {
    const expected: readonly (readonly [Level, number])[] = [
      ['all', 2],
      ['approvals', 1],
      ['off', 0],
    ];
    for (const [level, count] of expected) {
      const rig = hidden();
      rig.level = level;
      rig.start();
      rig.requestApproval();
      rig.play({ type: 'tool-call-run', id: 'call-0', at: 0 });
      rig.end();
      await rig.clock.advance(10_000);
      assert.equal(rig.messages.length, count, level);
      assert.equal(rig.badge?.value, 1, 'The badge does not depend on the setting.');
    }
  });

  it('show a name without links, line breaks and invisible text, and truncate it', () => {
    for (const title of [
      '[x](command:y)',
      'a\nb',
      'a\u202eb',
      `${'a'.repeat(79)}😀${'b'.repeat(99)}`,
    ]) {
      const rig = hidden();
      rig.start();
      rig.requestApproval('panel', title);
      const [notice = ''] = rig.messages;
      assert.doesNotMatch(notice, /\]\(|\n|\u202e|[\ud800-\udbff](?![\udc00-\udfff])/);
      assert.ok(notice.length < 120, notice);
    }
  });

  /** Tries every order of steps of this length, and checks the notices after each step. */
  it('hold in every order of events', async () => {
    const steps: readonly ((rig: Rig) => unknown)[] = [
      (rig) => rig.show(!rig.sidebar.isVisible),
      (rig) => rig.focus(!rig.isFocused),
      (rig) => {
        if (rig.conversation.running === undefined) rig.start();
      },
      (rig) => {
        if (rig.conversation.running?.status !== 'paused' && rig.conversation.running)
          rig.requestApproval();
      },
      (rig) => {
        if (rig.conversation.running !== undefined) rig.end();
      },
      (rig) => rig.clock.advance(1000),
    ];
    for (const number of cases([...Array(steps.length ** 5).keys()])) {
      const rig = hidden();
      for (
        let digits = number, step = 0;
        step < 5;
        step++, digits = Math.floor(digits / steps.length)
      ) {
        const before = rig.messages.length;
        const wasVisible = rig.sidebar.isVisible;
        await steps[digits % steps.length]?.(rig);
        const hasBadge = rig.badge !== undefined;
        if (rig.isInSight) assert.equal(hasBadge, false, `in sight: ${number}`);
        if ([wasVisible, rig.sidebar.isVisible].every(Boolean))
          assert.equal(rig.messages.length, before, `seen: ${number}`);
        const asks = rig.conversation.running?.parts.length ?? 0;
        if (asks > 0) assert.equal(hasBadge, !rig.isInSight, `unseen: ${number}`);
        assert.equal(rig.waiting() !== undefined, asks > 0 && !rig.isInSight);
      }
      assert.equal(
        new Set(rig.messages.filter((notice) => notice.startsWith('App'))).size,
        rig.messages.filter((notice) => notice.startsWith('App')).length,
        `once each: ${number}`,
      );
    }
  });
});

function ask(open: Chat, text: string, model = 'm'): void {
  open.send({ text, attachments: [] }, model).catch(() => undefined);
}

describe('the notices of several chats', () => {
  it('cover each hidden chat, add up in the badge, and lead to their chat', async () => {
    const rig = new Rig();
    const { chats, sidebar, messages, revealed } = rig;
    const first = sidebar.chat;
    ask(first, 'one');
    sidebar.show(chats.create());
    const second = sidebar.chat;
    ask(second, 'two');
    sidebar.show(chats.create());
    ask(sidebar.chat, 'in sight');
    await settled();
    await rig.finish();
    assert.deepEqual(messages.toSorted(), ['Reply ready: one', 'Reply ready: two']);
    assert.deepEqual(revealed, [first]);
    assert.deepEqual(rig.badge, { value: 2, tooltip: 'Reply ready' });
    sidebar.show(first);
    assert.deepEqual(rig.badge, { value: 1, tooltip: 'Reply ready' });
    assert.deepEqual([chats.hasUnread(first.id), chats.hasUnread(second.id)], [false, true]);
    chats.addPlace(new FakePlace(chats, second));
    assert.equal(rig.badge, undefined);
  });

  it('leave the badge when their chat is deleted', async () => {
    const rig = new Rig();
    const { chats, sidebar } = rig;
    const { chat: openChat } = sidebar;
    ask(openChat, 'two');
    sidebar.show(chats.create());
    await settled();
    await rig.finish();
    assert.equal(rig.badge?.value, 1);
    await chats.close(openChat.id);
    assert.equal(rig.badge, undefined);
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
    const { chats, sidebar, notices } = new Rig({
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
    const { chats, sidebar } = new Rig();
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

import assert from 'node:assert/strict';
import type { ViewBadge } from 'vscode';
import {
  type Conversation,
  emptyConversation,
} from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import type { ChatChange } from '../../../../src/core/conversation/liveConversation.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { cases } from '../../../support/sample.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { turnStart } from '../../../support/turns.ts';
import type { ChatNoticesOptions } from '../../../../src/host/chat/windowNotices.ts';

const { ChatNotices } = await withoutVsCode(
  () => import('../../../../src/host/chat/windowNotices.ts'),
);

type Level = ReturnType<ChatNoticesOptions['level']>;

const noBadge = (): ViewBadge | undefined => undefined;

/** A chat, a panel and a window that the test controls, with the notifications that result. */
class Rig {
  readonly #changed = new Emitter<ChatChange>();
  readonly #seen = new Emitter<unknown>();
  readonly #focused = new Emitter<unknown>();
  readonly chat = {
    conversation: emptyConversation('chat'),
    access: { isReadOnly: false },
    get isRunning(): boolean {
      return this.conversation.running !== undefined;
    },
    onDidChange: this.#changed.event,
  };
  readonly panel = {
    isVisible: false,
    badge: noBadge(),
    onDidChangeVisibility: this.#seen.event,
    setBadge(badge: ViewBadge | undefined): void {
      this.badge = badge;
    },
  };
  readonly clock = new ManualClock();
  readonly messages: string[] = [];
  isFocused = true;
  level: Level = 'all';
  /** True if the person clicks Show. */
  clicksShow = false;
  revealed = 0;
  #turns = 0;
  #calls = 0;
  readonly notices = new ChatNotices({
    chat: this.chat,
    panel: this.panel,
    focus: { isFocused: () => this.isFocused, onDidChange: this.#focused.event },
    level: () => this.level,
    notify: (message) => {
      this.messages.push(message);
      return Promise.resolve(this.clicksShow);
    },
    reveal: () => this.revealed++,
    clock: this.clock,
  });

  get badge(): ViewBadge | undefined {
    return this.panel.badge;
  }

  get isVisible(): boolean {
    return this.panel.isVisible;
  }

  get conversation(): Conversation {
    return this.chat.conversation;
  }

  get isInSight(): boolean {
    return this.isVisible && this.isFocused;
  }

  show(isVisible: boolean): void {
    this.panel.isVisible = isVisible;
    this.#seen.fire(undefined);
  }

  focus(isFocused: boolean): void {
    this.isFocused = isFocused;
    this.#focused.fire(undefined);
  }

  play(event: ConversationEvent): void {
    this.chat.conversation = reduce(this.conversation, event);
    this.#changed.fire({ type: 'event', event });
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

  decide(): void {
    this.play({ type: 'tool-call-run', id: `call-${this.#calls - 1}`, at: 0 });
  }

  end(status: 'finished' | 'stopped' | 'failed' = 'finished'): void {
    this.play({ type: 'turn-end', status, at: 0 });
  }
}

describe('notices of the chat', () => {
  it('show a reply once, if no queued message follows, until it is seen', async () => {
    const rig = new Rig();
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
    const rig = new Rig();
    rig.start();
    rig.requestApproval('dialog');
    assert.equal(rig.notices.statusText, undefined);
    rig.end('stopped');
    await rig.clock.advance(10_000);
    assert.deepEqual([rig.messages, rig.badge], [[], undefined]);
  });

  it('show a paused reply, each time', () => {
    const rig = new Rig();
    rig.start();
    for (const times of [1, 2]) {
      rig.play({ type: 'turn-pause', pause: { reason: 'rounds' } });
      assert.equal(rig.messages.length, times);
      assert.equal(rig.notices.statusText, 'Reply paused');
      rig.play({ type: 'turn-resume' });
      assert.equal(rig.notices.statusText, undefined);
    }
  });

  it('follow the setting', async () => {
    const expected: readonly (readonly [Level, number])[] = [
      ['all', 2],
      ['approvals', 1],
      ['off', 0],
    ];
    for (const [level, count] of expected) {
      const rig = new Rig();
      rig.level = level;
      rig.start();
      rig.requestApproval();
      rig.decide();
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
      const rig = new Rig();
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
      (rig) => rig.show(!rig.isVisible),
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
      const rig = new Rig();
      for (
        let digits = number, step = 0;
        step < 5;
        step++, digits = Math.floor(digits / steps.length)
      ) {
        const before = rig.messages.length;
        const wasVisible = rig.isVisible;
        await steps[digits % steps.length]?.(rig);
        const hasBadge = rig.badge !== undefined;
        if (rig.isInSight) assert.equal(hasBadge, false, `in sight: ${number}`);
        if ([wasVisible, rig.isVisible].every(Boolean))
          assert.equal(rig.messages.length, before, `seen: ${number}`);
        const asks = rig.conversation.running?.parts.length ?? 0;
        if (asks > 0) assert.equal(hasBadge, !rig.isInSight, `unseen: ${number}`);
        assert.equal(rig.notices.statusText !== undefined, asks > 0 && !rig.isInSight);
      }
      assert.equal(
        new Set(rig.messages.filter((notice) => notice.startsWith('App'))).size,
        rig.messages.filter((notice) => notice.startsWith('App')).length,
        `once each: ${number}`,
      );
    }
  });
});

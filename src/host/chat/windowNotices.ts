import * as vscode from 'vscode';
import { type Disposable, disposeAll, Emitter } from '../../core/support/event.ts';
import type { WaitingChat } from '../usage/statusBar.ts';
import type { Chat } from './chat.ts';
import type { OpenChats } from './openChats.ts';
import type { Turn } from '../../core/conversation/conversation.ts';
import { isTextEvent } from '../../core/conversation/events.ts';
import { background } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { revealInvisible, truncateText } from '../../core/support/text.ts';
import { escapeNotification } from '../platform/dialogs.ts';
import type { SettingValues } from '../platform/settingValues.ts';
import type { WindowFocus } from '../platform/window.ts';

/** What the notices of a window depend on. */
export interface NoticesWindow {
  readonly chats: OpenChats;
  readonly focus: WindowFocus;
  readonly level: () => SettingValues['notify'];
  /** Shows a notification with one button. Resolves with whether it was clicked. */
  readonly notify: (message: string, button: string) => PromiseLike<boolean>;
  readonly reveal: (chat: Chat) => unknown;
  readonly clock: Clock;
}

/** Notices of all open chats. Each is shown while its chat is hidden; the badge counts all. */
export class WindowNotices implements Disposable {
  readonly #window: NoticesWindow;
  readonly #changed = new Emitter<unknown>();
  readonly #notices = new Map<Chat, ChatNotices>();
  readonly #badges = new Map<Chat, vscode.ViewBadge>();
  readonly #listening: readonly Disposable[];

  readonly #badgeChanged = new Emitter<vscode.ViewBadge | undefined>();

  /** Fires with the number on the icon of the sidebar; undefined removes it. */
  readonly onDidChangeBadge = this.#badgeChanged.event;
  /** Fires when {@link waiting}, or what is unread, may have changed. */
  readonly onDidChange = this.#changed.event;

  constructor(window: NoticesWindow) {
    const { chats } = window;
    this.#window = window;
    for (const chat of chats.all) this.#follow(chat);
    this.#listening = [
      chats.onDidOpen((chat) => this.#follow(chat)),
      chats.onDidClose((chat) => {
        this.#notices.get(chat)?.dispose();
        this.#notices.delete(chat);
        this.#setBadge(chat, undefined);
        this.#changed.fire(undefined);
      }),
    ];
  }

  /** Text that replaces the usage in the status bar, first from the chat in focus. */
  get waiting(): WaitingChat | undefined {
    const { focused } = this.#window.chats;
    for (const chat of [focused, ...this.#notices.keys()]) {
      const text = this.#notices.get(chat)?.statusText;
      if (text !== undefined) return { text, chat: chat.id };
    }
    return undefined;
  }

  dispose(): void {
    disposeAll(this.#listening);
    disposeAll(this.#notices.values());
    this.#changed.dispose();
    this.#badgeChanged.dispose();
  }

  #follow(chat: Chat): void {
    const notices = new ChatNotices(chat, this.#window, (badge) => this.#setBadge(chat, badge));
    this.#notices.set(chat, notices);
    notices.onDidChange(() => this.#changed.fire(undefined));
  }

  #setBadge(chat: Chat, badge: vscode.ViewBadge | undefined): void {
    if (badge === undefined) this.#badges.delete(chat);
    else this.#badges.set(chat, badge);
    this.#window.chats.setUnread(chat, badge !== undefined);
    const all = [...this.#badges.values()];
    const value = all.reduce((sum, item) => sum + item.value, 0);
    const tooltip = [...new Set(all.map((item) => item.tooltip))].join(', ');
    this.#badgeChanged.fire(all.length === 0 ? undefined : { value, tooltip });
  }
}

/** Something that the running turn waits for, such as an approval. */
interface Wait {
  readonly key: string;
  readonly message: string;
}

/** Milliseconds after a reply in which a queued message starts the next turn. */
const untilNextTurn = 300;

/** Characters of a name in a notification. */
const maxNameLength = 80;

/**
 * Notifies the person about pending approvals and finished replies while their chat is hidden: with
 * a badge, the status bar and one notification each. Approvals in dialogs are visible anyway.
 */
class ChatNotices implements Disposable {
  readonly #chat: Chat;
  readonly #window: NoticesWindow;
  readonly #setBadge: (badge: vscode.ViewBadge | undefined) => void;
  readonly #changed = new Emitter<unknown>();
  readonly #disposables: Disposable[];
  /** The waits that the person was told of or has seen. */
  #announced: ReadonlySet<string> = new Set();
  #waiting: readonly Wait[] = [];
  #hasUnreadReply = false;
  #replyTimer: Disposable | undefined;

  /** Fires when {@link statusText} may have changed. */
  readonly onDidChange = this.#changed.event;

  constructor(
    chat: Chat,
    window: NoticesWindow,
    setBadge: (badge: vscode.ViewBadge | undefined) => void,
  ) {
    this.#chat = chat;
    this.#window = window;
    this.#setBadge = setBadge;
    const update = (): void => this.#update();
    this.#disposables = [
      window.chats.onDidShow(update),
      window.focus.onDidChange(update),
      chat.onDidChange((change) => {
        if (change.type === 'replace') this.#forgetReply();
        else if (isTextEvent(change.event)) return;
        else if (change.event.type === 'turn-end') this.#noteEnd(change.event.status);
        this.#update();
      }),
    ];
  }

  /** Text that replaces the usage in the status bar; undefined if nothing waits unseen. */
  get statusText(): string | undefined {
    if (this.#waiting.length === 0 || this.#isInSight) return undefined;
    const { running } = this.#chat.conversation;
    return running?.status === 'paused'
      ? vscode.l10n.t('Reply paused')
      : vscode.l10n.t('Approval needed');
  }

  dispose(): void {
    disposeAll(this.#disposables);
    this.#forgetReply();
    this.#changed.dispose();
  }

  get #isVisible(): boolean {
    return this.#window.chats.isVisible(this.#chat);
  }

  get #isInSight(): boolean {
    return this.#isVisible && this.#window.focus.isFocused();
  }

  #update(): void {
    const chat = this.#chat;
    // The other window shows its own notices.
    const running = chat.access.isReadOnly ? undefined : chat.conversation.running;
    this.#waiting = running === undefined ? [] : waitsOf(running);
    if (this.#isInSight) this.#hasUnreadReply = false;
    for (const { key, message } of this.#waiting) {
      if (!this.#isVisible && !this.#announced.has(key)) this.#notify('approvals', message);
    }
    this.#announced = new Set(this.#waiting.map(({ key }) => key));
    const status = this.statusText;
    const parts = [
      ...(status === undefined ? [] : [status]),
      ...(this.#hasUnreadReply ? [vscode.l10n.t('Reply ready')] : []),
    ];
    const value = this.#waiting.length + (this.#hasUnreadReply ? 1 : 0);
    this.#setBadge(parts.length === 0 ? undefined : { value, tooltip: parts.join(', ') });
    this.#changed.fire(undefined);
  }

  /**
   * If a queued message follows, the reply isn't the last one, and only the last one is announced.
   */
  #noteEnd(status: Turn['status']): void {
    const chat = this.#chat;
    this.#replyTimer?.dispose();
    if (status === 'stopped' || this.#isInSight || chat.access.isReadOnly) return;
    this.#replyTimer = this.#window.clock.after(untilNextTurn, () => {
      const last = chat.conversation.turns.at(-1);
      if (chat.isRunning || this.#isInSight || last === undefined) return;
      this.#hasUnreadReply = true;
      if (!this.#isVisible) this.#notify('all', replyMessage(last));
      this.#update();
    });
  }

  #forgetReply(): void {
    this.#replyTimer?.dispose();
    this.#hasUnreadReply = false;
  }

  /** @param needed the value of the setting that shows this notification, or a louder one */
  #notify(needed: 'approvals' | 'all', message: string): void {
    const { level: levelOf, notify, reveal } = this.#window;
    const level = levelOf();
    if (level === 'off' || (needed === 'all' && level !== 'all')) return;
    const show = async (): Promise<void> => {
      const isClicked = await notify(escapeNotification(message), vscode.l10n.t('Show'));
      if (isClicked) await reveal(this.#chat);
    };
    background(show());
  }
}

function waitsOf(turn: Turn): readonly Wait[] {
  if (turn.status === 'paused') {
    const message = vscode.l10n.t('The reply is paused until you continue or stop it.');
    return [{ key: `${turn.id} paused`, message }];
  }
  return turn.parts
    .filter((part) => part.type === 'tool-call')
    .filter(({ status, question }) => status === 'asking' && question?.by !== 'dialog')
    .map(({ id, name, title = name, question }) => ({
      key: `${turn.id} ${id}`,
      message:
        question?.by === 'question'
          ? vscode.l10n.t('Question: {0}', shortName(title))
          : vscode.l10n.t('Approval needed: {0}', shortName(title)),
    }));
}

function replyMessage({ status, question }: Turn): string {
  const message = shortName(question.text);
  return status === 'finished'
    ? vscode.l10n.t('Reply ready: {0}', message)
    : vscode.l10n.t('The reply ended with an error: {0}', message);
}

/** One line of a text that a model or a file may have written. */
function shortName(text: string): string {
  const line = text
    .slice(0, maxNameLength * 2)
    .trim()
    .replaceAll(/\s+/g, ' ');
  const short = truncateText(line, maxNameLength);
  return revealInvisible(short === line ? line : `${short}…`).text;
}

import type { ViewBadge } from 'vscode';
import { disposeAll, Emitter, type Disposable } from '../../core/support/event.ts';
import type { WaitingChat } from '../usage/statusBar.ts';
import { ChatNotices, type ChatNoticesOptions } from './chatNotices.ts';
import type { OpenChat } from '../chat/openChat.ts';
import type { OpenChats } from '../chat/openChats.ts';

export interface WindowNoticesOptions extends Omit<
  ChatNoticesOptions,
  'chat' | 'panel' | 'reveal'
> {
  readonly chats: OpenChats;
  readonly reveal: (open: OpenChat) => unknown;
}

/** Notices of all open chats. Each is shown while its chat is hidden; the badge counts all. */
export class WindowNotices implements Disposable {
  readonly #options: WindowNoticesOptions;
  readonly #changed = new Emitter<unknown>();
  readonly #notices = new Map<OpenChat, ChatNotices>();
  readonly #badges = new Map<OpenChat, ViewBadge>();
  readonly #listening: readonly Disposable[];

  readonly #badgeChanged = new Emitter<ViewBadge | undefined>();

  /** Fires with the number on the icon of the sidebar; undefined removes it. */
  readonly onDidChangeBadge = this.#badgeChanged.event;
  /** Fires when {@link waiting} or {@link hasNews} may have changed. */
  readonly onDidChange = this.#changed.event;

  constructor(options: WindowNoticesOptions) {
    const { chats } = options;
    this.#options = options;
    for (const open of chats.all) this.#follow(open);
    this.#listening = [
      chats.onDidOpen((open) => this.#follow(open)),
      chats.onDidClose((open) => this.#leave(open)),
    ];
  }

  /** Text that replaces the usage in the status bar, first from the chat in focus. */
  get waiting(): WaitingChat | undefined {
    const { focused } = this.#options.chats;
    for (const open of [focused, ...this.#notices.keys()]) {
      const text = this.#notices.get(open)?.statusText;
      if (text !== undefined) return { text, chat: open.id };
    }
    return undefined;
  }

  /** True if the chat has a reply, or waits for something, that the person has not seen. */
  hasNews(open: OpenChat): boolean {
    return this.#badges.has(open);
  }

  dispose(): void {
    disposeAll(this.#listening);
    disposeAll(this.#notices.values());
    this.#changed.dispose();
    this.#badgeChanged.dispose();
  }

  #follow(open: OpenChat): void {
    const { chats, reveal } = this.#options;
    const notices = new ChatNotices({
      ...this.#options,
      chat: open.chat,
      panel: {
        get isVisible() {
          return chats.isVisible(open);
        },
        onDidChangeVisibility: chats.onDidShow,
        setBadge: (badge) => this.#setBadge(open, badge),
      },
      reveal: () => reveal(open),
    });
    this.#notices.set(open, notices);
    notices.onDidChange(() => this.#changed.fire(undefined));
  }

  #leave(open: OpenChat): void {
    this.#notices.get(open)?.dispose();
    this.#notices.delete(open);
    this.#setBadge(open, undefined);
    this.#changed.fire(undefined);
  }

  #setBadge(open: OpenChat, badge: ViewBadge | undefined): void {
    if (badge === undefined) this.#badges.delete(open);
    else this.#badges.set(open, badge);
    const all = [...this.#badges.values()];
    const value = all.reduce((sum, item) => sum + item.value, 0);
    const tooltip = [...new Set(all.map((item) => item.tooltip))].join(', ');
    this.#badgeChanged.fire(all.length === 0 ? undefined : { value, tooltip });
  }
}

import type { OpenChat } from './openChat.ts';

/** The turn at which a chat is shown, and words to find from there. */
export interface TurnTarget {
  readonly turn: string;
  readonly query: string;
}

/** What shows a chat: the view in the side bar, or an editor tab. */
export interface ChatPlace {
  readonly openChat: OpenChat;
  /** True if it is visible in its window, even if other windows cover it. */
  readonly isVisible: boolean;
  /** True if it is the active tab of the active editor group. */
  readonly isInFront: boolean;
  /** Shows another chat instead of the current one. */
  show(open: OpenChat, target?: TurnTarget): void;
  /** Shows the same chat after it was opened again. It is read when visible. */
  replace(open: OpenChat): void;
  /** Shows the view or tab, and focuses it unless `preserveFocus`. */
  reveal(preserveFocus: boolean): Promise<void>;
}

/** Where this window shows chats: the side bar first, then tabs. */
export class ChatPlaces {
  readonly #tabs: ChatPlace[] = [];
  #sidebar: ChatPlace | undefined;
  #lastFocused: ChatPlace | undefined;

  get sidebar(): ChatPlace | undefined {
    return this.#sidebar;
  }

  /** The visible location, first the side bar. */
  get visible(): ChatPlace | undefined {
    return this.all.find(({ isVisible }) => isVisible);
  }

  get all(): readonly ChatPlace[] {
    return this.#sidebar === undefined ? this.#tabs : [this.#sidebar, ...this.#tabs];
  }

  /** Commands act on the chat of the active tab, unless the side bar had focus since. */
  get active(): ChatPlace | undefined {
    if (this.#lastFocused === this.#sidebar) return this.#sidebar;
    return this.#tabs.find(({ isInFront }) => isInFront) ?? this.#sidebar;
  }

  /** The location that had focus last, unless it was closed. */
  get lastFocused(): ChatPlace | undefined {
    return this.all.find((location) => location === this.#lastFocused);
  }

  noteFocus(location: ChatPlace): void {
    this.#lastFocused = location;
  }

  /** Adds the side bar, which must come first, or a tab. */
  add(location: ChatPlace): void {
    if (this.#sidebar === undefined) this.#sidebar = location;
    else this.#tabs.push(location);
  }

  /** Removes a tab that was closed. */
  remove(tab: ChatPlace): void {
    const index = this.#tabs.indexOf(tab);
    if (index >= 0) this.#tabs.splice(index, 1);
  }

  tabsOf(open: OpenChat): readonly ChatPlace[] {
    return this.#tabs.filter((tab) => tab.openChat === open);
  }
}

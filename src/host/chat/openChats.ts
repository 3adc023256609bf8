import { turnsOfAllPaths } from '../../core/conversation/paths.ts';
import { background } from '../../core/support/background.ts';
import { anyEvent, type Disposable, disposeAll, Emitter } from '../../core/support/event.ts';
import type { Clock } from '../../core/support/clock.ts';
import { newId } from '../../core/support/id.ts';
import type { Memento } from '../memento.ts';
import type { ChatChange } from '../../core/conversation/liveConversation.ts';
import type { Chat } from './chat.ts';
import { type ChatPlace, ChatPlaces, type TurnTarget } from './chatPlaces.ts';
import type { ChatLocks } from '../chatLocks.ts';
import type { ChatStart, OpenChat } from './openChat.ts';

export interface OpenChatsOptions {
  /** `workspaceState` */
  readonly state: Memento;
  readonly locks?: ChatLocks | undefined;
  readonly clock: Clock;
  /** Maximum number of idle chats in memory. */
  readonly mostIdle?: number | undefined;
}

export interface ChatScope {
  readonly create: (start: ChatStart) => OpenChat;
  /** True if the chat has a notice that the person has not seen. */
  readonly hasNews: (open: OpenChat) => boolean;
  /** True if state of the chat exists only in memory. */
  readonly isHeld?: (open: OpenChat) => boolean;
}

export interface ChangedChat {
  readonly open: OpenChat;
  readonly change: ChatChange;
}

/** The chat of the sidebar, for a later window. The pages of tabs keep theirs. */
const sidebarKey = 'aside.openChat';

/** Milliseconds before an unneeded chat is closed, so that the last messages of its page arrive. */
const closeDelay = 5000;

/**
 * The chats that are open in this window. A chat stays open while it is in the side bar or a tab,
 * while it is busy, and until the person has seen how it ended. The side bar always shows one. Only
 * a few idle chats of hidden tabs stay in memory.
 */
export class OpenChats implements Disposable {
  readonly #options: OpenChatsOptions;
  readonly #opened = new Emitter<OpenChat>();
  readonly #closed = new Emitter<OpenChat>();
  readonly #changed = new Emitter<ChangedChat>();
  readonly #chatShown = new Emitter<unknown>();
  readonly #listening = new Map<OpenChat, readonly Disposable[]>();
  readonly #idle: IdleChats;
  #scope: ChatScope | undefined;
  #first: OpenChat | undefined;
  #closing: Disposable | undefined;
  readonly #releasing = new Set<Promise<void>>();

  /** Changed through this class only, which then fires {@link onDidShow}. */
  readonly places = new ChatPlaces();
  readonly onDidOpen = this.#opened.event;
  readonly onDidClose = this.#closed.event;
  readonly onDidChange = this.#changed.event;
  /** Fires when a location shows another chat, appears, disappears or becomes active. */
  readonly onDidShow = this.#chatShown.event;

  constructor(options: OpenChatsOptions) {
    this.#options = options;
    this.#idle = new IdleChats(options.mostIdle);
  }

  /**
   * Opens the chat of the side bar: the one of the last window, or a new one. Must be called once,
   * first.
   */
  begin(scope: ChatScope): void {
    this.#scope = scope;
    const saved = this.#options.state.get(sidebarKey);
    this.#first = this.#add(
      typeof saved === 'string' && saved !== ''
        ? { id: saved, origin: 'last', isFirst: true }
        : { id: newId(), origin: 'new', isFirst: true },
    );
  }

  get all(): readonly OpenChat[] {
    return [...this.#listening.keys()];
  }

  get inSidebar(): OpenChat {
    return this.places.sidebar?.openChat ?? this.#begun(this.#first);
  }

  get focused(): OpenChat {
    return this.places.active?.openChat ?? this.#begun(this.#first);
  }

  /** The chat that had focus last, even if another tab covers its tab. */
  get lastFocused(): OpenChat {
    return this.places.lastFocused?.openChat ?? this.focused;
  }

  current(): Chat {
    return this.focused.chat;
  }

  find(id: string): Chat | undefined {
    return this.#withId(id)?.chat;
  }

  isRunning(id: string): boolean {
    return this.find(id)?.isRunning === true;
  }

  /** The chat whose page shows the conversation with this id. */
  ofConversation(id: string): OpenChat | undefined {
    return this.all.find(({ chat }) => chat.conversation.id === id) ?? this.#withId(id);
  }

  ofTurn(turn: string): OpenChat | undefined {
    return this.all.find(({ chat }) =>
      turnsOfAllPaths(chat.conversation).some(({ id }) => id === turn),
    );
  }

  create(): OpenChat {
    return this.#add({ id: newId(), origin: 'new' });
  }

  open(id: string): OpenChat {
    return this.#withId(id) ?? this.#add({ id, origin: 'stored' });
  }

  /** Shows a stored chat in its tab if it has one, otherwise in the side bar. */
  async show(id: string, target?: TurnTarget): Promise<void> {
    const opened = this.open(id);
    // A side chat is in the card beside another one.
    const open = this.#ownerOf(opened) ?? opened;
    const location = this.tabOf(open) ?? this.places.sidebar;
    location?.show(open, target);
    await location?.reveal(false);
  }

  async reveal(preserveFocus: boolean): Promise<void> {
    await this.places.active?.reveal(preserveFocus);
  }

  /** True if the stored chat with this id has something that the person has not seen. */
  hasNews(id: string): boolean {
    const open = this.#withId(id);
    return open !== undefined && this.#begun(this.#scope).hasNews(open);
  }

  /** Stops and closes a chat, and shows a new one in its place. */
  async close(id: string): Promise<void> {
    const open = this.#withId(id);
    if (open === undefined) return;
    await open.chat.close();
    for (const location of this.places.all)
      if (location.openChat === open) location.show(this.create());
    await open.store.flush();
    await this.#release(open);
  }

  addPlace(location: ChatPlace): void {
    this.places.add(location);
    this.notePlaces();
  }

  /** Called when a tab was closed. */
  removePlace(location: ChatPlace): void {
    this.places.remove(location);
    this.notePlaces();
  }

  /** True if a chat, or the one that it is beside, is in a place that is visible. */
  isVisible(open: OpenChat): boolean {
    const owner = this.#ownerOf(open);
    return this.places.all.some(
      ({ isVisible, openChat }) => isVisible && (openChat === open || openChat === owner),
    );
  }

  /** True if a chat is only in the card of a side chat, so that its model may only read. */
  isAside(open: OpenChat): boolean {
    return this.#ownerOf(open) !== undefined && !this.isPlaced(open);
  }

  /** True if the sidebar or a tab shows a chat. */
  isPlaced(open: OpenChat): boolean {
    return open === this.inSidebar || this.places.all.some(({ openChat }) => openChat === open);
  }

  tabOf(open: OpenChat): ChatPlace | undefined {
    return this.places.tabsOf(open)[0];
  }

  noteFocus(location: ChatPlace): void {
    this.places.noteFocus(location);
    this.notePlaces();
  }

  notePlaces(): void {
    for (const location of this.places.all)
      if (location.isVisible) this.#idle.noteSeen(location.openChat);
    this.#chatShown.fire(undefined);
    for (const open of this.all) if (!this.isPlaced(open)) open.aside.current?.chat.stop();
    this.closeUnneeded();
  }

  /** Called when the side bar may show another chat, which a later window restores. */
  saveSidebar(open: OpenChat): void {
    const { state } = this.#options;
    if (open !== this.inSidebar || state.get(sidebarKey) === open.id) return;
    background(state.update(sidebarKey, open.id));
  }

  /** After a delay, closes unneeded chats and empties surplus idle ones. */
  closeUnneeded(): void {
    if (this.all.every((open) => this.#isNeeded(open)) && this.#surplus.length === 0) return;
    this.#closing ??= this.#options.clock.after(closeDelay, () => {
      this.#closing = undefined;
      for (const open of this.all) if (!this.#isNeeded(open)) background(this.#close(open));
      for (const open of this.#surplus) background(this.#empty(open));
    });
  }

  /** Saves everything when the window closes, so that other windows may write it. */
  async leave(): Promise<void> {
    await Promise.all([...this.all.map(({ store }) => store.flush()), ...this.#releasing]);
    await this.#options.locks?.close();
  }

  dispose(): void {
    this.#closing?.dispose();
    for (const open of this.all) this.#drop(open);
    for (const emitter of [this.#opened, this.#closed, this.#changed, this.#chatShown])
      emitter.dispose();
  }

  #begun<Value>(value: Value | undefined): Value {
    if (value === undefined) throw new Error('No chat is open yet');
    return value;
  }

  #withId(id: string): OpenChat | undefined {
    return this.all.find((open) => open.id === id);
  }

  #isNeeded(open: OpenChat): boolean {
    if (this.isPlaced(open) || this.#ownerOf(open) !== undefined) return true;
    return open.isBusy || this.#begun(this.#scope).hasNews(open);
  }

  /** The chat beside which a side chat is open. */
  #ownerOf(side: OpenChat): OpenChat | undefined {
    return this.all.find(({ aside }) => aside.current === side);
  }

  /** True if the chat is only in hidden tabs and entirely on disk. */
  #isIdle(open: OpenChat): boolean {
    const { hasNews, isHeld } = this.#begun(this.#scope);
    const isInTab = open !== this.inSidebar && this.tabOf(open) !== undefined;
    if (!isInTab || this.isVisible(open) || open.aside.current !== undefined) return false;
    return !open.isBusy && open.isStored && !hasNews(open) && isHeld?.(open) !== true;
  }

  get #surplus(): readonly OpenChat[] {
    return this.#idle.surplus(this.all.filter((open) => this.#isIdle(open)));
  }

  /** Replaces a chat in its tabs with an unread copy, which holds nothing in memory. */
  async #empty(open: OpenChat): Promise<void> {
    await open.store.flush();
    // A message may have been sent in the meantime.
    if (!this.#isIdle(open) || !this.#listening.has(open)) return;
    const again = this.#add({ id: open.id, origin: 'stored' });
    for (const tab of this.places.tabsOf(open)) tab.replace(again);
    this.#drop(open);
  }

  #add(start: ChatStart): OpenChat {
    const open = this.#begun(this.#scope).create(start);
    this.#listening.set(open, [
      open.chat.onDidChange((change) => this.#note(open, change)),
      open.store.onDidMove(() => {
        // An empty chat replaces one that could not be read and is tried again later.
        if (!open.chat.isBlank) this.saveSidebar(open);
      }),
      anyEvent<unknown>(
        open.composer.onDidType,
        open.composer.onDidChange,
      )(() => {
        // An empty conversation isn't restored, but its composer's text and attachments are.
        const { draft, attachments } = open.composer;
        const isEmpty = draft === '' && attachments.length === 0;
        if (!isEmpty) this.saveSidebar(open);
      }),
    ]);
    this.#opened.fire(open);
    return open;
  }

  #note(open: OpenChat, change: ChatChange): void {
    this.#changed.fire({ open, change });
    if (change.type === 'replace') this.notePlaces();
    // An empty conversation is not restored.
    else if (change.event.type === 'turn-start') this.saveSidebar(open);
    else if (change.event.type === 'turn-end') this.closeUnneeded();
  }

  async #close(open: OpenChat): Promise<void> {
    await open.store.flush();
    // A message may have been sent in the meantime.
    if (!this.#isNeeded(open)) await this.#release(open);
  }

  /** Closes a chat and lets other windows write it, unless it was closed meanwhile. */
  async #release(open: OpenChat): Promise<void> {
    if (!this.#listening.has(open)) return;
    this.#drop(open);
    const releasing = open.store.release();
    this.#releasing.add(releasing);
    await releasing.finally(() => this.#releasing.delete(releasing));
  }

  #drop(open: OpenChat): void {
    const listening = this.#listening.get(open);
    if (listening === undefined) return;
    disposeAll(listening);
    this.#listening.delete(open);
    this.#idle.forget(open);
    open.dispose();
    this.#closed.fire(open);
  }
}

/** Enough to switch between a few tabs without reading. */
const defaultMost = 4;

/** Chooses the idle chats of hidden tabs that stay in memory: the most recently visible ones. */
class IdleChats {
  readonly #most: number;
  /** Chats in the order in which they were visible, most recent last. */
  readonly #seen = new Set<OpenChat>();

  /** @param most maximum number of chats in memory */
  constructor(most = defaultMost) {
    this.#most = most;
  }

  noteSeen(open: OpenChat): void {
    this.#seen.delete(open);
    this.#seen.add(open);
  }

  forget(open: OpenChat): void {
    this.#seen.delete(open);
  }

  surplus(idle: readonly OpenChat[]): readonly OpenChat[] {
    const seen = [...this.#seen];
    return idle.toSorted((a, b) => seen.indexOf(b) - seen.indexOf(a)).slice(this.#most);
  }
}

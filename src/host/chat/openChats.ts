import type { ChatChange } from '../../core/conversation/liveConversation.ts';
import { turnsOfAllPaths } from '../../core/conversation/paths.ts';
import { background } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { anyEvent, type Disposable, disposeAll, Emitter } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { ChatLocks } from './chatLocks.ts';
import type { Memento } from '../platform/memento.ts';
import type { Chat, ChatStart } from './chat.ts';

/** The turn at which a chat is shown, and words to find from there. */
export interface TurnTarget {
  readonly turn: string;
  readonly query: string;
}

/** What shows a chat: the view in the side bar, or an editor tab. */
export interface ChatPlace {
  readonly chat: Chat;
  /** True if it is visible in its window, even if other windows cover it. */
  readonly isVisible: boolean;
  /** True if it is the active tab of the active editor group. */
  readonly isInFront: boolean;
  /** Shows another chat instead of the current one. */
  show(chat: Chat, target?: TurnTarget): void;
  /** Shows the same chat after it was opened again. It is read when visible. */
  replace(chat: Chat): void;
  /** Shows the view or tab, and focuses it unless `preserveFocus`. */
  reveal(preserveFocus: boolean): Promise<void>;
}

/** Where this window shows chats: the side bar first, then tabs. */
class ChatPlaces {
  readonly #tabs: ChatPlace[] = [];
  #sidebar: ChatPlace | undefined;
  #lastFocused: ChatPlace | undefined;

  get sidebar(): ChatPlace | undefined {
    return this.#sidebar;
  }

  /** The visible place, first the side bar. */
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

  /** The place that had focus last, unless it was closed. */
  get lastFocused(): ChatPlace | undefined {
    return this.all.find((place) => place === this.#lastFocused);
  }

  setFocused(place: ChatPlace): void {
    this.#lastFocused = place;
  }

  /** Adds the side bar, which must come first, or a tab. */
  add(place: ChatPlace): void {
    if (this.#sidebar === undefined) this.#sidebar = place;
    else this.#tabs.push(place);
  }

  /** Removes a tab that was closed. */
  remove(tab: ChatPlace): void {
    const index = this.#tabs.indexOf(tab);
    if (index >= 0) this.#tabs.splice(index, 1);
  }

  tabsOf(chat: Chat): readonly ChatPlace[] {
    return this.#tabs.filter((tab) => tab.chat === chat);
  }
}

export interface OpenChatsOptions {
  /** `workspaceState` */
  readonly state: Memento;
  readonly locks: ChatLocks;
  readonly clock: Clock;
  /** Maximum number of idle chats in memory. The default is enough to switch between a few tabs. */
  readonly mostIdle?: number | undefined;
}

export interface ChangedChat {
  readonly chat: Chat;
  readonly change: ChatChange;
}

/** The chat of the sidebar, for a later window. The pages of tabs keep theirs. */
const sidebarKey = 'aside.openChat';

/** Milliseconds before an unneeded chat is closed, so that the last messages of its page arrive. */
const closeDelay = 5000;

/**
 * The chats that are open in this window. A chat stays open while it is in the side bar or a tab,
 * while it is in use, and until the person has seen how it ended. The side bar always shows one.
 * Only a few idle chats of hidden tabs stay in memory.
 */
export class OpenChats implements Disposable {
  readonly #options: OpenChatsOptions;
  readonly #opened = new Emitter<Chat>();
  readonly #closed = new Emitter<Chat>();
  readonly #changed = new Emitter<ChangedChat>();
  readonly #shown = new Emitter<unknown>();
  readonly #listening = new Map<Chat, readonly Disposable[]>();
  /** Chats in the order in which they were visible, most recent last. */
  readonly #seen = new Set<Chat>();
  /** Chats with a reply, or something that waits, that the person has not seen. */
  readonly #unread = new Set<Chat>();
  readonly #releasing = new Set<Promise<void>>();
  #create: ((start: ChatStart) => Chat) | undefined;
  #isHeld: (chat: Chat) => boolean = () => false;
  #first: Chat | undefined;
  #closing: Disposable | undefined;

  /** Changed through this class only, which then fires {@link onDidShow}. */
  readonly places = new ChatPlaces();
  readonly onDidOpen = this.#opened.event;
  readonly onDidClose = this.#closed.event;
  readonly onDidChange = this.#changed.event;
  /** Fires when a place shows another chat, appears, disappears or becomes active. */
  readonly onDidShow = this.#shown.event;

  constructor(options: OpenChatsOptions) {
    this.#options = options;
  }

  /**
   * Opens the chat of the side bar: the one of the last window, or a new one. Called once, when
   * everything that chats use exists; until then there is no chat.
   *
   * @param isHeld true if state of the chat exists only in memory
   */
  begin(create: (start: ChatStart) => Chat, isHeld?: (chat: Chat) => boolean): void {
    this.#create = create;
    if (isHeld !== undefined) this.#isHeld = isHeld;
    const saved = this.#options.state.get(sidebarKey);
    this.#first = this.#add(
      typeof saved === 'string' && saved !== ''
        ? { id: saved, origin: 'last', isFirst: true }
        : { id: newId(), origin: 'new', isFirst: true },
    );
  }

  get all(): readonly Chat[] {
    return [...this.#listening.keys()];
  }

  get inSidebar(): Chat {
    return this.places.sidebar?.chat ?? required(this.#first);
  }

  /** The chat that commands act on. */
  get focused(): Chat {
    return this.places.active?.chat ?? required(this.#first);
  }

  /** The chat that had focus last, even if another tab covers its tab. */
  get lastFocused(): Chat {
    return this.places.lastFocused?.chat ?? this.focused;
  }

  find(id: string): Chat | undefined {
    return this.all.find((chat) => chat.id === id);
  }

  isRunning(id: string): boolean {
    return this.find(id)?.isRunning === true;
  }

  /** The chat whose page shows the conversation with this id. */
  ofConversation(id: string): Chat | undefined {
    return this.all.find(({ conversation }) => conversation.id === id) ?? this.find(id);
  }

  ofTurn(turn: string): Chat | undefined {
    return this.all.find(({ conversation }) =>
      turnsOfAllPaths(conversation).some(({ id }) => id === turn),
    );
  }

  create(): Chat {
    return this.#add({ id: newId(), origin: 'new' });
  }

  open(id: string): Chat {
    return this.find(id) ?? this.#add({ id, origin: 'stored' });
  }

  /** Shows a stored chat in its tab if it has one, otherwise in the side bar. */
  async show(id: string, target?: TurnTarget): Promise<void> {
    const opened = this.open(id);
    // A side chat is in the card beside another one.
    const chat = this.#ownerOf(opened) ?? opened;
    const place = this.tabOf(chat) ?? this.places.sidebar;
    place?.show(chat, target);
    await place?.reveal(false);
  }

  async reveal(preserveFocus: boolean): Promise<void> {
    await this.places.active?.reveal(preserveFocus);
  }

  /** Stops and closes a chat, and shows a new one in its place. */
  async close(id: string): Promise<void> {
    const chat = this.find(id);
    if (chat === undefined) return;
    await chat.close();
    for (const place of this.places.all) if (place.chat === chat) place.show(this.create());
    await chat.store.flush();
    await this.#release(chat);
  }

  addPlace(place: ChatPlace): void {
    this.places.add(place);
    this.notePlaces();
  }

  /** Called when a tab was closed. */
  removePlace(place: ChatPlace): void {
    this.places.remove(place);
    this.notePlaces();
  }

  setFocused(place: ChatPlace): void {
    this.places.setFocused(place);
    this.notePlaces();
  }

  /** Called when a place has changed what it shows, or whether it is visible. */
  notePlaces(): void {
    for (const { chat, isVisible } of this.places.all) {
      if (!isVisible) continue;
      this.#seen.delete(chat);
      this.#seen.add(chat);
    }
    this.#shown.fire(undefined);
    for (const chat of this.all) if (!this.isPlaced(chat)) chat.side.current?.stop();
    this.closeUnneeded();
  }

  /** True if the stored chat with this id has something that the person has not seen. */
  hasUnread(id: string): boolean {
    const chat = this.find(id);
    return chat !== undefined && this.#unread.has(chat);
  }

  setUnread(chat: Chat, isUnread: boolean): void {
    if (isUnread) this.#unread.add(chat);
    else if (this.#unread.delete(chat)) this.closeUnneeded();
  }

  /** True if a chat, or the one that it is beside, is in a place that is visible. */
  isVisible(chat: Chat): boolean {
    const owner = this.#ownerOf(chat);
    return this.places.all.some(
      (place) => place.isVisible && (place.chat === chat || place.chat === owner),
    );
  }

  /** True if a chat is only in the card of a side chat, so that its model may only read. */
  isSideChat(chat: Chat): boolean {
    return this.#ownerOf(chat) !== undefined && !this.isPlaced(chat);
  }

  /** True if the sidebar or a tab shows a chat. */
  isPlaced(chat: Chat): boolean {
    return chat === this.inSidebar || this.places.all.some((place) => place.chat === chat);
  }

  tabOf(chat: Chat): ChatPlace | undefined {
    return this.places.tabsOf(chat)[0];
  }

  /** Called when the side bar may show another chat, which a later window restores. */
  saveSidebar(chat: Chat): void {
    const { state } = this.#options;
    if (chat !== this.inSidebar || state.get(sidebarKey) === chat.id) return;
    background(state.update(sidebarKey, chat.id));
  }

  /** After a delay, closes unneeded chats and empties surplus idle ones. */
  closeUnneeded(): void {
    if (this.all.every((chat) => this.#isNeeded(chat)) && this.#surplus.length === 0) return;
    this.#closing ??= this.#options.clock.after(closeDelay, () => {
      this.#closing = undefined;
      for (const chat of this.all) if (!this.#isNeeded(chat)) background(this.#close(chat));
      for (const chat of this.#surplus) background(this.#empty(chat));
    });
  }

  /** Saves everything when the window closes, so that other windows may write it. */
  async leave(): Promise<void> {
    await Promise.all([...this.all.map(({ store }) => store.flush()), ...this.#releasing]);
    await this.#options.locks.close();
  }

  dispose(): void {
    this.#closing?.dispose();
    for (const chat of this.all) this.#drop(chat);
    for (const emitter of [this.#opened, this.#closed, this.#changed, this.#shown])
      emitter.dispose();
  }

  #isNeeded(chat: Chat): boolean {
    if (this.isPlaced(chat) || this.#ownerOf(chat) !== undefined) return true;
    return chat.isInUse || this.#unread.has(chat);
  }

  /** The chat beside which a side chat is open. */
  #ownerOf(chat: Chat): Chat | undefined {
    return this.all.find(({ side }) => side.current === chat);
  }

  /** True if the chat is only in hidden tabs and entirely on disk. */
  #isIdle(chat: Chat): boolean {
    const isInTab = chat !== this.inSidebar && this.tabOf(chat) !== undefined;
    if (!isInTab || this.isVisible(chat) || chat.side.current !== undefined) return false;
    return !chat.isInUse && chat.isStored && !this.#unread.has(chat) && !this.#isHeld(chat);
  }

  /** The idle chats that don't stay in memory: all but those that were visible last. */
  get #surplus(): readonly Chat[] {
    const seen = [...this.#seen];
    return this.all
      .filter((chat) => this.#isIdle(chat))
      .toSorted((a, b) => seen.indexOf(b) - seen.indexOf(a))
      .slice(this.#options.mostIdle ?? 4);
  }

  /** Replaces a chat in its tabs with an unread copy, which holds nothing in memory. */
  async #empty(chat: Chat): Promise<void> {
    await chat.store.flush();
    // A message may have been sent in the meantime.
    if (!this.#isIdle(chat) || !this.#listening.has(chat)) return;
    const again = this.#add({ id: chat.id, origin: 'stored' });
    for (const tab of this.places.tabsOf(chat)) tab.replace(again);
    this.#drop(chat);
  }

  #add(start: ChatStart): Chat {
    const chat = required(this.#create)(start);
    this.#listening.set(chat, [
      chat.onDidChange((change) => {
        this.#changed.fire({ chat, change });
        if (change.type === 'replace') this.notePlaces();
        // An empty conversation is not restored.
        else if (change.event.type === 'turn-start') this.saveSidebar(chat);
        else if (change.event.type === 'turn-end') this.closeUnneeded();
      }),
      chat.store.onDidMove(() => {
        // An empty chat replaces one that could not be read and is tried again later.
        if (!chat.isBlank) this.saveSidebar(chat);
      }),
      anyEvent<unknown>(
        chat.composer.onDidType,
        chat.composer.onDidChange,
      )(() => {
        // An empty conversation isn't restored, but its composer's text and attachments are.
        const { draft, attachments } = chat.composer;
        const isEmpty = draft === '' && attachments.length === 0;
        if (!isEmpty) this.saveSidebar(chat);
      }),
    ]);
    this.#opened.fire(chat);
    return chat;
  }

  async #close(chat: Chat): Promise<void> {
    await chat.store.flush();
    // A message may have been sent in the meantime.
    if (!this.#isNeeded(chat)) await this.#release(chat);
  }

  /** Closes a chat and lets other windows write it, unless it was closed meanwhile. */
  async #release(chat: Chat): Promise<void> {
    if (!this.#listening.has(chat)) return;
    this.#drop(chat);
    const releasing = chat.store.release();
    this.#releasing.add(releasing);
    await releasing.finally(() => this.#releasing.delete(releasing));
  }

  #drop(chat: Chat): void {
    const listening = this.#listening.get(chat);
    if (listening === undefined) return;
    disposeAll(listening);
    this.#listening.delete(chat);
    this.#seen.delete(chat);
    this.#unread.delete(chat);
    chat.dispose();
    this.#closed.fire(chat);
  }
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('No chat is open yet');
  return value;
}

import * as vscode from 'vscode';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { titleOf } from '../../core/history/chatTitle.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import type { Chat } from './chat.ts';
import type { ChatPlace, TurnTarget } from './openChats.ts';
import { chatIsGone } from './storeMessages.ts';
import { chatViewId, editors } from '../contributions.ts';
import type { OpenPage, PagePort } from '../platform/page.ts';
import { ChatPage, type PageWindow } from './chatPage.ts';

/** A webview that shows a chat, in the side bar or a tab. */
abstract class PagePlace implements ChatPlace {
  protected readonly window: PageWindow;
  protected page: ChatPage | undefined;
  #chat: Chat;
  /** What the page shows once it is there. */
  #start: TurnTarget | undefined;

  abstract readonly isVisible: boolean;
  abstract readonly isInFront: boolean;

  constructor(window: PageWindow, chat: Chat) {
    this.window = window;
    this.#chat = chat;
  }

  get chat(): Chat {
    return this.#chat;
  }

  show(chat: Chat, target?: TurnTarget): void {
    const { chats } = this.window;
    this.#chat = chat;
    if (this.page === undefined) this.#start = target;
    else this.page.show(chat, target);
    chats.saveSidebar(chat);
    chats.notePlaces();
  }

  replace(chat: Chat): void {
    this.#chat = chat;
    this.page?.replace(chat);
  }

  abstract reveal(preserveFocus: boolean): Promise<void>;

  /** Connects to the page that was loaded. */
  protected connect(port: PagePort): ChatPage {
    const page = new ChatPage(port, this.#chat, this.window, () =>
      this.window.chats.setFocused(this),
    );
    if (this.#start !== undefined) page.show(this.#chat, this.#start);
    this.#start = undefined;
    this.page?.dispose();
    this.page = page;
    return page;
  }
}

/** VS Code 1.106 keeps showing a removed badge, but shows none for 0. */
const noBadge: vscode.ViewBadge = { value: 0, tooltip: '' };

/** The view in the sidebar. The host owns its state: VS Code may dispose the view at any time. */
export class ChatView extends PagePlace implements Disposable {
  #view: vscode.WebviewView | undefined;
  #focusWanted = false;
  /** Number of times that the focus was left to an opened list. */
  #releases = 0;
  #badge: vscode.ViewBadge | undefined;

  readonly isInFront = false;

  constructor(window: PageWindow) {
    super(window, window.chats.inSidebar);
  }

  get isVisible(): boolean {
    return this.#view?.visible === true;
  }

  /** A view that is not created yet gets the badge when it is. */
  setBadge(badge: vscode.ViewBadge | undefined): void {
    this.#badge = badge ?? (this.#badge && noBadge);
    if (this.#view !== undefined) this.#view.badge = this.#badge;
  }

  /** Connects to the page in a view, which VS Code creates again after the view was closed. */
  showIn(view: vscode.WebviewView, port: PagePort): void {
    const { chats } = this.window;
    const page = this.connect(port);
    if (this.#focusWanted) page.focus(false);
    this.#focusWanted = false;
    this.#view = view;
    view.badge = this.#badge;
    const watching = view.onDidChangeVisibility(() => chats.notePlaces());
    view.onDidDispose(() => {
      watching.dispose();
      page.dispose();
      if (this.page !== page) return;
      this.page = undefined;
      this.#view = undefined;
      chats.notePlaces();
    });
    chats.notePlaces();
  }

  /** Shows the view, and focuses it unless the editor should keep the focus. */
  async reveal(preserveFocus: boolean): Promise<void> {
    const wasVisible = this.isVisible;
    const releases = this.#releases;
    // A hidden page is loaded again when it is shown, and can be focused only then.
    if (!wasVisible && this.page === undefined) this.#focusWanted = !preserveFocus;
    else if (!wasVisible && !preserveFocus) this.page?.focus(false);
    await vscode.commands.executeCommand(`${chatViewId}.focus`, { preserveFocus });
    const isReleased = this.#releases > releases;
    if (wasVisible && !preserveFocus && !isReleased) this.page?.focus(true);
  }

  /** Cancels a pending focus of the page, which would close an open list. */
  releaseFocus(): void {
    this.#releases++;
    this.#focusWanted = false;
    this.page?.releaseFocus();
  }

  dispose(): void {
    this.page?.dispose();
  }
}

/** Events that may give a chat another title. */
const namesChat: readonly ConversationEvent['type'][] = ['turn-start', 'title-change'];

/** A tab that shows a chat, for as long as the tab is open. */
class ChatTab extends PagePlace {
  readonly #panel: vscode.WebviewPanel;

  constructor(panel: vscode.WebviewPanel, port: PagePort, window: PageWindow, chat: Chat) {
    super(window, chat);
    const { chats } = window;
    this.#panel = panel;
    const page = this.connect(port);
    const listening = [
      chats.onDidChange(({ chat: changed, change }) => {
        if (changed !== this.chat) return;
        if (change.type === 'replace' || namesChat.includes(change.event.type)) this.#name();
      }),
      panel.onDidChangeViewState(() => {
        if (panel.active) chats.setFocused(this);
        else chats.notePlaces();
      }),
    ];
    panel.onDidDispose(() => {
      disposeAll(listening);
      page.dispose();
      chats.removePlace(this);
    });
    this.#name();
    chats.addPlace(this);
    if (panel.active) chats.setFocused(this);
  }

  get isVisible(): boolean {
    return this.#panel.visible;
  }

  get isInFront(): boolean {
    return this.#panel.active;
  }

  override show(chat: Chat, target?: TurnTarget): void {
    super.show(chat, target);
    this.#name();
  }

  reveal(preserveFocus: boolean): Promise<void> {
    const wasVisible = this.isVisible;
    this.#panel.reveal(undefined, preserveFocus);
    if (!preserveFocus) this.page?.focus(wasVisible);
    return Promise.resolve();
  }

  focus(): void {
    this.page?.focus(false);
  }

  #name(): void {
    const name = titleOf(this.chat.conversation);
    this.#panel.title = name === '' ? vscode.l10n.t('New Chat') : name;
  }
}

/** Opens chats in tabs. */
export class ChatTabs {
  readonly #window: PageWindow;
  readonly #extensionUri: vscode.Uri;
  readonly #openPage: OpenPage;
  readonly #isSaved: (id: string) => Promise<boolean>;

  constructor(
    window: PageWindow,
    extensionUri: vscode.Uri,
    openPage: OpenPage,
    isSaved: (id: string) => Promise<boolean>,
  ) {
    this.#window = window;
    this.#extensionUri = extensionUri;
    this.#openPage = openPage;
    this.#isSaved = isSaved;
  }

  /**
   * `aside.openInEditor`: shows a chat in a tab. Without an id, it is the focused chat, or a new one
   * if that is empty.
   *
   * @param id the id of a stored chat; any other value for a new one
   * @param isBeside true if a new tab opens beside the active editor
   * @throws {UserError} if there is no such chat
   */
  async open(id: unknown, isBeside = false): Promise<void> {
    const { chats } = this.#window;
    const { focused } = chats;
    let chat: Chat;
    if (typeof id === 'string' && id !== '') {
      if (chats.find(id) === undefined && !(await this.#isSaved(id))) throw chatIsGone();
      chat = chats.open(id);
    } else {
      await focused.allRead();
      chat = id !== undefined || focused.isBlank ? chats.create() : focused;
    }
    const existing = chats.tabOf(chat);
    if (existing !== undefined) return existing.reveal(false);
    const { Active, Beside } = vscode.ViewColumn;
    const panel = vscode.window.createWebviewPanel(editors.chat, '', isBeside ? Beside : Active);
    const port = this.#openPage(panel.webview, this.#extensionUri);
    this.#add(panel, port, chat).focus();
  }

  /**
   * Shows a chat again in a tab that was open before a reload.
   * @param state the page's saved state, which has the id of the chat
   */
  restore(panel: vscode.WebviewPanel, port: PagePort, state: unknown): void {
    const { chats } = this.#window;
    const saved = typeof state === 'object' && state !== null && 'chat' in state ? state.chat : '';
    const isId = typeof saved === 'string' && /^[\w-]+$/.test(saved);
    this.#add(panel, port, isId ? chats.open(saved) : chats.create());
  }

  #add(panel: vscode.WebviewPanel, port: PagePort, chat: Chat): ChatTab {
    panel.iconPath = vscode.Uri.joinPath(this.#extensionUri, 'media', 'icon.png');
    return new ChatTab(panel, port, this.#window, chat);
  }
}

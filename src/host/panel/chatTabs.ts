import * as vscode from 'vscode';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { titleOf } from '../../core/history/chatTitle.ts';
import { background } from '../../core/support/background.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import type { HostMessage } from '../../protocol/messages.ts';
import { editors } from '../contributions.ts';
import { ChatPage, type ChatPageOptions } from './chatPage.ts';
import type { OpenChat } from '../chat/openChat.ts';
import type { ChatPlace, TurnTarget } from '../chat/chatPlaces.ts';
import type { OpenChats } from '../chat/openChats.ts';
import type { Listen, OpenPage } from '../page.ts';
import { chatIsGone } from '../chat/storeMessages.ts';

export interface ChatTabsOptions extends Omit<ChatPageOptions, 'port' | 'open' | 'onDidFocus'> {
  readonly isSaved: (id: string) => Promise<boolean>;
  readonly extensionUri: vscode.Uri;
  readonly openPage: OpenPage;
}

/** Events that may give a chat another title. */
const namesChat: readonly ConversationEvent['type'][] = ['turn-start', 'title-change'];

export class ChatTabs {
  readonly #options: ChatTabsOptions;

  constructor(options: ChatTabsOptions) {
    this.#options = options;
  }

  /**
   * `aside.openInEditor`: shows a chat in a tab.
   *
   * @param isBeside true if a new tab opens beside the active editor
   * @throws {UserError} if there is no such chat
   */
  async open(id: unknown, isBeside = false): Promise<void> {
    const { chats, extensionUri, openPage } = this.#options;
    const open = await this.#chatFor(id);
    const existing = chats.tabOf(open);
    if (existing !== undefined) return existing.reveal(false);
    const { Active, Beside } = vscode.ViewColumn;
    const column = isBeside ? Beside : Active;
    const panel = vscode.window.createWebviewPanel(editors.chat, '', column);
    const tab = this.#add(panel, openPage(panel.webview, extensionUri), open);
    tab.focus();
  }

  /**
   * Shows a chat again in a tab that was open before a reload.
   * @param state the page's saved state
   */
  restore(panel: vscode.WebviewPanel, listen: Listen, state: unknown): void {
    const { chats } = this.#options;
    const id = chatIn(state);
    this.#add(panel, listen, id === undefined ? chats.create() : chats.open(id));
  }

  /**
   * Finds or creates the chat of a new tab. Without an id, it is the focused chat, or a new one if
   * that is empty.
   *
   * @param id the id of a stored chat; any other value for a new one
   * @throws {UserError} if there is no such chat
   */
  async #chatFor(id: unknown): Promise<OpenChat> {
    const { chats, isSaved } = this.#options;
    if (typeof id === 'string' && id !== '') {
      if (chats.find(id) === undefined && !(await isSaved(id))) throw chatIsGone();
      return chats.open(id);
    }
    const { focused } = chats;
    await focused.chat.restored();
    return id !== undefined || focused.chat.isBlank ? chats.create() : focused;
  }

  #add(panel: vscode.WebviewPanel, listen: Listen, open: OpenChat): ChatTab {
    panel.iconPath = vscode.Uri.joinPath(this.#options.extensionUri, 'media', 'icon.png');
    return new ChatTab(panel, listen, { ...this.#options, open });
  }
}

/** A tab that shows a chat, for as long as the tab is open. */
class ChatTab implements ChatPlace {
  readonly #panel: vscode.WebviewPanel;
  readonly #chats: OpenChats;
  readonly #page: ChatPage;
  readonly #listening: readonly Disposable[];
  #openChat: OpenChat;

  constructor(
    panel: vscode.WebviewPanel,
    listen: Listen,
    options: ChatTabsOptions & { readonly open: OpenChat },
  ) {
    const { chats, open } = options;
    const post = (message: HostMessage): void => background(panel.webview.postMessage(message));
    const onDidFocus = (): void => chats.noteFocus(this);
    this.#panel = panel;
    this.#chats = chats;
    this.#openChat = open;
    this.#page = new ChatPage({ ...options, port: { post, listen }, onDidFocus });
    this.#listening = [
      chats.onDidChange(({ open, change }) => {
        if (open !== this.#openChat) return;
        if (change.type === 'replace' || namesChat.includes(change.event.type)) this.#name();
      }),
      panel.onDidChangeViewState(() => {
        if (panel.active) chats.noteFocus(this);
        else chats.notePlaces();
      }),
    ];
    panel.onDidDispose(() => {
      disposeAll(this.#listening);
      this.#page.dispose();
      this.#chats.removePlace(this);
    });
    this.#name();
    chats.addPlace(this);
    if (panel.active) chats.noteFocus(this);
  }

  get openChat(): OpenChat {
    return this.#openChat;
  }

  get isVisible(): boolean {
    return this.#panel.visible;
  }

  get isInFront(): boolean {
    return this.#panel.active;
  }

  show(open: OpenChat, target?: TurnTarget): void {
    this.#openChat = open;
    this.#page.show(open, target);
    this.#name();
    this.#chats.notePlaces();
  }

  replace(open: OpenChat): void {
    this.#openChat = open;
    this.#page.replace(open);
  }

  reveal(preserveFocus: boolean): Promise<void> {
    const wasVisible = this.isVisible;
    this.#panel.reveal(undefined, preserveFocus);
    if (!preserveFocus) this.#page.focus(wasVisible);
    return Promise.resolve();
  }

  focus(): void {
    this.#page.focus(false);
  }

  #name(): void {
    const name = titleOf(this.#openChat.chat.conversation);
    this.#panel.title = name === '' ? vscode.l10n.t('New Chat') : name;
  }
}

/** Reads the chat's id from the saved state of a page. */
function chatIn(state: unknown): string | undefined {
  if (typeof state !== 'object' || state === null || !('chat' in state)) return undefined;
  return typeof state.chat === 'string' && /^[\w-]+$/.test(state.chat) ? state.chat : undefined;
}

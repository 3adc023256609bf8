import * as vscode from 'vscode';
import { background } from '../../core/support/background.ts';
import type { Disposable } from '../../core/support/event.ts';
import type { HostMessage } from '../../protocol/messages.ts';
import { chatViewId } from '../contributions.ts';
import { ChatPage, type ChatPageOptions } from './chatPage.ts';
import type { OpenChat } from '../chat/openChat.ts';
import type { ChatPlace, TurnTarget } from '../chat/chatPlaces.ts';
import type { Listen } from '../page.ts';

export type ChatViewOptions = Omit<ChatPageOptions, 'port' | 'open' | 'onDidFocus'>;

/** VS Code 1.106 keeps showing a removed badge, but shows none for 0. */
const noBadge: vscode.ViewBadge = { value: 0, tooltip: '' };

/** The view in the sidebar. The host owns its state: VS Code may dispose the view at any time. */
export class ChatView implements Disposable, ChatPlace {
  readonly #options: ChatViewOptions;
  #openChat: OpenChat;
  #page: ChatPage | undefined;
  #view: vscode.WebviewView | undefined;
  #focusWanted = false;
  /** Number of times that the focus was left to an opened list. */
  #releases = 0;
  #start: TurnTarget | undefined;
  #badge: vscode.ViewBadge | undefined;

  readonly isInFront = false;

  constructor(options: ChatViewOptions) {
    this.#options = options;
    this.#openChat = options.chats.inSidebar;
  }

  get openChat(): OpenChat {
    return this.#openChat;
  }

  get isVisible(): boolean {
    return this.#view?.visible === true;
  }

  /** A view that is not created yet gets the badge when it is. */
  setBadge(badge: vscode.ViewBadge | undefined): void {
    this.#badge = badge ?? (this.#badge && noBadge);
    if (this.#view !== undefined) this.#view.badge = this.#badge;
  }

  show(open: OpenChat, target?: TurnTarget): void {
    const { chats } = this.#options;
    this.#openChat = open;
    if (this.#page === undefined) this.#start = target;
    else this.#page.show(open, target);
    chats.saveSidebar(open);
    chats.notePlaces();
  }

  replace(open: OpenChat): void {
    this.#openChat = open;
    this.#page?.replace(open);
  }

  /** Connects to the page in a view, which VS Code creates again after the view was closed. */
  showIn(view: vscode.WebviewView, listen: Listen): void {
    const { chats } = this.#options;
    const post = (message: HostMessage): void => background(view.webview.postMessage(message));
    const page = new ChatPage({
      ...this.#options,
      port: { post, listen },
      open: this.#openChat,
      onDidFocus: () => chats.noteFocus(this),
    });
    if (this.#focusWanted) page.focus(false);
    this.#focusWanted = false;
    if (this.#start !== undefined) page.show(this.#openChat, this.#start);
    this.#start = undefined;
    this.#page?.dispose();
    this.#page = page;
    this.#view = view;
    view.badge = this.#badge;
    const watching = view.onDidChangeVisibility(() => chats.notePlaces());
    view.onDidDispose(() => {
      watching.dispose();
      page.dispose();
      if (this.#page !== page) return;
      this.#page = undefined;
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
    if (!wasVisible && this.#page === undefined) this.#focusWanted = !preserveFocus;
    else if (!wasVisible && !preserveFocus) this.#page?.focus(false);
    await vscode.commands.executeCommand(`${chatViewId}.focus`, { preserveFocus });
    const isReleased = this.#releases > releases;
    if (wasVisible && !preserveFocus && !isReleased) this.#page?.focus(true);
  }

  /** Cancels a pending focus of the page, which would close an open list. */
  releaseFocus(): void {
    this.#releases++;
    this.#focusWanted = false;
    this.#page?.releaseFocus();
  }

  dispose(): void {
    this.#page?.dispose();
  }
}

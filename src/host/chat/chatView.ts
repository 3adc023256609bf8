import * as vscode from 'vscode';
import type { Turn } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { versionsOf } from '../../core/conversation/versions.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, Emitter, type Disposable } from '../../core/support/event.ts';
import { HostChannel, type HostHandlers } from '../../protocol/hostChannel.ts';
import type { HostMessage, PanelState, Snapshot, ViewMessage } from '../../protocol/messages.ts';
import { views } from '../contributions.ts';
import type { Chat } from './chat.ts';
import type { PanelInSight } from './chatNotices.ts';
import type { Listen } from './page.ts';

export interface ChatViewOptions {
  readonly chat: Chat;
  readonly handlers: HostHandlers;
}

/** Words of a chat, and the turn that has them. */
export interface WantedMatch {
  readonly turn: string;
  readonly query: string;
}

/** Milliseconds for which events other than text are batched; less than a frame. */
const eventWait = 5;

/** The view in the sidebar. The host owns its state: VS Code may dispose the view at any time. */
export class ChatView implements Disposable, PanelInSight {
  readonly #options: ChatViewOptions;
  readonly #visibilityChanged = new Emitter<unknown>();
  readonly #disposables: Disposable[];
  #channel: HostChannel | undefined;
  #view: vscode.WebviewView | undefined;
  #focusWanted = false;
  /** Words to mark as soon as the page shows the chat that has them. */
  #match: WantedMatch | undefined;
  #badge: vscode.ViewBadge | undefined;

  readonly onDidChangeVisibility = this.#visibilityChanged.event;

  constructor(options: ChatViewOptions) {
    this.#options = options;
    this.#disposables = [
      options.chat.onDidChange((change) => {
        if (change.type === 'event') this.#postEvent(change.event);
        else if (!change.isShown) this.#channel?.postSnapshot();
        else {
          // The only state that the newest turns do not contain.
          const { options: chosen } = options.chat.conversation;
          this.#channel?.postEvent({ type: 'options-change', options: chosen });
          this.#postVersions(options.chat.windowAround().conversation.turns);
        }
      }),
    ];
  }

  get isVisible(): boolean {
    return this.#view?.visible === true;
  }

  /** A view that is not created yet gets the badge when it is. */
  setBadge(badge: vscode.ViewBadge | undefined): void {
    this.#badge = badge;
    if (this.#view !== undefined) this.#view.badge = badge;
  }

  /** Connects to the page in a view, which VS Code creates again after the view was closed. */
  showIn(view: vscode.WebviewView, listen: Listen): void {
    const { webview } = view;
    const { chat } = this.#options;
    // Restored while the page loads.
    void chat.restored();
    const channel = new HostChannel(
      {
        post: (message: HostMessage) => void webview.postMessage(message),
        listen,
      },
      {
        ...this.#options.handlers,
        // The newest turns may be shown before all are read; nothing else can be done with them.
        prepare: (message) => (asksForNewest(message) ? chat.begun() : chat.restored()),
        snapshot: (turn) => this.#snapshot(turn),
      },
      (work) => void systemClock.after(eventWait, work),
    );
    this.#channel?.dispose();
    this.#channel = channel;
    this.#view = view;
    view.badge = this.#badge;
    const fireVisibility = (): void => this.#visibilityChanged.fire(undefined);
    const watching = view.onDidChangeVisibility(fireVisibility);
    view.onDidDispose(() => {
      watching.dispose();
      channel.dispose();
      if (this.#channel !== channel) return;
      this.#channel = undefined;
      this.#view = undefined;
      fireVisibility();
    });
    fireVisibility();
  }

  /** Marks words in the chat that is shown, and scrolls to those in the turn. */
  async showMatch(match: WantedMatch): Promise<void> {
    const shown = this.isVisible;
    this.#match = match;
    await this.reveal(false);
    if (shown) this.#postMatch();
  }

  postState(state: PanelState): void {
    this.#channel?.postState(state);
  }

  /** Shows the panel, and focuses it unless the editor should keep the focus. */
  async reveal(preserveFocus: boolean): Promise<void> {
    // A hidden page is loaded again when it is shown, and can be focused only then.
    const shown = this.isVisible;
    this.#focusWanted = !preserveFocus;
    await vscode.commands.executeCommand(`${views.chat}.focus`, { preserveFocus });
    if (shown && this.#focusWanted) this.#focusWanted = this.#channel?.focus() !== true;
  }

  dispose(): void {
    disposeAll(this.#disposables);
    this.#channel?.dispose();
    this.#visibilityChanged.dispose();
  }

  #postMatch(): void {
    if (this.#match !== undefined) this.#channel?.showMatch(this.#match.turn, this.#match.query);
    this.#match = undefined;
  }

  #postEvent(event: ConversationEvent): void {
    if (event.type === 'version-select') {
      this.#channel?.postSnapshot(event.turn);
      return;
    }
    this.#channel?.postEvent(event);
    const { running } = this.#options.chat.conversation;
    if (event.type === 'turn-start' && running !== undefined) this.#postVersions([running]);
  }

  #postVersions(turns: readonly Turn[]): void {
    this.#channel?.postVersions(versionsOf(this.#options.chat.conversation, turns));
  }

  #snapshot(turn: string | undefined): Snapshot {
    if (this.#focusWanted) queueMicrotask(() => this.#channel?.focus());
    this.#focusWanted = false;
    if (this.#match !== undefined) queueMicrotask(() => this.#postMatch());
    return this.#options.handlers.snapshot(turn);
  }
}

function asksForNewest(message: ViewMessage): boolean {
  return message.type === 'ready' && message.turn === undefined;
}

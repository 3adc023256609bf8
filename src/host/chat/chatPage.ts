import * as vscode from 'vscode';
import { background } from '../../core/support/background.ts';
import type { Turn } from '../../core/conversation/conversation.ts';
import { turnOfPath } from '../../core/conversation/paths.ts';
import { versionsOf } from '../../core/conversation/versions.ts';
import { adjacentTurns } from '../../core/conversation/window.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import type { Port } from '../../protocol/channel.ts';
import { sideChatPort, HostChannel, type HostHandlers } from '../../protocol/hostChannel.ts';
import type { HostMessage, Snapshot, ViewMessage } from '../../protocol/messages.ts';
import type { Call, CallName, CallParameters, CallResults } from '../../protocol/rpc.ts';
import { UserError } from '../platform/errors.ts';
import type { ChatChange } from '../../core/conversation/liveConversation.ts';
import type { Chat } from './chat.ts';
import type { OpenChats, TurnTarget } from './openChats.ts';

/** What the pages of a window share. */
export interface PageWindow {
  readonly chats: OpenChats;
  /** Stores the draft of a chat that is no longer open. */
  keepDraft(conversation: string, draft: CallParameters['draft']): Promise<void>;
  references(
    words: CallParameters['find-references']['words'],
  ): Promise<CallResults['find-references']>;
  /** Describes to the person why a call was refused. */
  refusal(error: unknown): string;
}

/** Milliseconds for which non-text events are batched; less than a frame. */
const eventWait = 5;

/**
 * The page in a webview, which shows one chat at a time. It gets events of a chat only after the
 * chat itself. Each of its messages is for the chat that it showed at that time.
 */
export class ChatPage implements Disposable {
  readonly #port: Port<HostMessage, unknown>;
  readonly #window: PageWindow;
  readonly #onDidFocus: () => void;
  readonly #schedule: (work: () => void) => void;
  readonly #channel: HostChannel;
  #chat: Chat;
  /** The chat that the page has received, possibly the previous one. */
  #sent: Chat | undefined;
  #listening: readonly Disposable[] = [];
  /** The page of the side chat, which is part of this one. */
  #side: ChatPage | undefined;
  #focusWanted = false;
  #match: TurnTarget | undefined;

  /**
   * @param onDidFocus called when the page gets the focus
   * @param schedule runs work soon; events that come until then are sent together
   */
  constructor(
    port: Port<HostMessage, unknown>,
    chat: Chat,
    window: PageWindow,
    onDidFocus: () => void,
    schedule = (work: () => void): void => void systemClock.after(eventWait, work),
  ) {
    this.#port = port;
    this.#chat = chat;
    this.#window = window;
    this.#onDidFocus = onDidFocus;
    this.#schedule = schedule;
    // Read while the page loads.
    background(chat.newestRead());
    const handlers: HostHandlers = {
      prepare: (message) => this.#prepare(message),
      snapshot: (turn) => this.#snapshot(turn),
      turns: (side, of) => {
        const { conversation } = this.#chat;
        const more = adjacentTurns(conversation, side, of);
        return more && { ...more, versions: versionsOf(conversation, more.turns) };
      },
      call: (call, conversation) => this.#call(call, conversation),
      refusal: (error) => window.refusal(error),
      focused: onDidFocus,
    };
    this.#channel = new HostChannel(port, handlers, schedule);
  }

  /** Shows another chat, or another turn of the same chat. */
  show(chat: Chat, target?: TurnTarget): void {
    if (this.#chat !== chat) this.#leave();
    this.#chat = chat;
    background(this.#send(chat, target));
  }

  /** Continues the same chat after it was opened again. A hidden page asks for it when it loads. */
  replace(chat: Chat): void {
    this.#leave();
    this.#chat = chat;
  }

  /** Focuses the composer now, or once the page has loaded. */
  focus(isLoaded: boolean): void {
    this.#focusWanted = true;
    // A hidden page is loaded again when it is shown, and can be focused only then.
    // After the command palette, VS Code may focus the tab that had the focus before, and not this page.
    if (isLoaded) this.#focusWanted = !this.#channel.focus({ grabs: true });
  }

  /** Cancels a focus that the page has not taken yet. */
  releaseFocus(): void {
    this.#focusWanted = false;
  }

  dispose(): void {
    this.#leave();
    this.#channel.dispose();
  }

  async #send(chat: Chat, target: TurnTarget | undefined): Promise<void> {
    // The newest turns may be shown before all are read.
    await (target === undefined ? chat.newestRead() : chat.allRead());
    if (target !== undefined && turnOfPath(chat.conversation, target.turn) === undefined)
      await chat.changeBetweenTurns({ type: 'version-select', turn: target.turn });
    if (chat !== this.#chat) return;
    this.#channel.postSnapshot(target?.turn);
    this.#match = target?.query === '' ? undefined : target;
    this.#showMatch();
  }

  /** A page that hasn't loaded gets the match with its first snapshot. */
  #showMatch(): void {
    const { turn, query } = this.#match ?? {};
    if (turn === undefined || query === undefined) return;
    if (this.#channel.showMatch(turn, query)) this.#match = undefined;
  }

  #snapshot(turn: string | undefined): Snapshot {
    this.#follow();
    if (this.#focusWanted) queueMicrotask(() => this.#channel.focus({ grabs: false }));
    this.#focusWanted = false;
    if (this.#match !== undefined) queueMicrotask(() => this.#showMatch());
    return this.#chat.panel.snapshot(turn);
  }

  #follow(): void {
    const chat = this.#chat;
    if (this.#sent === chat) return;
    this.#leave();
    this.#sent = chat;
    this.#listening = [
      chat.onDidChange((change) => this.#post(chat, change)),
      chat.panel.onDidChange((state) => this.#channel.postState(state)),
      chat.composer.onDidType(({ text, by, isOther }) => {
        if (by !== this) this.#channel.postDraft(text, isOther);
      }),
      chat.side.onDidChange(() => this.#showSideChat(chat.side.current)),
    ];
    this.#showSideChat(chat.side.current);
  }

  #showSideChat(chat: Chat | undefined): void {
    if (this.#side !== undefined && this.#side.#chat === chat) return;
    this.#side?.dispose();
    this.#side =
      chat &&
      new ChatPage(
        sideChatPort(this.#port, chat.conversation.id),
        chat,
        this.#window,
        this.#onDidFocus,
        this.#schedule,
      );
  }

  #leave(): void {
    this.#showSideChat(undefined);
    disposeAll(this.#listening);
    this.#listening = [];
    this.#sent = undefined;
  }

  #post(chat: Chat, change: ChatChange): void {
    const { options, running } = chat.conversation;
    if (change.type === 'replace' && change.isShown) {
      // The only state that the newest turns do not contain.
      this.#channel.postEvent({ type: 'options-change', options });
      this.#postVersions(chat, chat.windowAround().conversation.turns);
    } else if (change.type === 'replace') this.#channel.postSnapshot();
    else if (change.event.type === 'version-select') this.#channel.postSnapshot(change.event.turn);
    else {
      this.#channel.postEvent(change.event);
      const isStart = change.event.type === 'turn-start';
      if (isStart && running !== undefined) this.#postVersions(chat, [running]);
    }
  }

  #postVersions({ conversation }: Chat, turns: readonly Turn[]): void {
    this.#channel.postVersions(versionsOf(conversation, turns));
  }

  async #call(call: Call, conversation: string): Promise<CallResults[CallName]> {
    const { chats } = this.#window;
    if (call.name === 'find-references') return this.#window.references(call.parameters.words);
    const owner = chats.ofConversation(conversation);
    if (call.name === 'draft')
      return (
        owner?.composer.setTyped(call.parameters, this) ??
        this.#window.keepDraft(conversation, call.parameters)
      );
    if (owner === undefined) throw new UserError(vscode.l10n.t('This chat is no longer open.'));
    return owner.request(call);
  }

  async #prepare(message: ViewMessage): Promise<void> {
    const named =
      'conversation' in message
        ? this.#window.chats.ofConversation(message.conversation)
        : undefined;
    const chat = named ?? this.#chat;
    // Everything except showing the newest turns needs the whole chat.
    await (isForNewest(message) ? chat.newestRead() : chat.allRead());
  }
}

function isForNewest(message: ViewMessage): boolean {
  if (message.type === 'ready') return message.turn === undefined;
  if (message.type === 'call') return message.call.name === 'find-references';
  return message.type === 'acknowledge' || message.type === 'focused';
}

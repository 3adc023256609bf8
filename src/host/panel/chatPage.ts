import * as vscode from 'vscode';
import { background } from '../../core/support/background.ts';
import type { Turn } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { versionsOf } from '../../core/conversation/versions.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import type { Port } from '../../protocol/channel.ts';
import { hostAsidePort, HostChannel, type HostHandlers } from '../../protocol/hostChannel.ts';
import type { HostMessage, Snapshot, ViewMessage } from '../../protocol/messages.ts';
import type { Call, RequestName, RequestParameters, RequestResults } from '../../protocol/rpc.ts';
import { UserError } from '../errors.ts';
import type { ChatChange } from '../../core/conversation/liveConversation.ts';
import type { Chat } from '../chat/chat.ts';
import type { OpenChat } from '../chat/openChat.ts';
import type { TurnTarget } from '../chat/chatPlaces.ts';
import type { OpenChats } from '../chat/openChats.ts';

export interface ChatPageOptions {
  readonly port: Port<HostMessage, unknown>;
  readonly open: OpenChat;
  readonly chats: OpenChats;
  /** Stores the draft of a chat that is no longer open. */
  readonly keepDraft: (conversation: string, draft: RequestParameters['draft']) => Promise<void>;
  /** Called when the page gets the focus. */
  readonly onDidFocus: () => void;
  /** The places named by words of a reply; null for words that name nothing in the workspace. */
  readonly references: (
    words: RequestParameters['find-references']['words'],
  ) => Promise<RequestResults['find-references']>;
  readonly refusal: HostHandlers['refusal'];
  /** Runs the work soon; events that come until then are sent together. */
  readonly schedule?: (work: () => void) => void;
}

/** Milliseconds for which non-text events are batched; less than a frame. */
const eventWait = 5;

/**
 * The page in a webview, which shows one chat at a time. It gets events of a chat only after the
 * chat itself. Each of its messages is for the chat that it showed at that time.
 */
export class ChatPage implements Disposable {
  /** Excludes the first visible chat, which may be closed now. */
  readonly #options: Omit<ChatPageOptions, 'open'>;
  readonly #channel: HostChannel;
  #openChat: OpenChat;
  /** The chat that the page has received, possibly the previous one. */
  #sent: OpenChat | undefined;
  #listening: readonly Disposable[] = [];
  /** The page of the side chat, which is part of this one. */
  #aside: ChatPage | undefined;
  #focusWanted = false;
  #match: TurnTarget | undefined;

  constructor(options: ChatPageOptions) {
    const { open, ...others } = options;
    const { refusal, schedule = soon } = others;
    this.#options = others;
    this.#openChat = open;
    // Read while the page loads.
    background(open.chat.begun());
    const handlers: HostHandlers = {
      prepare: (message) => this.#prepare(message),
      snapshot: (turn) => this.#snapshot(turn),
      turns: (side, of) => this.#openChat.turns(side, of),
      request: (call, conversation) => this.#request(call, conversation),
      refusal,
      focused: others.onDidFocus,
    };
    this.#channel = new HostChannel(others.port, handlers, schedule);
  }

  /** Shows another chat, or another turn of the same chat. */
  show(open: OpenChat, target?: TurnTarget): void {
    if (this.#openChat !== open) this.#leave();
    this.#openChat = open;
    background(this.#send(open, target));
  }

  /** Continues the same chat after it was opened again. A hidden page asks for it when it loads. */
  replace(open: OpenChat): void {
    this.#leave();
    this.#openChat = open;
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

  async #send(open: OpenChat, target: TurnTarget | undefined): Promise<void> {
    // The newest turns may be shown before all are read.
    await (target === undefined ? open.chat.begun() : open.chat.restored());
    if (target !== undefined && !open.chat.hasTurn(target.turn))
      await open.chat.changeBetweenTurns({ type: 'version-select', turn: target.turn });
    if (open !== this.#openChat) return;
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
    return this.#openChat.snapshot(turn);
  }

  #follow(): void {
    const open = this.#openChat;
    if (this.#sent === open) return;
    this.#leave();
    this.#sent = open;
    this.#listening = [
      open.chat.onDidChange((change) => this.#post(open, change)),
      open.state.onDidChange((state) => this.#channel.postState(state)),
      open.composer.onDidType(({ text, by, isOther }) => {
        if (by !== this) this.#channel.postDraft(text, isOther);
      }),
      open.aside.onDidChange(() => this.#showAside(open.aside.current)),
    ];
    this.#showAside(open.aside.current);
  }

  #showAside(open: OpenChat | undefined): void {
    if (this.#aside !== undefined && this.#aside.#openChat === open) return;
    this.#aside?.dispose();
    const { port } = this.#options;
    const portOf = ({ chat }: OpenChat) => hostAsidePort(port, chat.conversation.id);
    this.#aside = open && new ChatPage({ ...this.#options, port: portOf(open), open });
  }

  #leave(): void {
    this.#showAside(undefined);
    disposeAll(this.#listening);
    this.#listening = [];
    this.#sent = undefined;
  }

  #post({ chat }: OpenChat, change: ChatChange): void {
    if (change.type === 'event') this.#postEvent(chat, change.event);
    else if (!change.isShown) this.#channel.postSnapshot();
    else {
      // The only state that the newest turns do not contain.
      const { options } = chat.conversation;
      this.#channel.postEvent({ type: 'options-change', options });
      this.#postVersions(chat, chat.windowAround().conversation.turns);
    }
  }

  #postEvent(chat: Chat, event: ConversationEvent): void {
    if (event.type === 'version-select') {
      this.#channel.postSnapshot(event.turn);
      return;
    }
    this.#channel.postEvent(event);
    const { running } = chat.conversation;
    if (event.type === 'turn-start' && running !== undefined) this.#postVersions(chat, [running]);
  }

  #postVersions({ conversation }: Chat, turns: readonly Turn[]): void {
    this.#channel.postVersions(versionsOf(conversation, turns));
  }

  async #request(call: Call, conversation: string): Promise<RequestResults[RequestName]> {
    const { chats, keepDraft, references } = this.#options;
    if (call.name === 'find-references') return references(call.parameters.words);
    const owner = chats.ofConversation(conversation);
    if (call.name === 'draft')
      return (
        owner?.composer.setTyped(call.parameters, this) ?? keepDraft(conversation, call.parameters)
      );
    if (owner === undefined) throw new UserError(vscode.l10n.t('This chat is no longer open.'));
    return owner.request(call);
  }

  async #prepare(message: ViewMessage): Promise<void> {
    const { chat } =
      'conversation' in message
        ? (this.#options.chats.ofConversation(message.conversation) ?? this.#openChat)
        : this.#openChat;
    // Everything except showing the newest turns needs the whole chat.
    await (isForNewest(message) ? chat.begun() : chat.restored());
  }
}

function soon(work: () => void): void {
  systemClock.after(eventWait, work);
}

function isForNewest(message: ViewMessage): boolean {
  if (message.type === 'ready') return message.turn === undefined;
  if (message.type === 'request') return message.call.name === 'find-references';
  return message.type === 'acknowledge' || message.type === 'focused';
}

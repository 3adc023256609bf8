import { imagesIn, imagesOfChat } from '../../core/conversation/attachedImage.ts';
import {
  turnText,
  type Attachment,
  type Conversation,
  type UserMessage,
} from '../../core/conversation/conversation.ts';
import { sideChatEvents } from '../../core/history/chatImport.ts';
import { titleOfMessage } from '../../core/history/chatTitle.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { SideChatState } from '../../protocol/messages.ts';
import type { Chat } from './chat.ts';
import { replyRuns } from './storeMessages.ts';

/** Events after which its state is another one. */
const changesState: readonly string[] = ['turn-start', 'turn-continue', 'turn-end', 'turn-remove'];

/**
 * The side chat of a chat, at most one: a fork of the chat, which replies beside it. Further
 * messages continue the fork. The chat itself gets no event of it.
 */
export class SideChat implements Disposable {
  readonly #chat: Chat;
  readonly #changed = new Emitter<unknown>();
  #current: Chat | undefined;
  /** Number of its turns that were copied. */
  #copied = 0;
  #listening: Disposable | undefined;

  /** Fires when a side chat begins, gets or ends a reply, or is closed. */
  readonly onDidChange = this.#changed.event;

  constructor(chat: Chat) {
    this.#chat = chat;
  }

  get current(): Chat | undefined {
    return this.#current;
  }

  get state(): SideChatState | undefined {
    const { current } = this;
    if (current === undefined) return undefined;
    const { conversation, isRunning } = current;
    return { chat: conversation.id, copied: this.#copied, isRunning };
  }

  /**
   * Sends a message in the side chat.
   *
   * @param create opens a new chat, if there is no side chat
   * @throws {UserError} while the last message has no reply
   */
  async send(message: UserMessage, model: string, create: () => Chat): Promise<void> {
    const chat = this.#chat;
    await chat.allRead();
    if (this.#current?.isBusy === true) throw replyRuns();
    let side = this.#current;
    if (side === undefined) {
      side = create();
      // Its requests begin as those of the chat, so that the service has them in its cache.
      side.show(sideChatEvents(chat.conversation, titleOfMessage(message)));
      this.#set(side);
    }
    const images = [...imagesOfChat(chat.conversation), ...imagesIn([message])];
    await side.images.takeFrom(chat.id, images);
    side.post(message, model);
  }

  /** Makes it a chat like any other, which is returned. */
  release(): Chat | undefined {
    const side = this.#current;
    this.#set(undefined);
    return side;
  }

  /**
   * Its messages and replies as an attachment for the chat; undefined if it is closed.
   * @throws {UserError} while it has no reply
   */
  attachment(isTainted: (chat: Conversation) => boolean): Attachment | undefined {
    const conversation = this.#current?.conversation;
    if (conversation?.running !== undefined) throw replyRuns();
    const [first, ...others] = conversation?.turns.slice(this.#copied) ?? [];
    if (conversation === undefined || first === undefined) return undefined;
    const name = titleOfMessage(first.question);
    const text = [first, ...others]
      .map((turn) => `Side question: ${turn.question.text}\n\nReply: ${turnText(turn)}`)
      .join('\n\n');
    const fields = { id: newId(), name, path: name, language: 'markdown', text };
    const tainted = isTainted(conversation);
    return { ...fields, kind: 'pasted', ...(tainted ? { tainted } : {}) };
  }

  dispose(): void {
    this.#current?.stop();
    this.#listening?.dispose();
    this.#changed.dispose();
  }

  #set(side: Chat | undefined): void {
    this.#listening?.dispose();
    this.#current = side;
    this.#copied = side?.conversation.turns.length ?? 0;
    this.#listening = side?.onDidChange((change) => {
      const isEvent = change.type === 'event';
      if (!isEvent || changesState.includes(change.event.type)) this.#changed.fire(change);
    });
    // It can be deleted in the list of saved chats.
    side?.access.closed.addEventListener('abort', () => {
      if (this.#current === side) this.#set(undefined);
    });
    this.#changed.fire(side);
  }
}

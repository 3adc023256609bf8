import { imagesIn, imagesOfChat } from '../../core/conversation/attachedImage.ts';
import {
  turnText,
  type Attachment,
  type UserMessage,
} from '../../core/conversation/conversation.ts';
import { titleOfMessage } from '../../core/history/chatTitle.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { AsideState } from '../../protocol/messages.ts';
import type { Chat } from './chat.ts';
import type { ChatImages } from './imageFiles.ts';
import type { MessageQueue } from './messageQueue.ts';
import { replyRuns } from './storeMessages.ts';

/** A side chat. */
export interface SideChat {
  readonly id: string;
  readonly chat: Chat;
  readonly queue: MessageQueue;
  readonly images: ChatImages;
}

export interface AsideActions<Opened> {
  /** Opens a new chat. */
  create(): Opened;
  /** Deletes the chat of a closed side chat. */
  discard(side: Opened): Promise<void>;
}

interface AsideOptions<Opened> extends AsideActions<Opened> {
  readonly chat: Chat;
  readonly id: () => string;
}

/** Events after which its state is another one. */
const changesState: readonly string[] = ['turn-start', 'turn-continue', 'turn-end', 'turn-remove'];

/**
 * The side chat of a chat, at most one: a fork of the chat, which replies beside it. Further
 * questions continue the fork. The chat itself gets no event of it.
 */
export class OpenAside<Opened extends SideChat> implements Disposable {
  readonly #options: AsideOptions<Opened>;
  readonly #changed = new Emitter<unknown>();
  #current: Opened | undefined;
  /** Number of its turns that were copied. */
  #copied = 0;
  #listening: Disposable | undefined;

  /** Fires when a side chat begins, gets or ends a reply, or is closed. */
  readonly onDidChange = this.#changed.event;

  constructor(options: AsideOptions<Opened>) {
    this.#options = options;
  }

  get current(): Opened | undefined {
    return this.#current;
  }

  get state(): AsideState | undefined {
    const { chat } = this.#current ?? {};
    return chat && { chat: chat.conversation.id, copied: this.#copied, isRunning: chat.isRunning };
  }

  /** @throws {UserError} while the last side chat has no reply */
  async send(message: UserMessage, model: string): Promise<void> {
    const { chat, id } = this.#options;
    const { asideEvents } = await import('../../core/history/chatImport.ts');
    await chat.restored();
    if (this.#current?.chat.isBusy === true) throw replyRuns();
    let open = this.#current;
    if (open === undefined) {
      open = this.#options.create();
      // Its requests begin as those of the chat, so that the service has them in its cache.
      open.chat.show(asideEvents(chat.conversation, titleOfMessage(message)));
      this.#set(open);
    }
    await open.images.takeFrom(id(), [...imagesOfChat(chat.conversation), ...imagesIn([message])]);
    open.queue.send(message, model);
  }

  /** Makes it a chat like any other. */
  release(): Opened | undefined {
    const open = this.#current;
    this.#set(undefined);
    return open;
  }

  /** Stops it and deletes its chat. */
  async close(): Promise<void> {
    const open = this.release();
    if (open !== undefined) await this.#options.discard(open);
  }

  /**
   * Its messages and replies as an attachment for the chat; undefined if it is closed.
   * @throws {UserError} while it has no reply
   */
  attachment(): Attachment | undefined {
    const { turns, running } = this.#current?.chat.conversation ?? { turns: [] };
    if (running !== undefined) throw replyRuns();
    const [first, ...others] = turns.slice(this.#copied);
    if (first === undefined) return undefined;
    const name = titleOfMessage(first.question);
    const text = [first, ...others]
      .map((turn) => `Side question: ${turn.question.text}\n\nReply: ${turnText(turn)}`)
      .join('\n\n');
    return { id: newId(), kind: 'pasted', name, path: name, language: 'markdown', text };
  }

  dispose(): void {
    this.#current?.chat.stop();
    this.#listening?.dispose();
    this.#changed.dispose();
  }

  #set(open: Opened | undefined): void {
    this.#listening?.dispose();
    this.#current = open;
    this.#copied = open?.chat.conversation.turns.length ?? 0;
    this.#listening = open?.chat.onDidChange((change) => {
      const isEvent = change.type === 'event';
      if (!isEvent || changesState.includes(change.event.type)) this.#changed.fire(change);
    });
    // It can be deleted in the list of saved chats.
    open?.chat.access.closed.addEventListener('abort', () => {
      if (this.#current === open) this.#set(undefined);
    });
    this.#changed.fire(open);
  }
}

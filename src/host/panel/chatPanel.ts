import { ask, type AskResult } from '../chat/ask.ts';
import type { Chat } from '../chat/chat.ts';
import { modelToRetry } from '../../core/turn/nextTurn.ts';
import type { ChatPlace, OpenChats } from '../chat/openChats.ts';

export interface ChatPanelOptions {
  readonly chats: OpenChats;
  readonly sidebar: ChatPlace;
  readonly model: { current(): { readonly id: string } };
  /** The model of the next request. Lets the person connect and select one if there is none. */
  readonly requireModel: () => Promise<string>;
}

/** Runs the commands that act on the chat in focus. */
export class ChatPanel {
  readonly #options: ChatPanelOptions;
  /** Empty chats that are about to get a message. */
  readonly #aboutToSend = new Set<Chat>();

  constructor(options: ChatPanelOptions) {
    this.#options = options;
  }

  /** `aside.ask` */
  ask(prompt: unknown, options: unknown): Promise<AskResult | undefined> {
    const { requireModel, model: choice } = this.#options;
    const model = (): string => choice.current().id;
    const showChat = (isNew: boolean): Promise<Chat> => this.#chatToAsk(isNew);
    return ask({ showChat, model, requireModel }, prompt, options);
  }

  /** `aside.newChat`: a running reply goes on, and so does a message that the page has sent. */
  async newChat(): Promise<void> {
    const place = this.#activePlace;
    if (!place.chat.isBlank) place.show(this.#options.chats.create());
    await place.reveal(false);
  }

  /** `aside.stop` */
  stop(): void {
    this.#activePlace.chat.stop();
  }

  /** `aside.retry`: runs the last turn again. */
  async retry(): Promise<void> {
    const place = this.#activePlace;
    const { chat } = place;
    await chat.restored();
    const turn = chat.conversation.turns.at(-1);
    if (turn === undefined || chat.isRunning) return;
    const model = await modelToRetry(turn, this.#options.requireModel);
    await place.reveal(true);
    await chat.resend(turn.id, { model });
  }

  get #activePlace(): ChatPlace {
    return this.#options.chats.places.active ?? this.#options.sidebar;
  }

  /** A new chat runs unseen if it would take the person away from a running reply. */
  async #chatToAsk(isNew: boolean): Promise<Chat> {
    const { chats } = this.#options;
    const place = this.#activePlace;
    const { chat } = place;
    await chat.restored();
    if (isNew && (chat.isBusy || this.#aboutToSend.has(chat))) return chats.create();
    if (isNew && !chat.isBlank) place.show(chats.create());
    const { chat: target } = place;
    if (target.isBlank) this.#aboutToSend.add(target);
    await place.reveal(true);
    this.#aboutToSend.delete(target);
    return target;
  }
}

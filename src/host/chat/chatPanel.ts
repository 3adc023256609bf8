import { ask, type AskResult } from './ask.ts';
import type { Chat } from './chat.ts';
import type { NewChat } from './newChat.ts';
import { modelToRetry } from './nextTurn.ts';
import type { OpenChat } from './openChat.ts';
import type { ChatPlace, OpenChats } from './openChats.ts';

export interface ChatPanelOptions {
  readonly chats: OpenChats;
  readonly sidebar: ChatPlace;
  readonly newChat: NewChat<OpenChat>;
  readonly model: { current(): { readonly id: string } };
  /** The model of the next request. Leads to connecting and selecting one where there is none. */
  readonly requireModel: () => Promise<string>;
}

/** What commands do with the chat in focus. */
export class ChatPanel {
  readonly #options: ChatPanelOptions;
  /** Empty chats that are about to be asked in. */
  readonly #asked = new Set<Chat>();

  constructor(options: ChatPanelOptions) {
    this.#options = options;
  }

  /** `aside.ask` */
  ask(prompt: unknown, given: unknown): Promise<AskResult | undefined> {
    const { requireModel, model: choice } = this.#options;
    const model = (): string => choice.current().id;
    const showChat = (isNew: boolean): Promise<Chat> => this.#chatToAsk(isNew);
    return ask({ showChat, model, requireModel }, prompt, given);
  }

  /** `aside.compare` */
  async compare(given: unknown): Promise<readonly AskResult[] | undefined> {
    const { compareModels } = await import('./compareCommand.ts');
    return compareModels(
      {
        showChat: () => this.#chatToAsk(false),
        draft: this.#place.shown.comparing,
        reveal: this.reveal,
      },
      given,
    );
  }

  /** `aside.newChat` */
  async newChat(): Promise<void> {
    const place = this.#place;
    const open = this.#options.newChat.open(place.shown);
    if (open !== place.shown) place.show(open);
    await place.reveal(false);
  }

  /** `aside.stop` */
  stop(): void {
    this.#place.shown.chat.stop();
  }

  /** `aside.retry`: runs the last turn again. */
  async retry(): Promise<void> {
    const place = this.#place;
    const { chat } = place.shown;
    await chat.restored();
    const turn = chat.conversation.turns.at(-1);
    if (turn === undefined || chat.isRunning) return;
    const model = await modelToRetry(turn, this.#options.requireModel);
    await place.reveal(true);
    await chat.resend(turn.id, { model });
  }

  /** Shows the chat in focus. */
  readonly reveal = (preserveFocus: boolean): Promise<void> => this.#place.reveal(preserveFocus);

  get #place(): ChatPlace {
    return this.#options.chats.place ?? this.#options.sidebar;
  }

  /** A new chat runs unseen if it would take the person away from a running reply. */
  async #chatToAsk(isNew: boolean): Promise<Chat> {
    const { chats } = this.#options;
    const place = this.#place;
    const { chat } = place.shown;
    await chat.restored();
    if (isNew && (chat.isBusy || this.#asked.has(chat))) return chats.create().chat;
    if (isNew && !chat.isBlank) place.show(chats.create());
    const { chat: shown } = place.shown;
    if (shown.isBlank) this.#asked.add(shown);
    await place.reveal(true);
    this.#asked.delete(shown);
    return shown;
  }
}

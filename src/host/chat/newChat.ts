import type { UserMessage } from '../../core/conversation/conversation.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { Chat } from './chat.ts';
import type { MessageQueue } from './messageQueue.ts';

export interface NewChatOptions {
  readonly chat: Chat;
  readonly queue: Pick<MessageQueue, 'take'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/**
 * Milliseconds by which the New Chat command can be late: VS Code asks all extensions before the
 * first use of a command, and a message of the view can overtake it.
 */
const maxDelay = 500;

/**
 * `aside.newChat`. A message that was sent just before the command came belongs into the new chat:
 * the person sent it after the command.
 */
export class NewChat {
  readonly #options: NewChatOptions;
  #last: { message: UserMessage; model: string; at: number } | undefined;

  constructor(options: NewChatOptions) {
    this.#options = options;
  }

  /** Called when the view sends a message. */
  noteSent(message: UserMessage, model: string): void {
    this.#last = { message, model, at: this.#options.clock.monotonic() };
  }

  /** Opens a new chat. A running turn is stopped first, and its text kept. */
  async open(): Promise<void> {
    const { chat, queue, clock } = this.#options;
    const last = this.#last;
    this.#last = undefined;
    if (last === undefined || clock.monotonic() - last.at >= maxDelay) return chat.replace();
    const { message, model } = last;
    const { running, turns } = chat.conversation;
    // Its reply, or the reason why it was not sent, is there already: it stays where it is.
    if (turns.at(-1)?.question === message) return chat.replace();
    const turn = running?.question === message ? running.id : undefined;
    const isQueued = queue.take(message);
    const opened = chat.replace(undefined, { without: turn, adopts: message });
    if (turn !== undefined || isQueued) chat.send(message, model).catch(() => undefined);
    return opened;
  }
}

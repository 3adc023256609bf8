import type { UserMessage } from '../../core/conversation/conversation.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { OpenChat } from '../chat/openChat.ts';

/** A chat that a message can be moved out of or into. */
export interface ChatToLeave {
  readonly chat: OpenChat['chat'];
  readonly queue: OpenChat['queue'];
}

/**
 * Milliseconds by which the New Chat command can be late: VS Code asks all extensions before the
 * first use of a command, and a message of the view can overtake it.
 */
const maxDelay = 500;

interface SentMessage<Opened> {
  readonly message: UserMessage;
  readonly model: string;
  readonly chat: Opened;
  readonly at: number;
}

interface LeftChat<Opened> {
  readonly from: Opened;
  readonly to: Opened;
  readonly at: number;
}

type MessageMove<Opened> = (message: UserMessage, from: Opened, to: Opened) => void;

/**
 * `aside.newChat`. A message that was sent in the moment of the command belongs into the new chat: the
 * person sent it after the command.
 */
export class NewChat<Opened extends ChatToLeave> {
  readonly #create: () => Opened;
  readonly #clock: Clock;
  readonly #onMove: MessageMove<Opened>;
  #sent: SentMessage<Opened> | undefined;
  #previous: LeftChat<Opened> | undefined;

  /**
   * @param create opens a new chat
   * @param onMove called before a message is sent in another chat
   */
  constructor(create: () => Opened, clock: Clock, onMove: MessageMove<Opened> = () => undefined) {
    this.#create = create;
    this.#clock = clock;
    this.#onMove = onMove;
  }

  /**
   * The chat for a message of a page that is about to be sent.
   *
   * @param chat the chat that the page showed
   */
  chatFor(chat: Opened, message: UserMessage, model: string): Opened {
    const previous = this.#previous;
    if (previous?.from === chat && this.#isNow(previous.at)) {
      this.#onMove(message, chat, previous.to);
      return previous.to;
    }
    this.#sent = { message, model, chat, at: this.#clock.monotonic() };
    return chat;
  }

  /** The new chat to show instead of the current one, which continues. */
  open(from: Opened): Opened {
    const sent = this.#sent;
    this.#sent = undefined;
    const at = this.#clock.monotonic();
    if (from.chat.isBlank) return from;
    const to = this.#create();
    this.#previous = { from, to, at };
    if (sent?.chat === from && this.#isNow(sent.at)) move(sent, to, this.#onMove);
    return to;
  }

  #isNow(at: number): boolean {
    return this.#clock.monotonic() - at < maxDelay;
  }
}

/** Moves a message, unless it already has a reply or an error. */
function move<Opened extends ChatToLeave>(
  sent: SentMessage<Opened>,
  to: Opened,
  onMove: MessageMove<Opened>,
): void {
  const { chat, message, model } = sent;
  if (!chat.queue.take(message) && !chat.chat.withdraw(message)) return;
  onMove(message, chat, to);
  to.queue.send(message, model);
}

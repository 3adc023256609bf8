import type { UserMessage } from '../../core/conversation/conversation.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { QueuedMessage } from '../../protocol/messages.ts';
import type { Chat } from './chat.ts';

interface PendingMessage extends QueuedMessage {
  readonly message: UserMessage;
  readonly model: string;
}

/**
 * Messages sent while a turn runs. Each is sent when the previous turn has finished; after a turn
 * that was stopped or failed they are held until the person sends again.
 */
export class MessageQueue implements Disposable {
  readonly #chat: Chat;
  readonly #changed = new Emitter<unknown>();
  readonly #listening: Disposable;
  #messages: readonly PendingMessage[] = [];

  readonly onDidChange = this.#changed.event;

  /** @param restoreToDraft called with the unsent texts when another chat is opened */
  constructor(chat: Chat, restoreToDraft: (text: string) => void) {
    this.#chat = chat;
    this.#listening = chat.onDidChange((change) => {
      if (change.type === 'replace') this.#restoreToDraft(restoreToDraft);
      else if (change.event.type === 'turn-end' && change.event.status === 'finished') this.next();
    });
  }

  get messages(): readonly QueuedMessage[] {
    return this.#messages.map(({ id, text }) => ({ id, text }));
  }

  /** Queues a message behind all others. */
  add(message: UserMessage, model: string): void {
    const pending = { id: newId(), text: message.text, message, model };
    this.#set([...this.#messages, pending]);
  }

  remove(id: string): void {
    this.#set(this.#messages.filter((message) => message.id !== id));
  }

  /** Sends the first message, if any. */
  next(): void {
    const [first, ...others] = this.#messages;
    if (first === undefined) return;
    this.#set(others);
    // The turn shows its own errors.
    this.#chat.send(first.message, first.model).catch(() => undefined);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#changed.dispose();
  }

  #restoreToDraft(restore: (text: string) => void): void {
    if (this.#messages.length > 0) restore(this.#messages.map(({ text }) => text).join('\n\n'));
    this.#set([]);
  }

  #set(messages: readonly PendingMessage[]): void {
    if (messages.length === 0 && this.#messages.length === 0) return;
    this.#messages = messages;
    this.#changed.fire(undefined);
  }
}

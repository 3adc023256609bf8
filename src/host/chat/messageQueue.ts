import type * as z from 'zod/mini';
import type { UserMessage } from '../../core/conversation/conversation.ts';
import { storedQueue } from '../../core/conversation/record.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { QueuedMessage } from '../../protocol/messages.ts';
import type { Memento } from '../memento.ts';
import type { Chat } from './chat.ts';

const queueKey = 'aside.queue';

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
  readonly #state: Memento | undefined;
  readonly #changed = new Emitter<unknown>();
  readonly #listening: Disposable;
  #messages: readonly PendingMessage[] = [];
  /** The conversation that the messages belong to. */
  #conversation: string;

  readonly onDidChange = this.#changed.event;

  /**
   * @param restoreToDraft called with the unsent texts where another chat was restored
   * @param state the state of the chat in `workspaceState`, which keeps the messages over a reload
   */
  constructor(chat: Chat, restoreToDraft: (text: string) => void, state?: Memento) {
    this.#chat = chat;
    this.#state = state;
    this.#conversation = chat.conversation.id;
    const stored = storedQueue.safeParse(state?.get(queueKey)).data;
    if (stored !== undefined) this.#load(stored);
    this.#listening = chat.onDidChange((change) => {
      if (change.type === 'replace') this.#leave(restoreToDraft);
      else if (change.event.type === 'turn-end' && change.event.status === 'finished') this.next();
    });
  }

  get messages(): readonly QueuedMessage[] {
    return this.#messages.map(({ id, text }) => ({ id, text }));
  }

  /** Queues a message behind all others. */
  add(message: UserMessage, model: string): void {
    if (this.#messages.length === 0) this.#conversation = this.#chat.conversation.id;
    const pending = { id: newId(), text: message.text, message, model };
    this.#set([...this.#messages, pending]);
  }

  /** Removes a message; false if it is not in the queue. */
  take(message: UserMessage): boolean {
    const others = this.#messages.filter((pending) => pending.message !== message);
    const isQueued = others.length < this.#messages.length;
    this.#set(others);
    return isQueued;
  }

  remove(id: string): void {
    this.#set(this.#messages.filter((message) => message.id !== id));
  }

  /** Sends the first message, if any. */
  next(): void {
    const [first, ...others] = this.#messages;
    if (first === undefined) return;
    this.#set(others);
    this.send(first.message, first.model);
  }

  /** Sends a message at once. One that another window keeps from being sent waits here. */
  send(message: UserMessage, model: string): void {
    // The turn shows its own errors.
    this.#chat.send(message, model).catch(() => {
      const pending = { id: newId(), text: message.text, message, model };
      if (!this.#chat.mayWrite) this.#set([pending, ...this.#messages]);
    });
  }

  /** The chat has another id now: stores the messages under it. */
  move(): void {
    this.#set(this.#messages);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#changed.dispose();
  }

  /** Messages from before a reload wait for their conversation. */
  #load({ conversation, messages }: z.infer<typeof storedQueue>): void {
    this.#conversation = conversation;
    this.#messages = messages.map(({ message, model }) => ({
      id: newId(),
      text: message.text,
      message,
      model,
    }));
  }

  #leave(restoreToDraft: (text: string) => void): void {
    const { id } = this.#chat.conversation;
    if (id === this.#conversation) return;
    this.#conversation = id;
    if (this.#messages.length > 0)
      restoreToDraft(this.#messages.map(({ text }) => text).join('\n\n'));
    this.#set([]);
  }

  #set(messages: readonly PendingMessage[]): void {
    if (messages.length === 0 && this.#messages.length === 0) return;
    this.#messages = messages;
    this.#changed.fire(undefined);
    const stored = messages.map(({ message, model }) => ({ message, model }));
    const queue = { conversation: this.#conversation, messages: stored };
    void this.#state?.update(queueKey, messages.length > 0 ? queue : undefined);
  }
}

import type { Conversation, Turn, UserMessage } from '../../core/conversation/conversation.ts';
import type { ChatChange } from '../../core/conversation/liveConversation.ts';
import { storedQueue } from '../../core/conversation/conversationSchema.ts';
import { background, report } from '../../core/support/background.ts';
import { Emitter, type Disposable, type Event } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { QueuedMessage } from '../../protocol/messages.ts';
import type { Composer } from '../attachments/composer.ts';
import type { Memento } from '../memento.ts';

const queueKey = 'aside.queue';

interface PendingMessage {
  readonly id: string;
  readonly message: UserMessage;
  readonly model: string;
}

export interface MessageTarget {
  /** Sends a message after the turns before it. Resolves when its turn has ended. */
  send(message: UserMessage, model: string): Promise<Turn>;
}

interface QueueTarget extends MessageTarget {
  readonly conversation: Conversation;
  readonly isRunning: boolean;
  readonly access: { readonly mayWrite: boolean };
  readonly onDidChange: Event<ChatChange>;
}

export interface MessageQueueOptions {
  readonly chat: QueueTarget;
  /** Holds a queued message while it is edited. */
  readonly composer: Composer;
  /** Called with the unsent texts if another chat was restored. */
  readonly restoreToDraft: (text: string) => void;
  /** Called with the error if a message could not be sent. It is then first in the queue. */
  readonly onRefused: (error: unknown) => void;
  readonly state?: Memento | undefined;
}

/**
 * Messages sent while a turn runs. Each is sent when the turn before it has finished. After a turn
 * that was stopped or failed, they are held until the person sends again. A message that is edited
 * keeps its position, and is not sent until the edit ends.
 */
export class MessageQueue implements Disposable {
  readonly #options: MessageQueueOptions;
  readonly #changed = new Emitter<unknown>();
  readonly #listening: Disposable;
  #messages: readonly PendingMessage[] = [];
  readonly #sending = new Set<PendingMessage>();
  /** True if the edited message would otherwise be sent now. */
  #isDue = false;
  #conversation: string;
  #isDisposed = false;

  readonly onDidChange = this.#changed.event;

  constructor(options: MessageQueueOptions) {
    const { chat, state } = options;
    this.#options = options;
    this.#conversation = chat.conversation.id;
    const stored = storedQueue.safeParse(state?.get(queueKey)).data;
    if (stored !== undefined) {
      // Messages from before a reload are held until their conversation is restored.
      this.#conversation = stored.conversation;
      this.#messages = stored.messages.map(({ id = newId(), message, model }) => ({
        id,
        message,
        model,
      }));
    }
    if (this.edited === undefined) this.#keepEdited();
    this.#listening = chat.onDidChange((change) => {
      if (change.type === 'replace') this.#leave();
      else if (change.event.type === 'turn-start') {
        this.#isDue = false;
        const { question } = change.event;
        for (const sent of this.#sending) if (sent.message === question) this.#sending.delete(sent);
      } else if (change.event.type === 'turn-end' && !chat.isRunning) {
        // Only after a reply that finished.
        if (chat.conversation.turns.at(-1)?.status === 'finished') this.next();
      }
    });
  }

  get messages(): readonly QueuedMessage[] {
    const { edited } = this;
    return this.#messages.map(({ id, message: { text } }) =>
      id === edited ? { id, text, isEdited: true } : { id, text },
    );
  }

  /** The message that is edited in the composer; undefined if there is none. */
  get edited(): string | undefined {
    const id = this.#options.composer.held?.queued;
    return this.#messages.some((message) => message.id === id) ? id : undefined;
  }

  /** Queued messages, in order. */
  get waiting(): readonly UserMessage[] {
    return this.#messages.map(({ message }) => message);
  }

  add(message: UserMessage, model: string): void {
    if (this.#messages.length === 0) this.#conversation = this.#options.chat.conversation.id;
    this.#set([...this.#messages, { id: newId(), message, model }]);
  }

  remove(id: string): void {
    const wasEdited = id === this.edited;
    this.#set(this.#messages.filter((message) => message.id !== id));
    if (wasEdited) this.#options.composer.release();
    if (this.#isDue) this.#goOn();
  }

  move(id: string, by: 1 | -1): void {
    const from = this.#messages.findIndex((message) => message.id === id);
    const [moved, other] = [this.#messages[from], this.#messages[from + by]];
    if (from + by < 0 || moved === undefined || other === undefined) return;
    this.#set(this.#messages.with(from, other).with(from + by, moved));
    if (this.#isDue) this.#goOn();
  }

  /** Moves a message into the composer. It keeps its position; false if it is no longer queued. */
  edit(id: string): boolean {
    const queued = this.#messages.find((message) => message.id === id);
    if (queued === undefined || this.edited !== undefined) return false;
    this.#options.composer.hold(id, queued.message);
    this.#changed.fire(undefined);
    return true;
  }

  /** Ends the edit without changing the message. */
  stopEditing(): void {
    if (this.edited === undefined) return;
    this.#options.composer.release();
    this.#changed.fire(undefined);
    if (this.#isDue) this.#goOn();
  }

  /**
   * Returns an edited message to its position, and sends the first one if no turn runs.
   *
   * @returns false if it is no longer queued
   */
  putBack(id: string, message: UserMessage, model: string): boolean {
    const index = this.#messages.findIndex((pending) => pending.id === id);
    if (index < 0) return false;
    const { composer } = this.#options;
    const { plan } = this.#messages[index]?.message ?? {};
    // Text typed since then stays.
    if (id === this.edited) composer.release({ text: composer.draft, attachments: [] });
    this.#set(
      this.#messages.with(index, {
        id,
        message: plan === true ? { ...message, plan } : message,
        model,
      }),
    );
    this.#goOn();
    return true;
  }

  /** Sends the first message, if any, unless it is being edited. */
  next(): void {
    const [first, ...others] = this.#messages;
    this.#isDue = first !== undefined && first.id === this.edited;
    if (first === undefined || this.#isDue || !this.#options.chat.access.mayWrite) return;
    this.#set(others);
    this.send(first.message, first.model);
  }

  /** Sends a message immediately. If that fails, the message is queued. */
  send(message: UserMessage, model: string): void {
    const sent = { id: newId(), message, model };
    this.#sending.add(sent);
    this.#options.chat.send(message, model).then(
      () => this.#sending.delete(sent),
      (error: unknown) => this.#noteFailure(sent, error),
    );
  }

  #noteFailure(sent: PendingMessage, error: unknown): void {
    if (this.#isDisposed) return;
    // The turn shows its errors.
    if (!this.#sending.delete(sent)) {
      report(error);
      return;
    }
    this.#set([sent, ...this.#messages]);
    if (this.#options.chat.access.mayWrite) this.#options.onRefused(error);
  }

  /** Called when the chat's id has changed: stores the messages under the new id. */
  moveAll(): void {
    this.#set(this.#messages);
  }

  /** Messages being sent aren't sent any more, and stay stored for a later window. */
  dispose(): void {
    this.#isDisposed = true;
    if (this.#sending.size > 0) this.#store([...this.#sending, ...this.#messages]);
    this.#listening.dispose();
    this.#changed.dispose();
  }

  #goOn(): void {
    if (!this.#options.chat.isRunning) this.next();
  }

  /** Stores the composer's text if the message that it belongs to is no longer queued. */
  #keepEdited(): void {
    const { composer } = this.#options;
    composer.release({ text: composer.draft, attachments: composer.attachments });
  }

  #leave(): void {
    const { chat, restoreToDraft } = this.#options;
    const { id } = chat.conversation;
    if (id === this.#conversation) return;
    this.#conversation = id;
    const { edited } = this;
    const unsent = this.#messages.filter((message) => message.id !== edited);
    if (edited !== undefined) this.#keepEdited();
    if (unsent.length > 0) restoreToDraft(unsent.map(({ message }) => message.text).join('\n\n'));
    this.#set([]);
  }

  #set(messages: readonly PendingMessage[]): void {
    if (messages.length === 0 && this.#messages.length === 0) return;
    this.#messages = messages;
    this.#changed.fire(undefined);
    this.#store(messages);
  }

  #store(messages: readonly PendingMessage[]): void {
    const queue = { conversation: this.#conversation, messages };
    background(this.#options.state?.update(queueKey, messages.length > 0 ? queue : undefined));
  }
}

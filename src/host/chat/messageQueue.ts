import { storedQueue } from '../../core/conversation/conversationSchema.ts';
import type { Turn, UserMessage } from '../../core/conversation/conversation.ts';
import { background, report } from '../../core/support/background.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { QueuedMessage } from '../../protocol/messages.ts';
import type { Composer } from '../attachments/composer.ts';
import type { Memento } from '../platform/memento.ts';

const queueKey = 'aside.queue';

/** A message that waits for its turn, or for the next request of the running one. */
export interface WaitingMessage {
  readonly id: string;
  readonly message: UserMessage;
  readonly model: string;
  /** True if it goes in with the next request of the running turn, or else is sent after it. */
  readonly now?: boolean | undefined;
}

/** Code that waits for the turn of its message, such as `aside.ask`. It never stays held. */
export interface WaitingCaller {
  resolve(turn: Turn): void;
  reject(error: unknown): void;
}

/**
 * The messages of a chat that wait for the turns before them, or for the next request of the running
 * one, as the person sees them. They are stored, so that a later window has them. After a turn that was
 * stopped or failed, they are held until the person sends again. A message that is edited in the
 * composer keeps its position, and is not sent until the edit ends.
 */
export class MessageQueue implements Disposable {
  readonly #composer: Composer;
  readonly #state: Memento;
  readonly #changed = new Emitter<unknown>();
  readonly #callers = new Map<string, WaitingCaller>();
  /** Messages that are being sent, but have no turn yet. */
  readonly #sending = new Map<string, WaitingMessage>();
  #messages: readonly WaitingMessage[] = [];
  /** The conversation that the messages are for. */
  #conversation: string;
  /** False while the messages are held. */
  #isOpen = false;

  readonly onDidChange = this.#changed.event;

  /**
   * @param composer holds a queued message while it is edited
   * @param state the state of the chat in `workspaceState`
   */
  constructor(conversation: string, composer: Composer, state: Memento) {
    this.#composer = composer;
    this.#state = state;
    // Messages from before a reload are held until their conversation is restored.
    const stored = storedQueue.safeParse(state.get(queueKey)).data;
    this.#conversation = stored?.conversation ?? conversation;
    this.#messages = (stored?.messages ?? []).map(({ id = newId(), ...others }) => ({
      id,
      ...others,
    }));
    if (this.inComposer === undefined) this.#keepEdited();
  }

  /** The messages as the page shows them. */
  get shown(): readonly QueuedMessage[] {
    const { inComposer } = this;
    return this.#messages.map(({ id, message: { text }, now }) => ({
      id,
      text,
      ...(id === inComposer && { isEdited: true }),
      ...(now === true && { now }),
    }));
  }

  /** Messages that have no turn yet, in order. */
  get unsent(): readonly UserMessage[] {
    return [...this.#sending.values(), ...this.#messages].map(({ message }) => message);
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  /** The message that is edited in the composer; undefined if there is none. */
  get inComposer(): string | undefined {
    const id = this.#composer.lent?.queued;
    return this.has(id) ? id : undefined;
  }

  has(id: string | undefined): boolean {
    return this.find(id) !== undefined;
  }

  find(id: string | undefined): WaitingMessage | undefined {
    return this.#messages.find((message) => message.id === id);
  }

  /** Adds a message at the end, for the conversation with this id. */
  add(waiting: WaitingMessage, conversation: string, caller?: WaitingCaller): void {
    if (this.isEmpty) this.#conversation = conversation;
    if (caller !== undefined) this.#callers.set(waiting.id, caller);
    this.#set([...this.#messages, waiting]);
  }

  /** Lets a message go in with the next request of the running turn, after those that do already. */
  setNow(id: string): void {
    const chosen = this.find(id);
    // A plan is a turn of its own.
    if (chosen === undefined || chosen.now === true || chosen.message.plan === true) return;
    const others = this.#messages.filter((message) => message !== chosen);
    const first = others.filter(({ now }) => now === true);
    const later = others.filter(({ now }) => now !== true);
    this.#set([...first, { ...chosen, now: true }, ...later]);
  }

  /** Takes the next message that goes into the running turn, unless it is being edited. */
  takeNow(): WaitingMessage | undefined {
    const next = this.#messages.find(({ now }) => now === true);
    if (next === undefined || next.id === this.inComposer) return undefined;
    this.#set(this.#messages.filter((message) => message !== next));
    this.#sending.set(next.id, next);
    return next;
  }

  remove(id: string): void {
    const wasEdited = id === this.inComposer;
    this.#set(this.#messages.filter((message) => message.id !== id));
    if (wasEdited) this.#composer.takeBack();
    this.#dismiss(id);
  }

  move(id: string, by: 1 | -1): void {
    const from = this.#messages.findIndex((message) => message.id === id);
    const [moved, other] = [this.#messages[from], this.#messages[from + by]];
    if (from + by < 0 || moved === undefined || other === undefined) return;
    this.#set(this.#messages.with(from, other).with(from + by, moved));
  }

  /** Moves a message into the composer. It keeps its position; false if it is no longer queued. */
  edit(id: string): boolean {
    const queued = this.#messages.find((message) => message.id === id);
    if (queued === undefined || this.inComposer !== undefined) return false;
    this.#composer.lend(id, queued.message);
    this.#changed.fire(undefined);
    return true;
  }

  /** Ends the edit without changing the message. */
  stopEditing(): void {
    if (this.inComposer === undefined) return;
    this.#composer.takeBack();
    this.#changed.fire(undefined);
  }

  /** Returns an edited message to its position. One that goes into the running turn still does. */
  replace(id: string, message: UserMessage, model: string): void {
    const index = this.#messages.findIndex((waiting) => waiting.id === id);
    const { now, message: before } = this.#messages[index] ?? {};
    const { plan } = before ?? {};
    // Text typed since then stays.
    if (id === this.inComposer)
      this.#composer.takeBack({ text: this.#composer.draft, attachments: [] });
    const edited = plan === true ? { ...message, plan } : message;
    this.#set(this.#messages.with(index, { id, message: edited, model, now }));
  }

  /** Sends the messages from now on, one after each turn. */
  open(): void {
    this.#isOpen = true;
    this.#endNow();
  }

  /** Holds the messages until the person sends again. */
  hold(): void {
    this.#isOpen = false;
    this.#endNow();
  }

  /**
   * Takes the message to send now: the first one, unless it is being edited. While the messages are
   * held, those with a caller are sent nevertheless.
   */
  take(): WaitingMessage | undefined {
    const { inComposer } = this;
    const next = this.#isOpen
      ? this.#messages[0]
      : this.#messages.find(({ id }) => this.#callers.has(id));
    if (next === undefined || next.id === inComposer) return undefined;
    this.#set(this.#messages.filter((message) => message !== next));
    return next;
  }

  /** Called when a message is being sent, taken from the queue or not. */
  sending(starting: WaitingMessage, caller?: WaitingCaller): void {
    if (caller !== undefined) this.#callers.set(starting.id, caller);
    this.#sending.set(starting.id, starting);
  }

  /** Called when the turn of a message begins, or the message went into one. */
  sent(id: string): void {
    this.#sending.delete(id);
  }

  /** Called with the turn of a message when it has ended. */
  ended({ id }: WaitingMessage, turn: Turn): void {
    this.#callers.get(id)?.resolve(turn);
    this.#callers.delete(id);
  }

  /**
   * Called if a message could not be sent: its caller gets the error, or it is first in the queue
   * again, and held.
   *
   * @returns true if it is queued again, and the person must be told why
   */
  refuse(refused: WaitingMessage, error: unknown): boolean {
    const caller = this.#callers.get(refused.id);
    const isUnsent = this.#sending.delete(refused.id);
    if (caller !== undefined) {
      this.#callers.delete(refused.id);
      caller.reject(error);
      return false;
    }
    if (!isUnsent) {
      report(error);
      return false;
    }
    this.hold();
    this.#set([refused, ...this.#messages]);
    return true;
  }

  /** Called when the chat has another id: stores the messages under it. */
  moveAll(): void {
    this.#set(this.#messages);
  }

  /** Called when the chat was read. The messages of another conversation go to the draft. */
  follow(conversation: string): void {
    if (conversation === this.#conversation) return;
    this.#conversation = conversation;
    const { inComposer } = this;
    const unsent = this.#messages.filter((message) => message.id !== inComposer);
    if (inComposer !== undefined) this.#keepEdited();
    if (unsent.length > 0) {
      const { draft } = this.#composer;
      const texts = unsent.map(({ message }) => message.text);
      const all = draft === '' ? texts : [draft, ...texts];
      background(this.#composer.setDraft(all.join('\n\n')));
    }
    this.#set([]);
    for (const { id } of unsent) this.#dismiss(id);
  }

  /** Messages that are being sent aren't sent any more, and stay stored for a later window. */
  dispose(): void {
    if (this.#sending.size > 0) this.#store([...this.#sending.values(), ...this.#messages]);
    this.#sending.clear();
    this.dismissCallers();
    this.#changed.dispose();
  }

  /** Tells all callers that their messages aren't sent by this window. */
  dismissCallers(): void {
    for (const id of this.#callers.keys()) this.#dismiss(id);
  }

  /** The turn that messages should have gone into has ended: they are sent like all others. */
  #endNow(): void {
    if (!this.#messages.some(({ now }) => now === true)) return;
    this.#set(this.#messages.map(withoutNow));
  }

  #dismiss(id: string): void {
    this.#callers.get(id)?.reject(new DOMException('The message was removed.', 'AbortError'));
    this.#callers.delete(id);
  }

  /** Keeps the composer's text if the message that it belongs to is no longer queued. */
  #keepEdited(): void {
    const { draft: text, attachments } = this.#composer;
    this.#composer.takeBack({ text, attachments });
  }

  #set(messages: readonly WaitingMessage[]): void {
    if (messages.length === 0 && this.isEmpty) return;
    this.#messages = messages;
    this.#changed.fire(undefined);
    this.#store(messages);
  }

  #store(messages: readonly WaitingMessage[]): void {
    // A later window doesn't have the turn that some go into.
    const queue = { conversation: this.#conversation, messages: messages.map(withoutNow) };
    background(this.#state.update(queueKey, messages.length > 0 ? queue : undefined));
  }
}

function withoutNow({ id, message, model }: WaitingMessage): WaitingMessage {
  return { id, message, model };
}

import { Emitter, type Disposable } from '../support/event.ts';
import type { Conversation } from './conversation.ts';
import type { ConversationEvent } from './events.ts';
import { reduce } from './reduce.ts';

/** A change of a chat: an event of its conversation, or all of it, which was read again. */
export type ChatChange =
  | { readonly type: 'event'; readonly event: ConversationEvent }
  /** `isShown` is true if its newest turns are shown already. */
  | { readonly type: 'replace'; readonly isShown: boolean };

/** A conversation that changes by events. Its listeners get each of them after it was applied. */
export class LiveConversation implements Disposable {
  readonly #changed = new Emitter<ChatChange>();
  #current: Conversation;

  readonly onDidChange = this.#changed.event;

  constructor(conversation: Conversation) {
    this.#current = conversation;
  }

  get current(): Conversation {
    return this.#current;
  }

  apply(event: ConversationEvent): void {
    this.#current = reduce(this.#current, event);
    this.#changed.fire({ type: 'event', event });
  }

  /** Applies an event unless it changes nothing: then nobody stores it. */
  applyChange(event: ConversationEvent): void {
    if (reduce(this.#current, event) !== this.#current) this.apply(event);
  }

  /** @param isShown true if the newest turns are shown already */
  replace(conversation: Conversation, isShown = false): void {
    this.#current = conversation;
    this.#changed.fire({ type: 'replace', isShown });
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

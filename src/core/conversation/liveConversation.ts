import { Emitter, type Disposable } from '../support/event.ts';
import type { Conversation } from './conversation.ts';
import type { ConversationEvent } from './events.ts';
import { reduce } from './reduce.ts';

/** A change of a chat: an event, or another conversation, which was read again. */
export type ChatChange =
  | { readonly type: 'event'; readonly event: ConversationEvent }
  /** `isShown` is true if its newest turns are visible already. */
  | { readonly type: 'replace'; readonly isShown: boolean };

/** A conversation that changes by events. Listeners get each event after it was applied. */
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

  /** Applies an event if it changes something. Others aren't fired, so they are never stored. */
  applyChange(event: ConversationEvent): void {
    if (reduce(this.#current, event) !== this.#current) this.apply(event);
  }

  /** @param isShown true if the newest turns are visible already */
  replace(conversation: Conversation, isShown = false): void {
    this.#current = conversation;
    this.#changed.fire({ type: 'replace', isShown });
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

import type { RequestOptions } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';

interface OptionsModelActions {
  readonly show: (options: RequestOptions) => void;
  /** Resolves with false if the host refuses. */
  readonly send: (options: RequestOptions) => Promise<boolean>;
}

/** Shows changed options before the host confirms them, so that a second change builds on the first. */
export class OptionsModel {
  readonly #actions: OptionsModelActions;
  /** Changes of the visible chat that the host has not confirmed: until then, its options are outdated. */
  #pending = { count: 0 };
  #chosen: RequestOptions = {};
  #ofHost: RequestOptions = {};

  constructor(actions: OptionsModelActions) {
    this.#actions = actions;
  }

  async set(options: RequestOptions): Promise<void> {
    this.#chosen = options;
    this.#actions.show(options);
    const pending = this.#pending;
    pending.count++;
    const isAccepted = await this.#actions.send(options);
    pending.count--;
    const isLast = pending === this.#pending && pending.count === 0;
    if (!isAccepted && isLast) this.#actions.show(this.#ofHost);
  }

  /** The events of the host, without outdated options. */
  receive(events: readonly ConversationEvent[]): readonly ConversationEvent[] {
    for (const event of events) if (event.type === 'options-change') this.#ofHost = event.options;
    return this.#pending.count === 0
      ? events
      : events.filter(({ type }) => type !== 'options-change');
  }

  /** The options to show with a snapshot of the host. */
  ofSnapshot(options: RequestOptions): RequestOptions {
    this.#ofHost = options;
    return this.#pending.count === 0 ? options : this.#chosen;
  }

  /** Must be called when another chat is shown. */
  clear(): void {
    this.#pending = { count: 0 };
  }
}

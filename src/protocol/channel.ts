import type { Disposable } from '../core/support/event.ts';
import type { HostMessage, ViewMessage, ViewRequest } from './messages.ts';

/** One end of a `postMessage` channel. */
export interface Port<Outgoing, Incoming> {
  post(message: Outgoing): void;
  listen(listener: (message: Incoming) => void): Disposable;
}

/**
 * The view's end of the channel: sends requests that settle exactly once, and receives all other
 * messages of the host.
 */
export class ViewChannel implements Disposable {
  readonly #port: Port<ViewMessage, HostMessage>;
  readonly #pending = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  readonly #subscription: Disposable;
  #lastId = 0;

  constructor(
    port: Port<ViewMessage, HostMessage>,
    receive: (message: Exclude<HostMessage, { type: 'settled' }>) => void,
  ) {
    this.#port = port;
    this.#subscription = port.listen((message) => {
      if (message.type === 'settled') this.#settle(message.id, message.refusal);
      else receive(message);
    });
  }

  post(message: Exclude<ViewMessage, { type: 'request' }>): void {
    this.#port.post(message);
  }

  /**
   * Resolves when the host has handled the request about a conversation; rejects with the host's
   * message if it refused.
   */
  request(conversation: string, request: ViewRequest): Promise<void> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#port.post({ type: 'request', id, conversation, request });
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const { reject } of this.#pending.values()) reject(new Error('The panel was closed.'));
    this.#pending.clear();
  }

  #settle(id: number, refusal: string | undefined): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    if (refusal === undefined) pending.resolve();
    else pending.reject(new Error(refusal));
  }
}

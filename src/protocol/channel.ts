import type { Disposable } from '../core/support/event.ts';
import type { Answer, AnswerMessage, PostedCall } from './call.ts';

/** One end of a `postMessage` channel. */
export interface Port<Outgoing, Incoming> {
  post(message: Outgoing): void;
  listen(listener: (message: Incoming) => void): Disposable;
}

/** A call without an answer. */
interface PendingCall {
  settle(answer: Answer<unknown>): void;
}

/**
 * A page's end of the channel: sends calls that get exactly one answer, and receives all other
 * messages of the host. `P` has the parameters of each call, and `R` the results.
 */
export class ViewChannel<
  P,
  R extends Record<keyof P, unknown>,
  M extends { readonly type: string },
> implements Disposable {
  readonly #port: Port<PostedCall<P>, M | AnswerMessage>;
  readonly #pending = new Map<number, PendingCall>();
  readonly #subscription: Disposable;
  #isDisposed = false;
  #lastId = 0;

  constructor(port: Port<PostedCall<P>, M | AnswerMessage>, receive: (message: M) => void) {
    this.#port = port;
    this.#subscription = port.listen((message) => {
      if (!isAnswer(message)) {
        receive(message);
        return;
      }
      const { id, value, error } = message;
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      pending?.settle(error === undefined ? { ok: value } : { error });
    });
  }

  /**
   * Sends a call, that of the panel about a conversation. Resolves also if it fails, and if this end
   * is closed.
   */
  call<N extends keyof P>(name: N, parameters: P[N], conversation?: string): Promise<Answer<R[N]>> {
    if (this.#isDisposed) return Promise.resolve(closed);
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const settle = (answer: Answer<R[N]>): void => resolve(answer);
      this.#pending.set(id, { settle });
      this.#port.post({ type: 'call', id, conversation, call: { name, parameters } });
    });
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#subscription.dispose();
    for (const pending of this.#pending.values()) pending.settle(closed);
    this.#pending.clear();
  }
}

const closed = { error: 'The panel was closed.' };

function isAnswer(message: { readonly type: string }): message is AnswerMessage {
  return message.type === 'answer';
}

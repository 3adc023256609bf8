import type { Disposable } from '../core/support/event.ts';
import type { HostMessage, ViewMessage } from './messages.ts';
import type { Answer, RequestName, RequestParameters, RequestResults } from './rpc.ts';

/** One end of a `postMessage` channel. */
export interface Port<Outgoing, Incoming> {
  post(message: Outgoing): void;
  listen(listener: (message: Incoming) => void): Disposable;
}

/** A message of the view, which the host parses. */
export type PostedMessage =
  | Exclude<ViewMessage, { readonly type: 'request' }>
  | {
      readonly type: 'request';
      readonly id: number;
      readonly conversation: string;
      readonly call: {
        readonly name: RequestName;
        readonly parameters: RequestParameters[RequestName];
      };
    };

type AnswerMessage = Extract<HostMessage, { readonly type: 'answer' }>;

/** A request without an answer. */
interface PendingRequest {
  settle(answer: Answer<RequestResults[RequestName]>): void;
}

/**
 * The view's end of the channel: sends requests that get exactly one answer, and receives all other
 * messages of the host.
 */
export class ViewChannel implements Disposable {
  readonly #port: Port<PostedMessage, HostMessage>;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #subscription: Disposable;
  #isDisposed = false;
  #lastId = 0;

  constructor(
    port: Port<PostedMessage, HostMessage>,
    receive: (message: Exclude<HostMessage, AnswerMessage>) => void,
  ) {
    this.#port = port;
    this.#subscription = port.listen((message) => {
      if (message.type === 'answer') this.#settle(message);
      else receive(message);
    });
  }

  post(message: Exclude<PostedMessage, { type: 'request' }>): void {
    this.#port.post(message);
  }

  /** Sends a request about a conversation. Resolves also if it fails, and if this end is closed. */
  request<N extends RequestName>(
    conversation: string,
    name: N,
    parameters: RequestParameters[N],
  ): Promise<Answer<RequestResults[N]>> {
    if (this.#isDisposed) return Promise.resolve(closed);
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const settle = (answer: Answer<RequestResults[N]>): void => resolve(answer);
      this.#pending.set(id, { settle });
      this.#port.post({ type: 'request', id, conversation, call: { name, parameters } });
    });
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#subscription.dispose();
    for (const pending of this.#pending.values()) pending.settle(closed);
    this.#pending.clear();
  }

  #settle({ id, value, error }: AnswerMessage): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.settle(error === undefined ? { ok: value } : { error });
  }
}

const closed = { error: 'The panel was closed.' };

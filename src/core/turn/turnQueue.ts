import type { UserMessage } from '../conversation/conversation.ts';
import { TaskQueue } from '../support/async.ts';
import { Emitter, type Disposable } from '../support/event.ts';

export interface TurnQueueOptions {
  /** True if a turn runs. Only then is queued work reported as waiting. */
  readonly isRunning: () => boolean;
  /** Rejects if a message must not be sent, or one of the models can't receive it. */
  readonly checkMessage: (message: UserMessage, models: readonly string[]) => Promise<void>;
}

/** Runs the tasks of a chat one after another: a turn to its end, or a change between two turns. */
export class TurnQueue implements Disposable {
  readonly #options: TurnQueueOptions;
  readonly #changed = new Emitter<number>();
  readonly #tasks = new TaskQueue();
  /** Messages that are being sent but whose turns have not started. */
  readonly #unstarted = new Set<UserMessage>();
  #waiting = 0;

  /** Fires with {@link waiting} when it changes while a turn runs. */
  readonly onDidChange = this.#changed.event;

  constructor(options: TurnQueueOptions) {
    this.#options = options;
  }

  /** Number of tasks that have not begun. */
  get waiting(): number {
    return this.#waiting;
  }

  /** True if a message is being sent whose turn has not started. */
  get isSending(): boolean {
    return this.#unstarted.size > 0;
  }

  /** Runs the task after all earlier ones. Settles as the task does. */
  run<T>(task: () => Promise<T>): Promise<T> {
    this.#updateWaiting(1);
    return this.#tasks.run(() => {
      this.#updateWaiting(-1);
      return task();
    });
  }

  /**
   * Sends a message after all queued ones.
   *
   * @param enqueue runs the task once the chat may be changed
   * @param start starts the turn, with no other work in between
   */
  async send<T>(
    message: UserMessage,
    model: string,
    enqueue: (task: () => Promise<T>) => Promise<T>,
    start: () => Promise<T>,
  ): Promise<T> {
    this.#unstarted.add(message);
    try {
      await this.#options.checkMessage(message, [model]);
      return await enqueue(() => {
        this.#unstarted.delete(message);
        return start();
      });
    } finally {
      this.#unstarted.delete(message);
    }
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #updateWaiting(change: number): void {
    this.#waiting += change;
    if (this.#options.isRunning()) this.#changed.fire(this.#waiting);
  }
}

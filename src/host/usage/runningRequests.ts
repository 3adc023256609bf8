import { Emitter, type Disposable } from '../../core/support/event.ts';

/** The running requests of this window outside chats: those of commands and other extensions. */
export class RunningRequests implements Disposable {
  readonly #aborts = new Set<AbortController>();
  readonly #changed = new Emitter<undefined>();

  /** Fires when the first one starts, and when the last one has ended. */
  readonly onDidChange = this.#changed.event;

  get isEmpty(): boolean {
    return this.#aborts.size === 0;
  }

  /**
   * Runs work whose requests can be stopped together with all others.
   * @param signal stops only this work
   * @param work gets the signal that both abort
   */
  async run<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    this.#aborts.add(abort);
    if (this.#aborts.size === 1) this.#changed.fire(undefined);
    try {
      return await work(AbortSignal.any([signal, abort.signal]));
    } finally {
      this.#aborts.delete(abort);
      if (this.isEmpty) this.#changed.fire(undefined);
    }
  }

  /** Stops all of them. */
  stop(): void {
    for (const abort of this.#aborts) abort.abort();
  }

  dispose(): void {
    this.stop();
    this.#changed.dispose();
  }
}

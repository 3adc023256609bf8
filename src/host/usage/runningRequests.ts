import { Emitter, type Disposable } from '../../core/support/event.ts';

/** This window's running requests outside chats: those of commands and other extensions. */
export class RunningRequests implements Disposable {
  readonly #aborts = new Set<AbortController>();
  readonly #changed = new Emitter<undefined>();

  /** Fires when the first one starts, and when the last one has ended. */
  readonly onDidChange = this.#changed.event;

  get isEmpty(): boolean {
    return this.#aborts.size === 0;
  }

  /**
   * Runs work whose requests Stop All can stop.
   *
   * @param signal stops only this work
   * @param work its signal aborts for both reasons
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

  stop(): void {
    for (const abort of this.#aborts) abort.abort();
  }

  dispose(): void {
    this.stop();
    this.#changed.dispose();
  }
}

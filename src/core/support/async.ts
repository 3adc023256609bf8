import { orUndefined } from './background.ts';
import type { Clock } from './clock.ts';
import type { Event } from './event.ts';

/** The error with which an aborted wait rejects: `signal.reason` if it is an error. */
export function abortError(signal: AbortSignal): Error {
  return signal.reason instanceof Error
    ? signal.reason
    : new DOMException('This operation was aborted', 'AbortError');
}

/** Waits for `milliseconds`; rejects with {@link abortError} as soon as the signal aborts. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(abortError(signal));
      return;
    }
    const timer = clock.after(milliseconds, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    const stop = (): void => {
      timer.dispose();
      if (signal !== undefined) reject(abortError(signal));
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Settles with the promise, or rejects with {@link abortError} if the signal aborts first: for work
 * that may ignore its signal.
 */
export function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(abortError(signal));
    const stop = (): void => reject(abortError(signal));
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** A queue with any number of writers and one reader, which waits for the next value. */
export class Queue<T> {
  #values: T[] = [];
  #ended = false;
  #wake: () => void = () => undefined;

  push(value: T): void {
    this.#values.push(value);
    this.#wake();
  }

  /** Ends the queue: the reader finishes once it has read all pushed values. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Yields all values in order until {@link end} was called. */
  async *read(): AsyncGenerator<T, void> {
    for (;;) {
      const values = this.#values;
      this.#values = [];
      yield* values;
      if (this.#values.length > 0) continue;
      if (this.#ended) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** Runs tasks one after the other. One that fails does not keep the next from running. */
export class TaskQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the task after all earlier ones. Settles as the task does. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = orUndefined(result);
    return result;
  }
}

interface CancellationToken {
  readonly isCancellationRequested: boolean;
  readonly onCancellationRequested: Event<unknown>;
}

/** Runs work with a signal that aborts when VS Code's token is canceled. */
export async function withSignal<T>(
  token: CancellationToken,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const listening = token.onCancellationRequested(() => abort.abort());
  if (token.isCancellationRequested) abort.abort();
  try {
    return await work(abort.signal);
  } finally {
    listening.dispose();
  }
}

/** Something that holds on to a resource until it is told to let go. Fits `vscode.Disposable`. */
export interface Disposable {
  dispose(): void;
}

/** Makes a {@link Disposable} of a function; calling `dispose` again does nothing. */
export function toDisposable(release: () => void): Disposable {
  let released = false;
  return {
    dispose() {
      if (released) return;
      released = true;
      release();
    },
  };
}

/** Disposes of several things together, in the reverse of the order in which they were made. */
export function disposeAll(disposables: Iterable<Disposable>): void {
  for (const disposable of [...disposables].reverse()) disposable.dispose();
}

/** Subscribes a listener until the returned disposable is disposed. Fits `vscode.Event`. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Fires when any of the events does. */
export function anyEvent<T>(...events: readonly Event<T>[]): Event<T> {
  return (listener) => {
    const subscriptions = events.map((event) => event(listener));
    return toDisposable(() => disposeAll(subscriptions));
  };
}

/** The sending side of an {@link Event}. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();

  readonly event: Event<T> = (listener) => {
    // A wrapper of its own keeps one function subscribed twice as two subscriptions.
    const entry = (value: T): void => listener(value);
    this.#listeners.add(entry);
    return toDisposable(() => this.#listeners.delete(entry));
  };

  /** Calls every listener; one that unsubscribes meanwhile is not called any more. */
  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      if (this.#listeners.has(listener)) listener(value);
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

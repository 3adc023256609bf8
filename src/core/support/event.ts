import { report } from './background.ts';

/** A resource, listener or timer that is released by `dispose`. Matches `vscode.Disposable`. */
export interface Disposable {
  dispose(): void;
}

/** Makes a {@link Disposable} from a function. Later calls of `dispose` do nothing. */
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

/** Disposes of all of them, in reverse order of creation. */
export function disposeAll(disposables: Iterable<Disposable>): void {
  for (const disposable of [...disposables].reverse()) disposable.dispose();
}

/** Subscribes a listener; disposing of the result unsubscribes it. Matches `vscode.Event`. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** An event that fires whenever one of the events does. */
export function anyEvent<T>(...events: readonly Event<T>[]): Event<T> {
  return (listener) => {
    const subscriptions = events.map((event) => event(listener));
    return toDisposable(() => disposeAll(subscriptions));
  };
}

/** Owns an {@link Event} and fires it. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();

  readonly event: Event<T> = (listener) => {
    // The wrapper makes two subscriptions of one function distinct.
    const entry = (value: T): void => listener(value);
    this.#listeners.add(entry);
    return toDisposable(() => this.#listeners.delete(entry));
  };

  /**
   * Calls every listener, except those that are unsubscribed during the call. An error of a
   * listener is reported, since neither the others nor the caller can handle it.
   */
  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        if (this.#listeners.has(listener)) listener(value);
      } catch (error) {
        report(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

/** Follows each item as long as it is open, and those that are opened later. */
export function followEach<Item>(
  items: {
    readonly all: readonly Item[];
    readonly onDidOpen: Event<Item>;
    readonly onDidClose: Event<Item>;
  },
  follow: (item: Item) => Disposable,
): Disposable {
  const following = new Map(items.all.map((item) => [item, follow(item)]));
  const opening = items.onDidOpen((item) => following.set(item, follow(item)));
  const closing = items.onDidClose((item) => {
    following.get(item)?.dispose();
    following.delete(item);
  });
  return { dispose: () => disposeAll([opening, closing, ...following.values()]) };
}

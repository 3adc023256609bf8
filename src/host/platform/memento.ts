import { TaskQueue } from '../../core/support/async.ts';

/** The part of `vscode.Memento` that Aside uses. Values are unknown until they are validated. */
export interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** A {@link Memento} that lists its keys. */
export interface ListedMemento extends Memento {
  keys(): readonly string[];
}

/**
 * `globalState`, with updates that wait for the one before. VS Code's own forgets updates: after each,
 * the window sends back what it has stored, for other windows, and that replaces all values, also those
 * that were updated meanwhile.
 */
export class GlobalState implements ListedMemento {
  readonly #state: ListedMemento;
  /** Updates that VS Code has not stored yet, in order. */
  readonly #waiting: { readonly key: string; readonly value: unknown }[] = [];
  readonly #updates = new TaskQueue();

  constructor(state: ListedMemento) {
    this.#state = state;
  }

  keys(): readonly string[] {
    const keys = [...this.#state.keys(), ...this.#waiting.map(({ key }) => key)];
    return [...new Set(keys)].filter((key) => this.get(key) !== undefined);
  }

  get(key: string): unknown {
    const update = this.#waiting.findLast((waiting) => waiting.key === key);
    return update === undefined ? this.#state.get(key) : update.value;
  }

  /** Resolves when VS Code has stored it. */
  update(key: string, value: unknown): Promise<void> {
    this.#waiting.push({ key, value });
    return this.#updates.run(async () => {
      try {
        await this.#state.update(key, value);
      } finally {
        this.#waiting.shift();
      }
    });
  }
}

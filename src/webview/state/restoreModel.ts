import { signal, type ReadonlySignal } from '@preact/signals';
import type { RestorableFiles } from '../../protocol/rpc.ts';

type Ask = (turn: string) => Promise<RestorableFiles | undefined>;

/**
 * Files that can be restored to before edited messages, and the turns for which the person wants
 * that. Both are kept while the turn is not rendered.
 */
export class RestoreModel {
  readonly #ask: Ask;
  readonly #byTurn = signal<Readonly<Record<string, RestorableFiles>>>({});
  readonly #wanted = signal<readonly string[]>([]);

  /** Restorable files by turn, as far as the host has replied. */
  readonly byTurn: ReadonlySignal<Readonly<Record<string, RestorableFiles>>> = this.#byTurn;
  /** The turns to before which files are restored when their messages are sent. */
  readonly wanted: ReadonlySignal<readonly string[]> = this.#wanted;

  /** @param ask resolves with undefined if the files can't be determined: nothing is offered then */
  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async find(turn: string): Promise<void> {
    const files = await this.#ask(turn);
    if (files !== undefined) this.#byTurn.value = { ...this.#byTurn.peek(), [turn]: files };
  }

  want(turn: string, isWanted: boolean): void {
    const others = this.#wanted.peek().filter((other) => other !== turn);
    this.#wanted.value = isWanted ? [...others, turn] : others;
  }

  /** Called when the message of a turn is no longer edited. */
  forget(turn: string): void {
    this.want(turn, false);
    const others = Object.entries(this.#byTurn.peek()).filter(([other]) => other !== turn);
    this.#byTurn.value = Object.fromEntries(others);
  }

  /** Called when another chat is shown. */
  clear(): void {
    this.#byTurn.value = {};
    this.#wanted.value = [];
  }
}

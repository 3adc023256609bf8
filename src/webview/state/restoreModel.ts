import { signal, type ReadonlySignal } from '@preact/signals';
import type { RestorableFiles } from '../../protocol/rpc.ts';

type Ask = (turn: string) => Promise<RestorableFiles | undefined>;

/**
 * Files that can be restored to their state before edited messages, and the turns for which the
 * person wants that. Both survive while the turn isn't rendered.
 */
export class RestoreModel {
  readonly #ask: Ask;
  readonly #byTurn = signal<Readonly<Record<string, RestorableFiles>>>({});
  readonly #wanted = signal<readonly string[]>([]);

  readonly byTurn: ReadonlySignal<Readonly<Record<string, RestorableFiles>>> = this.#byTurn;
  /** The turns whose files are restored when the message is sent. */
  readonly wanted: ReadonlySignal<readonly string[]> = this.#wanted;

  /**
   * @param ask resolves with undefined if the files can't be determined: nothing is offered then
   */
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

  /** Must be called when the message of a turn is no longer edited. */
  forget(turn: string): void {
    this.want(turn, false);
    const others = Object.entries(this.#byTurn.peek()).filter(([other]) => other !== turn);
    this.#byTurn.value = Object.fromEntries(others);
  }

  /** Must be called when another chat is shown. */
  clear(): void {
    this.#byTurn.value = {};
    this.#wanted.value = [];
  }
}

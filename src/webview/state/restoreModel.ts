import { signal, type ReadonlySignal } from '@preact/signals';
import type { HostMessage, RestorableFiles, ViewMessage } from '../../protocol/messages.ts';

type Ask = Extract<ViewMessage, { type: 'find-restorable' }>;

/**
 * Files that can be restored to before edited messages, and the turns for which the person wants
 * that. Both are kept while the turn is not rendered.
 */
export class RestoreModel {
  readonly #post: (message: Ask) => void;
  readonly #found = signal<Readonly<Record<string, RestorableFiles>>>({});
  readonly #wanted = signal<readonly string[]>([]);

  /** Restorable files by turn, as far as the host has replied. */
  readonly found: ReadonlySignal<Readonly<Record<string, RestorableFiles>>> = this.#found;
  /** The turns to before which files are restored when their messages are sent. */
  readonly wanted: ReadonlySignal<readonly string[]> = this.#wanted;

  constructor(post: (message: Ask) => void) {
    this.#post = post;
  }

  ask(turn: string): void {
    this.#post({ type: 'find-restorable', turn });
  }

  receive({ turn, files, left: skipped }: Extract<HostMessage, { type: 'restorable' }>): void {
    this.#found.value = { ...this.#found.peek(), [turn]: { files, left: skipped } };
  }

  want(turn: string, isWanted: boolean): void {
    const others = this.#wanted.peek().filter((other) => other !== turn);
    this.#wanted.value = isWanted ? [...others, turn] : others;
  }

  /** Called when the message of a turn is no longer edited. */
  forget(turn: string): void {
    this.want(turn, false);
    const others = Object.entries(this.#found.peek()).filter(([other]) => other !== turn);
    this.#found.value = Object.fromEntries(others);
  }

  /** Called when another chat is shown. */
  clear(): void {
    this.#found.value = {};
    this.#wanted.value = [];
  }
}

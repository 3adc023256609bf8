import type { Store } from '../state/store.ts';

/** Browses earlier messages of the chat in the composer, like commands in a shell. */
export class MessageHistory {
  readonly #store: Store;
  /** Index of the visible message, from the newest; undefined if none is visible. */
  #index: number | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Shows an earlier message, or a later one with 1; the composer is empty after the newest.
   *
   * @returns false if the key should move the cursor, as in a text that was typed or changed
   */
  step(by: 1 | -1, { value, selectionStart, selectionEnd }: HTMLTextAreaElement): boolean {
    const messages = this.#messages();
    const current = this.#index === undefined ? undefined : messages[this.#index];
    const isUnchanged = value === current && selectionStart === selectionEnd;
    const isAtEnd = selectionEnd === value.length || selectionEnd === 0;
    if (value !== '' && !(isUnchanged && isAtEnd)) return false;
    const from = value === '' ? -1 : (this.#index ?? -1);
    const next = Math.min(from - by, messages.length - 1);
    if (next < -1 || messages.length === 0) return false;
    this.#index = next < 0 ? undefined : next;
    this.#store.draft.replace(messages[next] ?? '');
    return true;
  }

  /** Messages in the view, newest first, without consecutive duplicates. */
  #messages(): readonly string[] {
    const { running, window } = this.#store;
    return [...window.turns.peek(), running.peek()]
      .map((turn) => turn?.question.text ?? '')
      .filter((text, index, all) => text !== '' && text !== all[index + 1])
      .toReversed();
  }
}

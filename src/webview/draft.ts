import { signal, type ReadonlySignal } from '@preact/signals';
import type { Disposable } from '../core/support/disposable.ts';

const delay = 300;

/** What is written in the composer; the host is told soon after each change. */
export class Draft implements Disposable {
  readonly #save: (text: string) => void;
  readonly #text = signal('');
  #saved = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly text: ReadonlySignal<string> = this.#text;

  constructor(save: (text: string) => void) {
    this.#save = save;
  }

  /** What the person types. */
  replace(text: string): void {
    this.#text.value = text;
    this.#timer ??= setTimeout(() => this.flush(), delay);
  }

  /** What the host kept. Of the same chat, words that it does not know yet are newer than its own. */
  load(text: string, sameChat: boolean): void {
    const unsaved = this.#text.value !== this.#saved;
    if (unsaved && (sameChat || this.#saved === '')) return;
    this.#stopTimer();
    this.#saved = text;
    this.#text.value = text;
  }

  /** Tells the host at once, for the moments after which there may be no later. */
  flush(): void {
    this.#stopTimer();
    if (this.#text.value === this.#saved) return;
    this.#saved = this.#text.value;
    this.#save(this.#saved);
  }

  dispose(): void {
    this.flush();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

import { signal, type ReadonlySignal } from '@preact/signals';
import type { Disposable } from '../../core/support/event.ts';

/**
 * Milliseconds between two messages while one types. A view that is hidden is gone without a last
 * word, so there is no waiting for a pause; only a pasted book is not sent with every key.
 */
const postInterval = 50;
const longTextPostInterval = 1000;
const longTextLength = 100_000;

/** What is written in the composer; the host is told with each change. */
export class Draft implements Disposable {
  readonly #save: (text: string) => void;
  readonly #text = signal('');
  /** What the host has. */
  #saved = '';
  /** Whether a question is on its way, whose words the host keeps until it has taken it. */
  #sending = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly text: ReadonlySignal<string> = this.#text;

  constructor(save: (text: string) => void) {
    this.#save = save;
  }

  /** What the person types. */
  replace(text: string): void {
    this.#text.value = text;
    if (this.#timer !== undefined) return;
    this.#post();
    const wait = text.length > longTextLength ? longTextPostInterval : postInterval;
    this.#timer = setTimeout(() => this.flush(), wait);
  }

  /** What the host kept. Of the same chat, what stands here is the same or newer. */
  load(text: string, sameChat: boolean): void {
    if (sameChat || this.#text.value !== this.#saved) return;
    this.#stopTimer();
    this.#saved = text;
    this.#text.value = text;
  }

  /** Empties the composer for a question that is being sent. */
  clearForSend(): void {
    this.#sending = true;
    this.#text.value = '';
  }

  /** The question was accepted, or comes back in front of what was typed meanwhile. */
  settle(question: string, accepted: boolean): void {
    this.#sending = false;
    const typed = this.#text.value;
    // The host emptied its draft when it took the question.
    if (accepted) this.#saved = '';
    else this.#text.value = typed === '' ? question : `${question}\n${typed}`;
    this.flush();
  }

  /** Tells the host at once, for the moments after which there may be no later. */
  flush(): void {
    this.#stopTimer();
    this.#post();
  }

  dispose(): void {
    this.flush();
  }

  #post(): void {
    if (this.#sending || this.#text.value === this.#saved) return;
    this.#saved = this.#text.value;
    this.#save(this.#saved);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Writes into the composer as if it were typed; the cursor is behind it then. */
export function insertIntoField(
  field: HTMLTextAreaElement,
  draft: Pick<Draft, 'replace'>,
  { start, end, text }: Change,
): void {
  field.setRangeText(text, start, end, 'end');
  draft.replace(field.value);
  field.focus();
}

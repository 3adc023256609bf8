import { signal, type ReadonlySignal } from '@preact/signals';
import type { Disposable } from '../../core/support/event.ts';

/**
 * Milliseconds between two messages to the host while typing. A hidden view is disposed without
 * notice, so changes are not debounced; only a long text is not sent with every key press.
 */
const postInterval = 50;
const longTextPostInterval = 1000;
const longTextLength = 100_000;

/** The text in the composer. Every change is sent to the host. */
export class Draft implements Disposable {
  readonly #save: (text: string) => void;
  readonly #text = signal('');
  /** The text that the host has. */
  #saved = '';
  /** Whether a message is being sent; the host keeps its text until it has accepted it. */
  #sending = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly text: ReadonlySignal<string> = this.#text;

  constructor(save: (text: string) => void) {
    this.#save = save;
  }

  /** Sets the text that was typed. */
  replace(text: string): void {
    this.#text.value = text;
    if (this.#timer !== undefined) return;
    this.#post();
    const wait = text.length > longTextLength ? longTextPostInterval : postInterval;
    this.#timer = setTimeout(() => this.flush(), wait);
  }

  /** Loads the host's draft. Within the same chat, the text in the view is never older. */
  load(text: string, sameChat: boolean): void {
    if (sameChat || this.#text.value !== this.#saved) return;
    this.#stopTimer();
    this.#saved = text;
    this.#text.value = text;
  }

  /** Empties the composer for a message that is being sent. */
  clearForSend(): void {
    this.#sending = true;
    this.#text.value = '';
  }

  /**
   * Called when the message was accepted or refused. A refused one is put back before the text
   * typed since.
   */
  settle(message: string, accepted: boolean): void {
    this.#sending = false;
    const typed = this.#text.value;
    // The host cleared its draft when it accepted the message.
    if (accepted) this.#saved = '';
    else this.#text.value = typed === '' ? message : `${message}\n${typed}`;
    this.flush();
  }

  /** Removes a message that stood in the composer until it was accepted. */
  remove(message: string): void {
    const text = this.#text.value;
    if (text.startsWith(message)) this.#text.value = text.slice(message.length).trimStart();
    this.flush();
  }

  /** Sends the text at once, for events after which the view may be gone. */
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

/** Inserts text as if it were typed; the cursor is placed after it. */
export function insertIntoField(
  field: HTMLTextAreaElement,
  draft: Pick<Draft, 'replace'>,
  { start, end, text }: Change,
): void {
  field.setRangeText(text, start, end, 'end');
  draft.replace(field.value);
  field.focus();
}

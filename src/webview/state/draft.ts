import { signal, type ReadonlySignal } from '@preact/signals';
import type { Disposable } from '../../core/support/event.ts';
import { withoutSent, withUnsent } from '../../protocol/draftText.ts';

/**
 * Milliseconds between two messages to the host while typing. A hidden view is disposed without
 * notice, so changes are not debounced; only a long text is not sent with every key press.
 */
const postInterval = 50;
const longTextPostInterval = 1000;
const longTextLength = 100_000;

/** Keeps a draft in the view while the host has not stored it. */
export interface DraftKeeper {
  /** The draft that the host had not stored when the view was closed. */
  read(): string | undefined;
  /** Undefined removes it. */
  write(text: string | undefined): void;
}

/** The text in the composer. Every change is sent to the host, and kept in the view until then. */
export class Draft implements Disposable {
  readonly #save: (text: string) => void;
  readonly #keeper: DraftKeeper | undefined;
  readonly #text = signal('');
  /** The text that the host has. */
  #saved = '';
  /** How many texts were sent to the host. */
  #posts = 0;
  /** How many of them the host has stored. */
  #confirmed = 0;
  /** Messages that are being sent; the host may still refuse them. */
  #sending: readonly string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly text: ReadonlySignal<string> = this.#text;

  /** @param save sends a draft to the host */
  constructor(save: (text: string) => void, keeper?: DraftKeeper) {
    this.#save = save;
    this.#keeper = keeper;
  }

  /** What must not be lost: the text, and before it messages that are not accepted yet. */
  get #unsent(): string {
    return this.#sending.reduceRight(
      (rest, message) => withUnsent(message, rest),
      this.#text.value,
    );
  }

  /** Sets the text that was typed. */
  replace(text: string): void {
    this.#text.value = text;
    const isLong = text.length > longTextLength;
    if (!isLong) this.#keeper?.write(this.#unsent);
    if (this.#timer !== undefined) return;
    this.#post();
    this.#timer = setTimeout(() => this.flush(), isLong ? longTextPostInterval : postInterval);
  }

  /**
   * Loads the host's draft. Within the same chat, the text in the view is never older; nor is one
   * that the host may not have received when it opened another chat.
   */
  load(text: string, sameChat: boolean): void {
    const isNewer = this.#unsent !== this.#saved || this.#confirmed < this.#posts;
    if (sameChat || isNewer) return;
    this.#stopTimer();
    this.#saved = text;
    this.#text.value = text;
  }

  /**
   * Loads the draft that the host had not stored when the view was closed.
   * @param asked the newest message of the chat, which the host may have accepted since
   */
  recover(asked: string): void {
    const kept = this.#keeper?.read();
    if (kept === undefined || kept === this.#text.value) return;
    this.replace(withoutSent(kept, asked));
  }

  /** Called when the host has stored a draft, or found a key in it; drafts count from 1. */
  confirm(number: number): void {
    this.#confirmed = number;
    if (number === this.#posts && this.#unsent === this.#saved) this.#keeper?.write(undefined);
  }

  /** Empties the composer for a message that is being sent. */
  clearForSend(): void {
    this.#sending = [...this.#sending, this.#text.value];
    this.#text.value = '';
  }

  /**
   * Called when the message was accepted or refused. A refused one is put back before the text
   * typed since.
   */
  settle(message: string, accepted: boolean): void {
    const index = this.#sending.indexOf(message);
    this.#sending = this.#sending.filter((_, other) => other !== index);
    // The host took it out of its draft when it accepted the message.
    if (accepted) this.#saved = withoutSent(this.#saved, message);
    else this.#text.value = withUnsent(message, this.#text.value);
    this.#keeper?.write(this.#unsent === this.#saved ? undefined : this.#unsent);
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
    const unsent = this.#unsent;
    if (unsent === this.#saved) return;
    this.#saved = unsent;
    this.#keeper?.write(unsent);
    this.#posts += 1;
    this.#save(unsent);
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
}

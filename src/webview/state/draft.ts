import { type ReadonlySignal, signal } from '@preact/signals';
import type { Disposable } from '../../core/support/event.ts';
import { withoutSent, withUnsent } from '../../protocol/draftText.ts';
import type { RestorableFiles } from '../../protocol/rpc.ts';
import type { Store } from './store.ts';

/**
 * Milliseconds between two messages to the host while typing. A hidden view is disposed without
 * notice, so changes aren't debounced; only a long text isn't sent with every key press.
 */
const postInterval = 50;
const longTextPostInterval = 1000;
const longTextLength = 100_000;

export interface KeptDraft {
  readonly conversation: string;
  readonly text: string;
  /** Time of typing, in milliseconds since the Unix epoch. The newer of two drafts is used. */
  readonly at: number;
}

/** Stores a draft in the view until the host has stored it. */
export interface DraftKeeper {
  /** The draft that the host had not stored when the view was closed. */
  read(): KeptDraft | undefined;
  /** Undefined removes it. */
  write(draft: KeptDraft | undefined): void;
}

/**
 * The text in the composer: the draft of the visible chat. Every change is sent to the host, and
 * stored in the view until the host confirms it.
 */
export class Draft implements Disposable {
  readonly #save: (draft: KeptDraft, onStored: () => void) => void;
  readonly #keeper: DraftKeeper | undefined;
  readonly #text = signal('');
  /** Id of its chat; empty until there is one. */
  #conversation = '';
  /** The host's text. */
  #saved = '';
  #at = 0;
  /** The last draft sent to the host. */
  #last: KeptDraft | undefined;
  #posts = 0;
  /** Number of texts that the host has stored. */
  #confirmed = 0;
  /** Messages being sent, which the host may still refuse. */
  #sending: readonly string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly text: ReadonlySignal<string> = this.#text;

  /**
   * @param save sends the draft of a chat to the host, and calls back when the host has stored it,
   * or found a key in it
   */
  constructor(save: (draft: KeptDraft, onStored: () => void) => void, keeper?: DraftKeeper) {
    this.#save = save;
    this.#keeper = keeper;
  }

  /** Text that must not be lost: messages that aren't accepted yet, and the text typed since. */
  get #unsent(): string {
    return this.#sending.reduceRight(
      (typed, message) => withUnsent(message, typed),
      this.#text.value,
    );
  }

  replace(text: string): void {
    this.#setText(text);
    const isLong = text.length > longTextLength;
    if (!isLong) this.#keep(this.#unsent);
    if (this.#timer !== undefined) return;
    this.#post();
    this.#timer = setTimeout(() => this.flush(), isLong ? longTextPostInterval : postInterval);
  }

  /**
   * Loads the host's draft of a chat. Within one chat, the text in the view is never older; text
   * typed in another chat is first sent to the host.
   *
   * @param at time of typing
   */
  load(conversation: string, text: string, at = 0): void {
    if (conversation === this.#conversation) return;
    if (this.#conversation !== '') this.flush();
    const last = this.#last;
    const isOnItsWay = last?.conversation === conversation && this.#confirmed < this.#posts;
    this.#conversation = conversation;
    // The host has the messages being sent, and restores refused ones into its draft.
    this.#sending = [];
    this.#saved = isOnItsWay ? last.text : text;
    this.#text.value = this.#saved;
    this.#at = isOnItsWay ? last.at : at;
  }

  /** Adopts a text that was changed elsewhere, unless the text in the view is newer. */
  adopt(text: string): void {
    const isNewer = this.#unsent !== this.#saved || this.#confirmed < this.#posts;
    if (isNewer || this.#sending.length > 0) return;
    this.#saved = text;
    this.#text.value = text;
  }

  /**
   * Shows another message; the host stores the previous one. Text typed since a message was sent is
   * appended.
   */
  exchange(text: string): void {
    const typed = this.#sending.length > 0 ? this.#text.value : '';
    this.#stopTimer();
    this.#saved = text;
    this.#setText(text === '' || typed === '' ? text + typed : withUnsent(text, typed));
    this.#keep(undefined);
  }

  /**
   * Loads the draft that the host had not stored when the view was closed.
   *
   * @param newest newest message of the chat, which the host may have accepted since
   */
  recover(newest: string): void {
    const stored = this.#keeper?.read();
    if (stored === undefined) return;
    if (stored.conversation !== this.#conversation) this.#send(stored);
    else if (stored.at > this.#at && stored.text !== this.#text.value)
      this.replace(withoutSent(stored.text, newest));
  }

  /** Clears the composer for a message that is being sent. */
  clearForSend(): void {
    this.#sending = [...this.#sending, this.#text.value];
    this.#text.value = '';
  }

  /**
   * Must be called when the message was accepted or refused. A refused one is restored before the
   * text typed since.
   */
  settle(message: string, accepted: boolean): void {
    const index = this.#sending.indexOf(message);
    this.#sending = this.#sending.filter((_, other) => other !== index);
    // The host removed it from its draft when it accepted the message.
    if (accepted) this.#saved = withoutSent(this.#saved, message);
    else this.#setText(withUnsent(message, this.#text.value));
    this.#keep(this.#unsent === this.#saved ? undefined : this.#unsent);
    this.flush();
  }

  /** Removes a message that was in the composer until it was accepted. */
  remove(message: string): void {
    const text = this.#text.value;
    if (text.startsWith(message)) this.#setText(text.slice(message.length).trimStart());
    this.flush();
  }

  /** Sends the text immediately, for events after which the view may be gone. */
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
    this.#keep(unsent);
    this.#send({ conversation: this.#conversation, text: unsent, at: this.#at });
  }

  #send(draft: KeptDraft): void {
    const number = (this.#posts += 1);
    this.#last = draft;
    this.#save(draft, () => {
      // A draft is stored after all earlier ones.
      this.#confirmed = Math.max(this.#confirmed, number);
      if (number === this.#posts && this.#unsent === this.#saved) this.#keeper?.write(undefined);
    });
  }

  #setText(text: string): void {
    this.#text.value = text;
    this.#at = Math.max(this.#at + 1, Date.now());
  }

  #keep(text: string | undefined): void {
    const conversation = this.#conversation;
    this.#keeper?.write(text === undefined ? undefined : { conversation, text, at: this.#at });
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** A message in a field: the next one, or an earlier one that is edited. */
export interface WrittenMessage {
  readonly text: ReadonlySignal<string>;
  replace(text: string): void;
  /** The turn of an earlier message; undefined for the next one. */
  readonly edited?: string | undefined;
}

export interface WrittenField {
  readonly field: HTMLTextAreaElement;
  readonly message: WrittenMessage;
}

/** An earlier message that is edited. Its text survives while its turn isn't rendered. */
export class EditedText implements WrittenMessage {
  readonly #edits: Map<string, string>;
  readonly #text;
  readonly edited: string;

  /** @param text the original message */
  constructor(edits: Map<string, string>, turn: string, text: string) {
    this.#edits = edits;
    this.edited = turn;
    this.#text = signal(edits.get(turn) ?? text);
  }

  get text(): ReadonlySignal<string> {
    return this.#text;
  }

  replace(text: string): void {
    this.#edits.set(this.edited, text);
    this.#text.value = text;
  }
}

/** Replaces the selection, or another range, as if the text were typed; the cursor is then after it. */
export function insertIntoField(
  { field, message }: WrittenField,
  text: string,
  start = field.selectionStart,
  end = field.selectionEnd,
): void {
  field.setRangeText(text, start, end, 'end');
  message.replace(field.value);
}

/**
 * Files that can be restored to their state before edited messages, and the turns for which the
 * person wants that. Both survive while the turn isn't rendered.
 */
export class RestoreModel {
  readonly #store: Store;
  readonly #byTurn = signal<Readonly<Record<string, RestorableFiles>>>({});
  readonly #wanted = signal<readonly string[]>([]);

  readonly byTurn: ReadonlySignal<Readonly<Record<string, RestorableFiles>>> = this.#byTurn;
  /** The turns whose files are restored when the message is sent. */
  readonly wanted: ReadonlySignal<readonly string[]> = this.#wanted;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Offers nothing if the files can't be determined. */
  async find(turn: string): Promise<void> {
    const files = await this.#store.query('find-restorable', { turn });
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

import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { background } from '../../core/support/background.ts';
import type { CompletionItem, RequestParameters } from '../../protocol/rpc.ts';
import type { Store } from '../state/store.ts';
import { insertIntoField, requestFor, type WrittenMessage } from '../state/writtenMessage.ts';

/** Limits the cost of a key press in a long text; queries are shorter. */
const maxQueryLength = 500;

/**
 * `@` at the start of a word or after an opening bracket or quote, but not within an email address.
 */
const mention = /(?<![^\s([{"'`])@([^\s@]*)$/;
const command = /^\/([^\s/]*)$/;

interface Completed {
  readonly trigger: RequestParameters['complete']['trigger'];
  /** Without the trigger. */
  readonly query: string;
}

interface CompletionResult extends Completed {
  readonly items: readonly CompletionItem[];
}

/** Completes the word at the cursor with items from the host. */
export class CompletionController {
  readonly #store: Store;
  readonly #message: WrittenMessage;
  readonly #field: HTMLTextAreaElement;
  readonly #word = signal<TriggerWord | undefined>(undefined);
  readonly #result = signal<CompletionResult | undefined>(undefined);
  readonly #active = signal(-1);
  #isRequesting = false;
  /** True if the person selected the active item since they typed. */
  #isSelected = false;
  /** True if Enter was pressed before the list for the word was there. */
  #isAwaited = false;
  /** Text of the field when it lost focus with the list open. */
  #textAtBlur: string | undefined;
  /** Start of the word for which the list was dismissed. */
  #dismissed: number | undefined;

  /** The visible list; undefined if it is closed. */
  readonly result = computed(() =>
    this.#word.value === undefined ? undefined : this.#result.value,
  );
  /** Index of the item that Enter accepts; -1 if there is none. */
  readonly active: ReadonlySignal<number> = this.#active;

  constructor(store: Store, field: HTMLTextAreaElement, message: WrittenMessage) {
    this.#store = store;
    this.#message = message;
    this.#field = field;
  }

  update(): void {
    const { value, selectionStart, selectionEnd } = this.#field;
    const isRange = selectionStart !== selectionEnd;
    const word = isRange ? undefined : triggerWordAt(value, selectionStart);
    // Commands belong to new messages.
    if (word === undefined || (word.trigger === '/' && this.#message.edited !== undefined)) {
      this.close();
      return;
    }
    if (word.start === this.#dismissed) return;
    this.#dismissed = undefined;
    const previous = this.#word.value;
    if (word.start !== previous?.start) this.#result.value = undefined;
    if (previous === undefined || !isForWord(previous, word)) {
      this.#isSelected = false;
      this.#isAwaited = false;
    }
    this.#word.value = word;
    background(this.#requestItems(word));
  }

  /** Handles a moved cursor: an open list follows it, a closed one stays closed. */
  follow(): void {
    if (this.#word.value !== undefined) this.update();
  }

  close(): void {
    this.#dismissed = undefined;
    this.#word.value = undefined;
    this.#result.value = undefined;
  }

  /** Must be called when the field loses focus. */
  leave(): void {
    this.#textAtBlur = this.#word.value === undefined ? undefined : this.#field.value;
    this.close();
  }

  /**
   * Must be called when the field gets focus again. VS Code may take focus briefly while somebody
   * types, as when a quick pick closes.
   */
  comeBack(): void {
    const previous = this.#textAtBlur;
    this.#textAtBlur = undefined;
    if (previous === this.#field.value) this.update();
  }

  /** Closes the list until another word starts. */
  dismiss(): void {
    const start = this.#word.value?.start;
    this.close();
    this.#dismissed = start;
  }

  /** Selects the next item, or the previous one with -1; wraps around. */
  step(by: 1 | -1): void {
    const count = this.result.value?.items.length ?? 0;
    const from = by === -1 ? Math.max(this.#active.value, 0) : this.#active.value;
    if (count > 0) this.point((from + by + count) % count);
  }

  point(index: number): void {
    this.#active.value = index;
    this.#isSelected = true;
  }

  /**
   * Chooses the item that the person selected, or else the first for the whole word, once its list
   * is there. Returns false if there is none.
   */
  accept(): boolean {
    const result = this.result.peek();
    const word = this.#word.peek();
    const isOutdated = result !== undefined && word !== undefined && !isForWord(result, word);
    this.#isAwaited = isOutdated && !this.#isSelected;
    return this.#isAwaited || this.choose();
  }

  /** Replaces the word with the active item. Returns false if there is none. */
  choose(): boolean {
    const item = this.result.value?.items[this.#active.value];
    const word = this.#word.value;
    if (item === undefined || word === undefined) return false;
    this.dismiss();
    if (item.insert === undefined) this.#accept(item, word);
    else this.#write(word, item.insert.endsWith(' ') ? item.insert : `${item.insert} `);
    this.#store.post('choose-completion', { id: item.id, ...requestFor(this.#message.edited) });
    return true;
  }

  /**
   * An attached file becomes a chip, so the word is removed. An action keeps the text after `/`.
   */
  #accept({ isAction = false }: CompletionItem, word: TriggerWord): void {
    if (!isAction || word.query === '') this.#write(word, '');
  }

  /** Removes one of two adjacent spaces. */
  #write({ start, end }: TriggerWord, text: string): void {
    this.#dismissed = undefined;
    const isDouble = /(?:^|\s)$/.test(this.#field.value.slice(0, start) + text);
    const next = isDouble && this.#field.value[end] === ' ' ? end + 1 : end;
    insertIntoField(this.#field, this.#message, { start, end: next, text });
    this.#field.focus();
  }

  /** Sends one request at a time. Then requests items for the current word. */
  async #requestItems(requested: TriggerWord): Promise<void> {
    const { trigger, query } = requested;
    const current = this.#result.value;
    if (this.#isRequesting || (current && isForWord(current, requested))) return;
    this.#isRequesting = true;
    const target = requestFor(this.#message.edited);
    const answer = await this.#store.ask('complete', { trigger, query, ...target });
    this.#isRequesting = false;
    const word = this.#word.value;
    if (word === undefined) return;
    if ('error' in answer) this.close();
    else if (!isForWord(requested, word)) background(this.#requestItems(word));
    else {
      this.#show({ trigger, query, items: answer.ok.items });
      if (answer.ok.mayGrow) background(this.#requestMore(requested));
    }
  }

  /** Shows the longer lists for a word, unless the word at the cursor has changed. */
  async #requestMore({ trigger, query }: TriggerWord): Promise<void> {
    const target = requestFor(this.#message.edited);
    let mayGrow = true;
    while (mayGrow) {
      const more = await this.#store.query('more-completions', target);
      const word = this.#word.peek();
      if (more === undefined || word === undefined || !isForWord({ trigger, query }, word)) return;
      this.#show({ trigger, query, items: more.items });
      ({ mayGrow } = more);
    }
  }

  #show(result: CompletionResult): void {
    const { items, query } = result;
    // A later result for the same word keeps the active item.
    const last = this.#result.peek();
    const before = last?.query === query ? last.items[this.#active.peek()]?.id : undefined;
    const index = items.findIndex(({ id }) => id === before);
    this.#result.value = result;
    this.#active.value = index >= 0 ? index : items.findIndex(({ isAction }) => isAction !== true);
    if (this.#isAwaited) this.choose();
  }
}

function isForWord(result: Completed, word: TriggerWord): boolean {
  return result.trigger === word.trigger && result.query === word.query;
}

/** The word after `@` or `/` at the cursor. */
interface TriggerWord extends Completed {
  /** Offsets of the trigger and of the cursor, where the word ends. */
  readonly start: number;
  readonly end: number;
}

/** The word to complete at the cursor. Commands are recognized only at the start of a message. */
export function triggerWordAt(text: string, cursor: number): TriggerWord | undefined {
  const from = Math.max(0, cursor - maxQueryLength);
  const before = text.slice(from, cursor);
  const atStart = from === 0 ? command.exec(before) : null;
  const match = atStart ?? mention.exec(before);
  if (match === null) return undefined;
  return {
    trigger: atStart === null ? '@' : '/',
    query: match[1] ?? '',
    start: from + match.index,
    end: cursor,
  };
}

import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { CompletionItem, CompletionResult } from '../../protocol/messages.ts';
import { insertIntoField } from '../state/draft.ts';
import type { Store } from '../state/store.ts';

/** What may become of the word at the cursor. The host finds it; here it is kept and chosen. */
export class CompletionController {
  readonly #store: Pick<Store, 'request' | 'draft'>;
  readonly #field: HTMLTextAreaElement;
  readonly #word = signal<TriggerWord | undefined>(undefined);
  readonly #found = signal<CompletionResult | undefined>(undefined);
  readonly #active = signal(-1);
  #isAsking = false;
  /** Where the word begins that the person wants no help with. */
  #dismissed: number | undefined;

  /** What there is to choose; absent while the list is closed. */
  readonly found = computed(() => (this.#word.value === undefined ? undefined : this.#found.value));
  /** Index of the item that Enter takes; -1 where there is none. */
  readonly active: ReadonlySignal<number> = this.#active;

  constructor(store: Pick<Store, 'request' | 'draft'>, field: HTMLTextAreaElement) {
    this.#store = store;
    this.#field = field;
  }

  /** Something was typed. */
  update(): void {
    const { value, selectionStart, selectionEnd } = this.#field;
    const isRange = selectionStart !== selectionEnd;
    const word = isRange ? undefined : triggerWordAt(value, selectionStart);
    if (word === undefined) {
      this.close();
      return;
    }
    if (word.start === this.#dismissed) return;
    this.#dismissed = undefined;
    if (word.start !== this.#word.value?.start) this.#found.value = undefined;
    this.#word.value = word;
    void this.#ask(word);
  }

  /** The cursor was moved: what is open follows it, but nothing opens. */
  follow(): void {
    if (this.#word.value !== undefined) this.update();
  }

  /** Takes an answer of the host, unless it is one to another word. */
  receive(completions: CompletionResult | undefined): void {
    const word = this.#word.peek();
    if (word === undefined || completions === undefined || !isAbout(completions, word)) return;
    const { items } = completions;
    // A longer list of the same word leaves the person where they are.
    const before = this.#found.peek()?.query === word.query ? this.#activeId() : undefined;
    const index = before === undefined ? -1 : items.findIndex(({ id }) => id === before);
    this.#found.value = completions;
    this.#active.value = index >= 0 ? index : items.findIndex(({ isAction }) => isAction !== true);
  }

  close(): void {
    this.#dismissed = undefined;
    this.#word.value = undefined;
    this.#found.value = undefined;
  }

  /** Closes it until another word is begun. */
  dismiss(): void {
    const start = this.#word.value?.start;
    this.close();
    this.#dismissed = start;
  }

  /** Goes to the next item, or to the one before with -1; after the last comes the first. */
  step(by: 1 | -1): void {
    const count = this.found.value?.items.length ?? 0;
    const from = by === -1 ? Math.max(this.#active.value, 0) : this.#active.value;
    if (count > 0) this.#active.value = (from + by + count) % count;
  }

  /** Makes another item the one that Enter takes. */
  point(index: number): void {
    this.#active.value = index;
  }

  /** Puts the active item in the place of the word. False where there is none. */
  choose(): boolean {
    const item = this.found.value?.items[this.#active.value];
    const word = this.#word.value;
    if (item === undefined || word === undefined) return false;
    this.dismiss();
    if (item.insert === undefined) this.#accept(item, word);
    else this.#write(word, item.insert.endsWith(' ') ? item.insert : `${item.insert} `);
    return true;
  }

  /** What is attached becomes a chip, not a word; an action leaves the word there. */
  #accept({ id, isAction = false }: CompletionItem, word: TriggerWord): void {
    if (!isAction) this.#write(word, '');
    void this.#store.request({ type: 'choose-completion', id });
  }

  #activeId(): string | undefined {
    return this.#found.peek()?.items[this.#active.peek()]?.id;
  }

  /** Where there would be two spaces, one goes. */
  #write({ start, end }: TriggerWord, text: string): void {
    this.#dismissed = undefined;
    const isDouble = /(?:^|\s)$/.test(this.#field.value.slice(0, start) + text);
    const next = isDouble && this.#field.value[end] === ' ' ? end + 1 : end;
    insertIntoField(this.#field, this.#store.draft, { start, end: next, text });
  }

  /** One question at a time; when it is answered, the newest word is asked for. */
  async #ask({ trigger, query }: TriggerWord): Promise<void> {
    const found = this.#found.value;
    if (this.#isAsking || (found?.trigger === trigger && found.query === query)) return;
    this.#isAsking = true;
    const isDone = await this.#store.request({ type: 'complete', trigger, query });
    this.#isAsking = false;
    const word = this.#word.value;
    if (word === undefined || (isDone && isAbout({ trigger, query }, word))) return;
    if (isDone) void this.#ask(word);
    else this.close();
  }
}

function isAbout(asked: Pick<CompletionResult, 'trigger' | 'query'>, word: TriggerWord): boolean {
  return asked.trigger === word.trigger && asked.query === word.query;
}

/** The word behind `@` or `/` that is being written. */
interface TriggerWord {
  readonly trigger: CompletionResult['trigger'];
  /** Without the trigger. */
  readonly query: string;
  /** Where the trigger stands in the text, and where the word ends: at the cursor. */
  readonly start: number;
  readonly end: number;
}

/** Nobody looks for something this long; it also bounds what a key costs in a long text. */
const maxQueryLength = 500;

/** `@` begins a word, or stands behind what opens a bracket or a quotation: not in an address. */
const mention = /(?<![^\s([{"'`])@([^\s@]*)$/;
const command = /^\/([^\s/]*)$/;

/** What is to be completed at the cursor; commands stand at the start of a message. */
export function triggerWordAt(text: string, cursor: number): TriggerWord | undefined {
  const from = Math.max(0, cursor - maxQueryLength);
  const before = text.slice(from, cursor);
  const atStart = from === 0 ? command.exec(before) : null;
  const found = atStart ?? mention.exec(before);
  if (found === null) return undefined;
  return {
    trigger: atStart === null ? '@' : '/',
    query: found[1] ?? '',
    start: from + found.index,
    end: cursor,
  };
}

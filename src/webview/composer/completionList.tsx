import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { background } from '../../core/support/background.ts';
import { revealInvisible } from '../../core/support/text.ts';
import type { CompletionItem, CallParameters } from '../../protocol/rpc.ts';
import { Icon, isPlainEnter } from '../parts/controls.tsx';
import { TruncatedName } from '../parts/cutText.tsx';
import { useStore } from '../parts/hooks.ts';
import type { Store } from '../state/store.ts';
import { insertIntoField, type WrittenMessage } from '../state/draft.ts';

const listId = 'completions';
const itemId = (index: number): string => `completion-${index}`;

interface Props {
  readonly field: HTMLTextAreaElement;
  readonly message: WrittenMessage;
}

/** The completions of the word at the cursor, above the field. The focus stays in the field. */
export function CompletionList({ field, message }: Props) {
  const store = useStore();
  const completion = useMemo(
    () => new CompletionController(store, field, message),
    [store, field, message],
  );
  useLayoutEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    const keyDown = (event: KeyboardEvent): void => {
      if (!completion.handleKey(event)) return;
      event.preventDefault();
      // Otherwise the composer would send on Enter, and other views would close on Escape.
      event.stopImmediatePropagation();
    };
    field.addEventListener('keydown', keyDown, { signal, capture: true });
    field.addEventListener('input', () => completion.update(), { signal });
    field.addEventListener('keyup', () => completion.follow(), { signal });
    field.addEventListener('click', () => completion.follow(), { signal });
    field.addEventListener('blur', () => completion.leave(), { signal });
    field.addEventListener('focus', () => completion.comeBack(), { signal });
    // Completes text that was typed before this list was rendered.
    if (document.activeElement === field) completion.update();
    const stopWatching = effect(() => {
      // The draft was sent, or another chat was opened.
      if (message.text.value !== field.value) completion.close();
    });
    return () => {
      listeners.abort();
      stopWatching();
    };
  }, [field, message, completion]);
  const result = completion.result.value;
  const active = completion.active.value;
  const open = result !== undefined;
  const activeId = result?.items[active] && itemId(active);
  // Exposes the active item. A text box has no `aria-expanded`: it controls its list.
  useLayoutEffect(() => {
    field.setAttribute('aria-autocomplete', 'list');
    field.setAttribute('aria-haspopup', 'listbox');
    setOrRemove(field, 'aria-controls', open ? listId : undefined);
    setOrRemove(field, 'aria-activedescendant', activeId);
  }, [field, open, activeId]);
  if (result === undefined) return null;
  const { trigger, items } = result;
  return (
    // A mouse press must not move focus out of the field.
    <div class="completions" onMouseDown={(event) => event.preventDefault()}>
      <div
        id={listId}
        class="completion-items"
        role="listbox"
        aria-label={trigger === '@' ? l10n.t('Attach Context') : l10n.t('Commands')}
      >
        {items.map((item, index) => (
          <Item key={item.id} item={item} index={index} completion={completion} />
        ))}
      </div>
      {items.every(({ isAction }) => isAction) && <NoResults />}
    </div>
  );
}

/** A live region is announced only if it exists before its text. */
function NoResults() {
  const store = useStore();
  const text = l10n.t('No matching results');
  useEffect(() => store.announce(text), [store, text]);
  return <div class="completions-none">{text}</div>;
}

interface ItemProps {
  readonly item: CompletionItem;
  readonly index: number;
  readonly completion: CompletionController;
}

function Item({ item, index, completion }: ItemProps) {
  const row = useRef<HTMLDivElement>(null);
  const isActive = completion.active.value === index;
  useLayoutEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  const detail = item.detail === undefined ? '' : revealInvisible(item.detail).text;
  return (
    <div
      ref={row}
      id={itemId(index)}
      class={item.isAction === true ? 'completion action' : 'completion'}
      role="option"
      aria-selected={isActive}
      title={detail === '' ? undefined : detail}
      onPointerMove={() => completion.point(index)}
      onClick={() => {
        completion.point(index);
        completion.choose();
      }}
    >
      <Icon name={item.icon} />
      <TruncatedName name={item.label} />
      {detail !== '' && <span class="completion-detail">{detail}</span>}
    </div>
  );
}

function setOrRemove(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** Limits the cost of a key press in a long text; queries are shorter. */
const maxQueryLength = 500;

/**
 * `@` at the start of a word or after an opening bracket or quote, but not within an email address.
 * After `@chat`, the words of a title may follow on the line.
 */
const mention = /(?<![^\s([{"'`])@(chat [^\n@]*|[^\s@]*)$/i;
const command = /^\/([^\s/]*)$/;

interface Completed {
  readonly trigger: CallParameters['complete']['trigger'];
  /** Without the trigger. */
  readonly query: string;
}

interface CompletionResult extends Completed {
  readonly items: readonly CompletionItem[];
}

/** Completes the word at the cursor with items from the host. */
class CompletionController {
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

  /** Handles a key while the list is open. Returns false for keys with their default action. */
  handleKey(event: KeyboardEvent): boolean {
    const result = this.result.peek();
    if (result === undefined || event.isComposing) return false;
    if (event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return false;
    const { length } = result.items;
    switch (event.key) {
      case 'ArrowDown':
        if (length > 0) this.point((this.#active.value + 1) % length);
        return true;
      case 'ArrowUp':
        if (length > 0) this.point((Math.max(this.#active.value, 0) + length - 1) % length);
        return true;
      case 'Enter':
        return isPlainEnter(event) && this.#accept();
      case 'Tab':
        return this.#accept();
      case 'Escape':
        this.dismiss();
        return true;
      default:
        return false;
    }
  }

  point(index: number): void {
    this.#active.value = index;
    this.#isSelected = true;
  }

  /**
   * Chooses the item that the person selected, or else the first for the whole word, once its list
   * is there. Returns false if there is none.
   */
  #accept(): boolean {
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
    const { insert, isAction = false } = item;
    if (insert !== undefined) this.#write(word, insert.endsWith(' ') ? insert : `${insert} `);
    // An attached file becomes a chip, so the word is removed. An action keeps the text after `/`.
    else if (!isAction || word.query === '') this.#write(word, '');
    this.#store.post('choose-completion', { id: item.id, edited: this.#message.edited });
    return true;
  }

  /** Removes one of two adjacent spaces. */
  #write({ start, end }: TriggerWord, text: string): void {
    this.#dismissed = undefined;
    const isDouble = /(?:^|\s)$/.test(this.#field.value.slice(0, start) + text);
    const next = isDouble && this.#field.value[end] === ' ' ? end + 1 : end;
    insertIntoField({ field: this.#field, message: this.#message }, text, start, next);
    this.#field.focus();
  }

  /** Sends one request at a time. Then requests items for the current word. */
  async #requestItems(requested: TriggerWord): Promise<void> {
    const { trigger, query } = requested;
    const current = this.#result.value;
    if (this.#isRequesting || (current && isForWord(current, requested))) return;
    this.#isRequesting = true;
    const { edited } = this.#message;
    const answer = await this.#store.ask('complete', { trigger, query, edited });
    this.#isRequesting = false;
    const word = this.#word.value;
    if (word === undefined) return;
    if ('error' in answer) {
      this.close();
      return;
    }
    if (!isForWord(requested, word)) {
      background(this.#requestItems(word));
      return;
    }
    let { items, mayGrow } = answer.ok;
    this.#show({ trigger, query, items });
    // Longer lists for the same word follow, until the word at the cursor has changed.
    while (mayGrow) {
      const more = await this.#store.query('more-completions', { edited });
      const latest = this.#word.peek();
      if (more === undefined || latest === undefined || !isForWord(requested, latest)) return;
      ({ items, mayGrow } = more);
      this.#show({ trigger, query, items });
    }
  }

  #show(result: CompletionResult): void {
    const { items, query } = result;
    // A later result for the same word keeps the active item.
    const last = this.#result.peek();
    const before = last?.query === query ? last.items[this.#active.peek()]?.id : undefined;
    const index = items.findIndex(({ id }) => id === before);
    // A sentence may go on after `@chat`, and needs no list.
    this.#result.value = items.length === 0 && query.includes(' ') ? undefined : result;
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

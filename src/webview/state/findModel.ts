import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { background } from '../../core/support/background.ts';
import type { FindResult } from '../../protocol/rpc.ts';
import type { Store } from './store.ts';

export interface Hit {
  readonly turn: string;
  /** Index of the part of the reply; undefined for the message. */
  readonly part?: number | undefined;
  /** 0-based index among the matches of this part or message. */
  readonly index: number;
}

interface FoundMatches extends FindResult {
  readonly query: string;
}

/** The query, the matches and the current match. The host searches. */
export class FindModel {
  readonly #store: Store;
  readonly #open = signal(0);
  readonly #query = signal('');
  readonly #matches = signal<FoundMatches | undefined>(undefined);
  readonly #current = signal(0);
  /** Query of a chat search that led to this chat, and the turn with a match. */
  #wanted: { readonly turn: string; readonly query: string } | undefined;

  /** Zero if closed; changes whenever the field should be focused. */
  readonly open: ReadonlySignal<number> = this.#open;
  readonly query: ReadonlySignal<string> = this.#query;
  readonly matches: ReadonlySignal<FoundMatches | undefined> = this.#matches;
  /** 0-based index of the current match. */
  readonly current: ReadonlySignal<number> = this.#current;
  readonly total = computed(
    () => this.#matches.value?.places.reduce((sum, { hits }) => sum + hits, 0) ?? 0,
  );
  /** The current match; undefined if there is none. */
  readonly hit = computed((): Hit | undefined => {
    let index = this.#current.value;
    for (const { turn, part, hits } of this.#matches.value?.places ?? []) {
      if (index < hits) return { turn, part, index };
      index -= hits;
    }
    return undefined;
  });

  constructor(store: Store) {
    this.#store = store;
  }

  /** Opens Find with a query, or with the previous one if it is empty. */
  show(query = ''): void {
    if (query !== '') this.#query.value = query;
    this.#open.value++;
  }

  /** Opens Find with the query of a chat search, at the turn with a match. */
  showMatch(turn: string, query: string): void {
    this.#wanted = { turn, query };
    this.show(query);
    this.search(query, turn);
  }

  close(): void {
    this.#wanted = undefined;
    this.#open.value = 0;
    this.#matches.value = undefined;
  }

  /** Searches from the first visible turn, or from the one passed to `showMatch`. */
  search(query: string, visible: string | undefined): void {
    this.#query.value = query;
    const from = this.#wanted?.query === query ? this.#wanted.turn : visible;
    background(this.#search(query, from));
  }

  refresh(): void {
    if (this.#matches.value === undefined) return;
    background(this.#search(this.#query.value, undefined, true));
  }

  /** @param keepsPlace keeps the current match, or uses the last one if there are fewer */
  async #search(query: string, from: string | undefined, keepsPlace = false): Promise<void> {
    const result = await this.#store.query('find', { query, from }, true);
    if (result === undefined || this.#open.value === 0 || query !== this.#query.value) return;
    this.#matches.value = { ...result, query };
    const last = Math.max(0, this.total.value - 1);
    this.#current.value = keepsPlace ? Math.min(this.#current.value, last) : result.start;
  }

  /** Selects the next match, or the previous one with -1; wraps around. */
  step(by: 1 | -1): void {
    const total = this.total.value;
    if (total > 0) this.#current.value = (this.#current.value + by + total) % total;
  }
}

/** A longer selection isn't used as the query. */
const maxQueryLength = 200;

/** Opens Find on Ctrl+F, or Cmd+F on macOS, anywhere in the panel. */
export function listenForFind(find: FindModel): void {
  const isMac = navigator.userAgent.includes('Mac');
  document.addEventListener('keydown', (event) => {
    const isHeld = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
    if (!isHeld || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'f') return;
    event.preventDefault();
    const selection = document.getSelection()?.toString().trim() ?? '';
    find.show(selection.length > maxQueryLength || selection.includes('\n') ? '' : selection);
  });
}

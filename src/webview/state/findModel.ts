import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { FindResult, ViewMessage } from '../../protocol/messages.ts';

/** One of the places where the words stand. */
export interface Hit {
  /** Identifier of the turn. */
  readonly turn: string;
  /** Index of the part of the answer; absent for the question. */
  readonly part?: number | undefined;
  /** Which one it is of those in this place, from 0. */
  readonly index: number;
}

/** What is looked for in the chat, and which of the hits is shown. The host does the looking. */
export class FindModel {
  readonly #post: (message: Extract<ViewMessage, { type: 'find' }>) => void;
  readonly #open = signal(0);
  readonly #query = signal('');
  readonly #found = signal<FindResult | undefined>(undefined);
  readonly #current = signal(0);
  /** Whether the answer that is on its way is to leave the reader at the same hit. */
  #keepsPlace = false;

  /** Zero while it is closed; changes whenever its field is to take the focus. */
  readonly open: ReadonlySignal<number> = this.#open;
  readonly query: ReadonlySignal<string> = this.#query;
  /** Absent until the host has answered. */
  readonly found: ReadonlySignal<FindResult | undefined> = this.#found;
  /** The number of the hit that is shown, from 0. */
  readonly current: ReadonlySignal<number> = this.#current;
  readonly total = computed(() => sum(this.#found.value));
  /** The hit to show; absent where there is none. */
  readonly hit = computed(() => hitAt(this.#found.value, this.#current.value));

  constructor(post: (message: Extract<ViewMessage, { type: 'find' }>) => void) {
    this.#post = post;
  }

  /** Opens it, with these words where there are any, else with those of the last time. */
  show(words = ''): void {
    if (words !== '') this.#query.value = words;
    this.#open.value++;
  }

  close(): void {
    this.#open.value = 0;
    this.#found.value = undefined;
  }

  /** Looks for other words, from the turn on that the reader sees. */
  search(query: string, from: string | undefined): void {
    this.#query.value = query;
    this.#keepsPlace = false;
    this.#post({ type: 'find', query, from });
  }

  /** Looks again, since the chat went on. */
  refresh(): void {
    if (this.#found.value === undefined) return;
    this.#keepsPlace = true;
    this.#post({ type: 'find', query: this.#query.value });
  }

  receive(found: FindResult): void {
    if (this.#open.value === 0 || found.query !== this.#query.value) return;
    this.#found.value = found;
    const last = Math.max(0, this.total.value - 1);
    this.#current.value = this.#keepsPlace ? Math.min(this.#current.value, last) : found.start;
  }

  /** Goes on to the next hit, or back with -1; after the last comes the first. */
  step(by: 1 | -1): void {
    const total = this.total.value;
    if (total > 0) this.#current.value = (this.#current.value + by + total) % total;
  }
}

function sum(found: FindResult | undefined): number {
  return found?.places.reduce((hits, place) => hits + place.hits, 0) ?? 0;
}

function hitAt(found: FindResult | undefined, number: number): Hit | undefined {
  let index = number;
  for (const { turn, part, hits } of found?.places ?? []) {
    if (index < hits) return { turn, part, index };
    index -= hits;
  }
  return undefined;
}

/** Longer selections are not what somebody looks for. */
const maxQueryLength = 200;

/** Opens the search with Ctrl+F, or Cmd+F on a Mac, wherever in the panel the focus is. */
export function listenForFind(find: FindModel): void {
  const isMac = navigator.userAgent.includes('Mac');
  document.addEventListener('keydown', (event) => {
    const isHeld = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
    if (!isHeld || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'f') return;
    event.preventDefault();
    find.show(selectedWords());
  });
}

function selectedWords(): string {
  const words = document.getSelection()?.toString().trim() ?? '';
  return words.length > maxQueryLength || words.includes('\n') ? '' : words;
}

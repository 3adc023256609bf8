import { findPattern } from '../../core/conversation/findInTurns.ts';
import type { Disposable } from '../../core/support/event.ts';
import type { TranscriptScroll } from '../scroll/transcriptScroll.ts';
import type { Hit } from '../state/findModel.ts';
import type { TurnWindow } from '../state/turnWindow.ts';
import { textRanges } from './textRanges.ts';

interface FindMarksOptions {
  readonly content: HTMLElement;
  readonly window: TurnWindow;
  readonly scroll: TranscriptScroll;
}

/** Names of the `::highlight()` rules in the style sheet. */
const allMarks = 'find-match';
const currentMark = 'find-current';

/** Approximate number of characters that are searched per frame. */
const frameLength = 100_000;

/** Highlights matches in rendered turns without changing the DOM, and scrolls one into view. */
export class FindMarks implements Disposable {
  readonly #options: FindMarksOptions;
  readonly #observer: MutationObserver;
  readonly #all = new Highlight();
  readonly #current = new Highlight();
  readonly #ranges = new Map<HTMLElement, readonly Range[]>();
  readonly #pending = new Set<HTMLElement>();
  #pattern: RegExp | undefined;
  #target: Hit | undefined;
  #frame: number | undefined;

  constructor(options: FindMarksOptions) {
    this.#options = options;
    this.#current.priority = 1;
    CSS.highlights.set(allMarks, this.#all);
    CSS.highlights.set(currentMark, this.#current);
    this.#observer = new MutationObserver((changes) => this.#handleMutations(changes));
    const what = { childList: true, subtree: true, characterData: true };
    this.#observer.observe(options.content, what);
  }

  update(query: string): void {
    this.#pattern = findPattern(query);
    this.#target = undefined;
    this.#current.clear();
    for (const turn of this.#ranges.keys()) this.#removeMarks(turn);
    for (const turn of this.#options.content.querySelectorAll<HTMLElement>('[data-turn]'))
      this.#pending.add(turn);
    this.#scheduleRead();
  }

  reveal(hit: Hit | undefined): void {
    this.#current.clear();
    this.#target = hit;
    if (hit === undefined) return;
    if (this.#options.scroll.turn(hit.turn) === undefined) this.#options.window.ask(hit.turn);
    else this.#tryReveal();
  }

  dispose(): void {
    this.#observer.disconnect();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    CSS.highlights.delete(allMarks);
    CSS.highlights.delete(currentMark);
  }

  #handleMutations(changes: readonly MutationRecord[]): void {
    for (const { target } of changes) {
      const element = target instanceof Element ? target : target.parentElement;
      const turn = element?.closest<HTMLElement>('[data-turn]');
      if (turn !== undefined && turn !== null) this.#pending.add(turn);
      else this.#findTurns();
    }
    if (this.#target !== undefined) this.#tryReveal();
    this.#scheduleRead();
  }

  #findTurns(): void {
    for (const turn of this.#ranges.keys()) if (!turn.isConnected) this.#removeMarks(turn);
    for (const turn of this.#options.content.querySelectorAll<HTMLElement>('[data-turn]'))
      if (!this.#ranges.has(turn)) this.#pending.add(turn);
  }

  #scheduleRead(): void {
    if (this.#pending.size > 0) this.#frame ??= requestAnimationFrame(() => this.#read());
  }

  /** Searches some of the new turns. A streaming reply is searched when it ends. */
  #read(): void {
    this.#frame = undefined;
    let length = 0;
    for (const turn of this.#pending) {
      if (length > frameLength) break;
      this.#pending.delete(turn);
      if (!turn.isConnected || turn.querySelector('[aria-busy="true"]') !== null) continue;
      this.#readTurn(turn);
      length += turn.textContent.length;
    }
    this.#scheduleRead();
  }

  #readTurn(turn: HTMLElement): void {
    this.#removeMarks(turn);
    const pattern = this.#pattern;
    const places = [...turn.querySelectorAll('[data-place]')];
    const ranges = pattern === undefined ? [] : places.flatMap((at) => textRanges(at, pattern));
    this.#ranges.set(turn, ranges);
    for (const range of ranges) this.#all.add(range);
  }

  #removeMarks(turn: HTMLElement): void {
    for (const range of this.#ranges.get(turn) ?? []) this.#all.delete(range);
    this.#ranges.delete(turn);
  }

  #tryReveal(): void {
    const { scroll } = this.#options;
    const hit = this.#target;
    const turn = hit === undefined ? undefined : scroll.turn(hit.turn);
    if (hit === undefined || turn === undefined || this.#pattern === undefined) return;
    const element = turn.querySelector<HTMLElement>(`[data-place="${hit.part ?? 'question'}"]`);
    if (element !== null && unfold(element)) return;
    const ranges = element === null ? [] : textRanges(element, this.#pattern);
    // Rendered Markdown may have fewer matches than its source.
    const range = ranges[Math.min(hit.index, ranges.length - 1)];
    this.#target = undefined;
    if (range !== undefined) {
      this.#current.add(range);
      unfoldCodeAt(range.startContainer);
    }
    showRange(range ?? rangeAround(element ?? turn), scroll);
  }
}

/** Opens a folded element. Returns true if its content is rendered only afterwards. */
function unfold(element: HTMLElement): boolean {
  if (!(element instanceof HTMLDetailsElement)) return false;
  element.open = true;
  return element.childElementCount === 1;
}

function unfoldCodeAt(node: Node): void {
  const block = elementOf(node)?.closest('.code-block');
  block?.querySelector<HTMLElement>('[data-look="fold"][aria-expanded="false"]')?.click();
}

function rangeAround(element: HTMLElement): Range {
  const range = element.ownerDocument.createRange();
  range.selectNodeContents(element);
  range.collapse(true);
  return range;
}

function showRange(range: Range, scroll: TranscriptScroll): void {
  center(range, scroll);
  // Content that scrolls into view is laid out only now, and may differ from its estimated height.
  requestAnimationFrame(() => center(range, scroll));
}

function center(range: Range, scroll: TranscriptScroll): void {
  const { scroller } = scroll;
  let element = elementOf(range.startContainer);
  for (; element !== null && element !== scroller; element = element.parentElement)
    scrollWithin(element, range);
  const { top, height } = range.getBoundingClientRect();
  const edge = scroller.getBoundingClientRect();
  scroll.moveBy(top + height / 2 - edge.top - edge.height / 2);
}

function elementOf(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}

/** Scrolls an element with its own scroll bar: a long message, or a wide line of code. */
function scrollWithin(element: Element, range: Range): void {
  const inner = range.getBoundingClientRect();
  const outer = element.getBoundingClientRect();
  if (
    element.scrollHeight > element.clientHeight &&
    !isWithin(inner.top, inner.bottom, outer.top, outer.bottom)
  )
    element.scrollTop += inner.top - outer.top - outer.height / 2;
  if (
    element.scrollWidth > element.clientWidth &&
    !isWithin(inner.left, inner.right, outer.left, outer.right)
  )
    element.scrollLeft += inner.left - outer.left - outer.width / 2;
}

function isWithin(start: number, end: number, from: number, to: number): boolean {
  return start >= from && end <= to;
}

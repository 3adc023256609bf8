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

/** Names that the style sheet knows. */
const allMarks = 'find-match';
const currentMark = 'find-current';

/** Characters that are looked through in one frame, about. */
const frameLength = 100_000;

/** Marks the hits in what is drawn, without a change of the page, and brings one into sight. */
export class FindMarks implements Disposable {
  readonly #options: FindMarksOptions;
  readonly #observer: MutationObserver;
  readonly #all = new Highlight();
  readonly #current = new Highlight();
  readonly #ranges = new Map<HTMLElement, readonly Range[]>();
  readonly #unread = new Set<HTMLElement>();
  #pattern: RegExp | undefined;
  #wanted: Hit | undefined;
  #frame: number | undefined;

  constructor(options: FindMarksOptions) {
    this.#options = options;
    this.#current.priority = 1;
    CSS.highlights.set(allMarks, this.#all);
    CSS.highlights.set(currentMark, this.#current);
    this.#observer = new MutationObserver((changes) => this.#changed(changes));
    const what = { childList: true, subtree: true, characterData: true };
    this.#observer.observe(options.content, what);
  }

  /** Marks everything that these words fit. */
  update(query: string): void {
    this.#pattern = findPattern(query);
    this.#wanted = undefined;
    this.#current.clear();
    for (const turn of this.#ranges.keys()) this.#forget(turn);
    for (const turn of this.#options.content.querySelectorAll<HTMLElement>('[data-turn]'))
      this.#unread.add(turn);
    this.#readSoon();
  }

  /** Shows this hit, as soon as it is drawn. */
  reveal(hit: Hit | undefined): void {
    this.#current.clear();
    this.#wanted = hit;
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

  #changed(changes: readonly MutationRecord[]): void {
    for (const { target } of changes) {
      const element = target instanceof Element ? target : target.parentElement;
      const turn = element?.closest<HTMLElement>('[data-turn]');
      if (turn !== undefined && turn !== null) this.#unread.add(turn);
      else this.#findTurns();
    }
    if (this.#wanted !== undefined) this.#tryReveal();
    this.#readSoon();
  }

  /** Turns were drawn or taken away. */
  #findTurns(): void {
    for (const turn of this.#ranges.keys()) if (!turn.isConnected) this.#forget(turn);
    for (const turn of this.#options.content.querySelectorAll<HTMLElement>('[data-turn]'))
      if (!this.#ranges.has(turn)) this.#unread.add(turn);
  }

  #readSoon(): void {
    if (this.#unread.size > 0) this.#frame ??= requestAnimationFrame(() => this.#read());
  }

  /** Looks through some of the turns that are new. One that still grows is looked at when it ends. */
  #read(): void {
    this.#frame = undefined;
    let length = 0;
    for (const turn of this.#unread) {
      if (length > frameLength) break;
      this.#unread.delete(turn);
      if (!turn.isConnected || isGrowing(turn)) continue;
      this.#readTurn(turn);
      length += turn.textContent.length;
    }
    this.#readSoon();
  }

  #readTurn(turn: HTMLElement): void {
    this.#forget(turn);
    const pattern = this.#pattern;
    const places = [...turn.querySelectorAll('[data-place]')];
    const ranges = pattern === undefined ? [] : places.flatMap((at) => textRanges(at, pattern));
    this.#ranges.set(turn, ranges);
    for (const range of ranges) this.#all.add(range);
  }

  #forget(turn: HTMLElement): void {
    for (const range of this.#ranges.get(turn) ?? []) this.#all.delete(range);
    this.#ranges.delete(turn);
  }

  #tryReveal(): void {
    const { scroll } = this.#options;
    const hit = this.#wanted;
    const turn = hit === undefined ? undefined : scroll.turn(hit.turn);
    if (hit === undefined || turn === undefined || this.#pattern === undefined) return;
    const place = turn.querySelector<HTMLElement>(`[data-place="${hit.part ?? 'question'}"]`);
    if (place !== null && unfold(place)) return;
    const ranges = place === null ? [] : textRanges(place, this.#pattern);
    // Markdown that is drawn may have fewer hits than its source.
    const range = ranges[Math.min(hit.index, ranges.length - 1)];
    this.#wanted = undefined;
    if (range !== undefined) this.#current.add(range);
    showRange(range ?? rangeAround(place ?? turn), scroll);
  }
}

function isGrowing(turn: HTMLElement): boolean {
  return turn.querySelector('[aria-busy="true"]') !== null;
}

/** Opens what is folded; true where its content comes only now. */
function unfold(place: HTMLElement): boolean {
  if (!(place instanceof HTMLDetailsElement)) return false;
  place.open = true;
  return place.childElementCount === 1;
}

function rangeAround(element: HTMLElement): Range {
  const range = element.ownerDocument.createRange();
  range.selectNodeContents(element);
  range.collapse(true);
  return range;
}

/** Brings a range of text into the middle of the transcript. */
function showRange(range: Range, scroll: TranscriptScroll): void {
  center(range, scroll);
  // What comes into sight is laid out only now, and may have another height than was thought.
  requestAnimationFrame(() => center(range, scroll));
}

function center(range: Range, scroll: TranscriptScroll): void {
  const { scroller } = scroll;
  let element = elementOf(range.startContainer);
  for (; element !== null && element !== scroller; element = element.parentElement)
    bringInto(element, range);
  const { top, height } = range.getBoundingClientRect();
  const edge = scroller.getBoundingClientRect();
  scroll.moveBy(top + height / 2 - edge.top - edge.height / 2);
}

function elementOf(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}

/** Scrolls a part of the transcript that scrolls by itself: a long question, a wide line of code. */
function bringInto(element: Element, range: Range): void {
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

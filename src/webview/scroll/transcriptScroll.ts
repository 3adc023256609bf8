import { turnLength } from '../../core/conversation/window.ts';
import { disposeAll, toDisposable, type Disposable } from '../../core/support/event.ts';
import type { TurnWindow } from '../state/turnWindow.ts';
import { StickyScroll } from './stickyScroll.ts';
import { planWindow, type TurnBox } from './windowPlan.ts';

export interface ScrollPosition {
  readonly atEnd: boolean;
  /** The turn at the top of the view, and the number of its pixels above the view. */
  readonly turn?: string | undefined;
  readonly offset: number;
}

export interface TranscriptScrollOptions {
  readonly scroller: HTMLElement;
  readonly content: HTMLElement;
  readonly window: TurnWindow;
  /** Initial position; undefined for the end. */
  readonly start: ScrollPosition | undefined;
  readonly moved: (position: ScrollPosition) => void;
  /** An element of the new window, and its distance from the top of the page. */
  readonly takeHeld: () => { readonly element: HTMLElement; readonly top: number } | undefined;
}

/** A visible element and its offset from the top of the view. */
export interface Anchor {
  readonly element: HTMLElement;
  readonly top: number;
}

/**
 * Scrolls a conversation of which only a window of turns is rendered: requests more turns before
 * they are needed, drops distant ones, and keeps the visible ones in place meanwhile.
 */
export class TranscriptScroll implements Disposable {
  readonly #options: TranscriptScrollOptions;
  readonly #sticky: StickyScroll;
  readonly #disposables: Disposable[];
  #replacementCount: number;

  constructor(options: TranscriptScrollOptions) {
    this.#options = options;
    const { scroller, content, window, start } = options;
    this.#replacementCount = window.replaced.count;
    this.#sticky = new StickyScroll({
      scroller,
      content,
      hasEnd: () => window.hasEnd.peek(),
      moved: () => this.#onScroll(),
    });
    const resizes = new ResizeObserver(() => this.#updateWindow());
    resizes.observe(scroller);
    this.#disposables = [this.#sticky, toDisposable(() => resizes.disconnect())];
    if (start === undefined || start.atEnd || !this.#scrollTo(start)) this.toEnd();
  }

  get scroller(): HTMLElement {
    return this.#options.scroller;
  }

  /** Scrolls to the newest turn, even if it isn't rendered yet. */
  toEnd(): void {
    const { window } = this.#options;
    if (window.hasEnd.peek()) this.#sticky.toEnd();
    else window.ask();
  }

  /** Scrolls by a number of pixels, to show rendered content. */
  moveBy(pixels: number): void {
    this.#sticky.moveBy(pixels);
  }

  turn(id: string): HTMLElement | undefined {
    return this.#turns().find((element) => element.dataset['turn'] === id);
  }

  /** The first visible turn. */
  anchor(): Anchor | undefined {
    const { top: edge } = this.#options.scroller.getBoundingClientRect();
    for (const element of this.#turns()) {
      const { top, bottom } = element.getBoundingClientRect();
      if (bottom > edge) return { element, top: top - edge };
    }
    return undefined;
  }

  /** Must be called after turns were rendered or removed, with the anchor from before. */
  updated(anchor: Anchor | undefined): void {
    const { count, around } = this.#options.window.replaced;
    const held = this.#options.takeHeld();
    if (count !== this.#replacementCount) {
      this.#replacementCount = count;
      if (held !== undefined) this.#keepInPlace(held.element, held.top);
      else if (!this.#scrollTo({ turn: around, offset: 0 })) this.#sticky.toEnd();
    } else if (this.#sticky.atEnd) this.#sticky.follow();
    else if (anchor?.element.isConnected === true) {
      this.#sticky.shiftBy(this.#topOf(anchor.element) - anchor.top);
    }
    this.#sticky.noticeEnd();
    this.#updateWindow();
  }

  dispose(): void {
    disposeAll(this.#disposables);
  }

  #scrollTo({ turn = '', offset }: Omit<ScrollPosition, 'atEnd'>): boolean {
    const element = this.turn(turn);
    if (element === undefined) return false;
    this.#sticky.moveBy(this.#topOf(element) + offset);
    return true;
  }

  #keepInPlace(element: HTMLElement, top: number): void {
    const turn = element.closest('.turn');
    // Text that was never visible would be measured with an estimated height.
    turn?.classList.add('measured');
    this.#sticky.moveBy(element.getBoundingClientRect().top - top);
    this.#afterLayout(() => {
      turn?.classList.remove('measured');
      this.#sticky.noticeEnd();
    });
  }

  /** Runs two frames later, when visible content has its actual height. */
  #afterLayout(work: () => void): void {
    requestAnimationFrame(() => requestAnimationFrame(work));
  }

  #topOf(element: HTMLElement): number {
    const { scroller } = this.#options;
    return element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  }

  #onScroll(): void {
    const { atEnd } = this.#sticky;
    const anchor = atEnd ? undefined : this.anchor();
    const turn = anchor?.element.dataset['turn'];
    this.#options.moved({ atEnd, turn, offset: -(anchor?.top ?? 0) });
    this.#updateWindow();
  }

  #updateWindow(): void {
    const { scroller, window } = this.#options;
    const turns = this.#turnBoxes();
    if (turns === undefined) return;
    const { front, back, ask } = planWindow({
      turns,
      hasStart: window.hasStart.peek(),
      hasEnd: window.hasEnd.peek(),
      height: scroller.clientHeight,
    });
    if (front + back > 0) window.drop(front, back);
    for (const side of ask) window.askMore(side);
  }

  /** Undefined if turns of the window aren't rendered yet; another update follows. */
  #turnBoxes(): TurnBox[] | undefined {
    const edge = this.#options.scroller.getBoundingClientRect().top;
    const drawn = new Map(this.#turns().map((element) => [element.dataset['turn'], element]));
    const boxes: TurnBox[] = [];
    for (const turn of this.#options.window.turns.peek()) {
      const rectangle = drawn.get(turn.id)?.getBoundingClientRect();
      if (rectangle === undefined) return undefined;
      const { top, bottom } = rectangle;
      boxes.push({ top: top - edge, bottom: bottom - edge, length: turnLength(turn) });
    }
    return boxes;
  }

  #turns(): HTMLElement[] {
    const turns: HTMLElement[] = [];
    let child = this.#options.content.firstElementChild;
    for (; child !== null; child = child.nextElementSibling)
      if (child instanceof HTMLElement && child.dataset['turn'] !== undefined) turns.push(child);
    return turns;
  }
}

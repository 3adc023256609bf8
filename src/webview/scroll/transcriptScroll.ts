import { turnLength } from '../../core/conversation/window.ts';
import { disposeAll, toDisposable, type Disposable } from '../../core/support/event.ts';
import type { TurnWindow } from '../state/turnWindow.ts';
import { StickyScroll } from './stickyScroll.ts';
import { planWindow, type TurnBox } from './windowPlan.ts';

/** Where the reader is. */
export interface ScrollPosition {
  readonly atEnd: boolean;
  /** The turn at the top of the screen, and how many pixels of it are above that. */
  readonly turn?: string | undefined;
  readonly offset: number;
}

export interface TranscriptScrollOptions {
  readonly scroller: HTMLElement;
  /** What scrolls: its children are the turns, among others. */
  readonly content: HTMLElement;
  readonly window: TurnWindow;
  /** Where to begin; absent for the end. */
  readonly start: ScrollPosition | undefined;
  readonly moved: (place: ScrollPosition) => void;
}

/** Something that the reader sees, and where. */
export interface Anchor {
  readonly element: HTMLElement;
  readonly top: number;
}

/**
 * Scrolls through a conversation of which only a part is drawn: has more of it brought in time,
 * has forgotten what is far off, and holds still what the reader sees meanwhile.
 */
export class TranscriptScroll implements Disposable {
  readonly #options: TranscriptScrollOptions;
  readonly #sticky: StickyScroll;
  readonly #disposables: Disposable[];
  #shown: number;

  constructor(options: TranscriptScrollOptions) {
    this.#options = options;
    const { scroller, content, window, start } = options;
    this.#shown = window.shown.count;
    this.#sticky = new StickyScroll({
      scroller,
      content,
      hasEnd: () => window.hasEnd.peek(),
      moved: () => this.#moved(),
    });
    const resizes = new ResizeObserver(() => this.#fill());
    resizes.observe(scroller);
    this.#disposables = [this.#sticky, toDisposable(() => resizes.disconnect())];
    if (start === undefined || start.atEnd || !this.#goTo(start)) this.toEnd();
  }

  get scroller(): HTMLElement {
    return this.#options.scroller;
  }

  /** Goes to the newest turn, be it drawn or not. */
  toEnd(): void {
    const { window } = this.#options;
    if (window.hasEnd.peek()) this.#sticky.toEnd();
    else window.ask();
  }

  /** Moves by so many pixels, to show something that is drawn. */
  moveBy(pixels: number): void {
    this.#sticky.moveBy(pixels);
  }

  /** The turn with this id, where it is drawn. */
  turn(id: string): HTMLElement | undefined {
    return this.#turns().find((element) => element.dataset['turn'] === id);
  }

  /** The first turn that the reader sees something of. */
  anchor(): Anchor | undefined {
    const { top: edge } = this.#options.scroller.getBoundingClientRect();
    for (const element of this.#turns()) {
      const { top, bottom } = element.getBoundingClientRect();
      if (bottom > edge) return { element, top: top - edge };
    }
    return undefined;
  }

  /** To be called when turns were drawn or taken away, with what was the anchor before. */
  updated(anchor: Anchor | undefined): void {
    const { shown } = this.#options.window;
    if (shown.count !== this.#shown) {
      this.#shown = shown.count;
      if (!this.#goTo({ turn: shown.around, offset: 0 })) this.#sticky.toEnd();
    } else if (this.#sticky.atEnd) this.#sticky.follow();
    else if (anchor?.element.isConnected === true) {
      this.#sticky.shiftBy(this.#topOf(anchor.element) - anchor.top);
    }
    this.#fill();
  }

  dispose(): void {
    disposeAll(this.#disposables);
  }

  #goTo({ turn = '', offset }: Omit<ScrollPosition, 'atEnd'>): boolean {
    const element = this.turn(turn);
    if (element === undefined) return false;
    this.#sticky.moveBy(this.#topOf(element) + offset);
    return true;
  }

  #topOf(element: HTMLElement): number {
    const { scroller } = this.#options;
    return element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  }

  #moved(): void {
    const { atEnd } = this.#sticky;
    const anchor = atEnd ? undefined : this.anchor();
    const turn = anchor?.element.dataset['turn'];
    this.#options.moved({ atEnd, turn, offset: -(anchor?.top ?? 0) });
    this.#fill();
  }

  /** Has the window follow the reader. */
  #fill(): void {
    const { scroller, window } = this.#options;
    const turns = this.#boxes();
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

  /** Undefined while not all turns of the window are drawn, which comes with the next update. */
  #boxes(): TurnBox[] | undefined {
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

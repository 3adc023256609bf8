import type { Disposable } from '../../core/support/event.ts';

export interface StickyScrollOptions {
  readonly scroller: HTMLElement;
  readonly content: HTMLElement;
  /** Whether the end of the content is the end of the conversation. */
  readonly hasEnd: () => boolean;
  /** Called when the reader has moved, or was moved. */
  readonly moved: () => void;
}

/** How near the end counts as being there; fractions of pixels get lost at some zoom levels. */
const slack = 4;

/**
 * Keeps the end of the content in sight while the reader is there, and leaves the reader alone
 * anywhere else.
 */
export class StickyScroll implements Disposable {
  readonly #options: StickyScrollOptions;
  readonly #resizes: ResizeObserver;
  #atEnd = true;
  #lastTop = 0;
  #lastHeight = 0;

  constructor(options: StickyScrollOptions) {
    this.#options = options;
    const { scroller, content } = options;
    this.#resizes = new ResizeObserver(() => this.follow());
    this.#resizes.observe(content);
    this.#resizes.observe(scroller);
    scroller.addEventListener('scroll', this.#scrolled, { passive: true });
  }

  get atEnd(): boolean {
    return this.#atEnd;
  }

  toEnd(): void {
    this.#atEnd = true;
    this.follow();
    this.#options.moved();
  }

  /** Moves the reader by so many pixels. */
  moveBy(pixels: number): void {
    this.#atEnd = false;
    this.shiftBy(pixels);
    this.#atEnd = this.#options.hasEnd() && this.#distance <= slack;
    this.#options.moved();
  }

  /** Moves by what was added or taken away above the reader, who does not notice. */
  shiftBy(pixels: number): void {
    if (pixels !== 0) this.#options.scroller.scrollTop += pixels;
    this.#remember();
  }

  /** Shows the end, where the reader is there. */
  follow(): void {
    const { scroller } = this.#options;
    if (this.atEnd) scroller.scrollTop = scroller.scrollHeight;
    this.#remember();
  }

  dispose(): void {
    this.#resizes.disconnect();
    this.#options.scroller.removeEventListener('scroll', this.#scrolled);
  }

  readonly #scrolled = (): void => {
    const { scrollTop, scrollHeight } = this.#options.scroller;
    // Content that shrank moves the position up as well, without the reader's doing.
    const movedUp = scrollTop < this.#lastTop && scrollHeight >= this.#lastHeight;
    const isNear = this.#distance <= slack || (this.#atEnd && !movedUp);
    this.#atEnd = this.#options.hasEnd() && isNear;
    this.#remember();
    this.#options.moved();
  };

  /** Pixels from the end. */
  get #distance(): number {
    const { scrollTop, scrollHeight, clientHeight } = this.#options.scroller;
    return scrollHeight - clientHeight - scrollTop;
  }

  #remember(): void {
    this.#lastTop = this.#options.scroller.scrollTop;
    this.#lastHeight = this.#options.scroller.scrollHeight;
  }
}

import type { Disposable } from '../../core/support/event.ts';

export interface StickyScrollOptions {
  readonly scroller: HTMLElement;
  readonly content: HTMLElement;
  /** True if the content ends with the end of the conversation. */
  readonly hasEnd: () => boolean;
  /** Called after every scroll, by the person or the program. */
  readonly moved: () => void;
}

/** Pixels from the end that count as the end, since some zoom levels round pixels. */
const endTolerance = 4;

/** Keeps the end of the content in view while the person is there, and doesn't scroll otherwise. */
export class StickyScroll implements Disposable {
  readonly #options: StickyScrollOptions;
  readonly #resizeObserver: ResizeObserver;
  #atEnd = true;
  #lastTop = 0;
  #lastHeight = 0;

  constructor(options: StickyScrollOptions) {
    this.#options = options;
    const { scroller, content } = options;
    this.#resizeObserver = new ResizeObserver(() => this.follow());
    this.#resizeObserver.observe(content);
    this.#resizeObserver.observe(scroller);
    scroller.addEventListener('scroll', this.#onScroll, { passive: true });
  }

  get atEnd(): boolean {
    return this.#atEnd;
  }

  toEnd(): void {
    this.#atEnd = true;
    this.follow();
    this.#options.moved();
  }

  moveBy(pixels: number): void {
    this.#atEnd = false;
    this.shiftBy(pixels);
    this.#atEnd = this.#options.hasEnd() && this.#distance <= endTolerance;
    this.#options.moved();
  }

  /**
   * Scrolls by the height that was added or removed above the view, so that the view doesn't move.
   */
  shiftBy(pixels: number): void {
    if (pixels !== 0) this.#options.scroller.scrollTop += pixels;
    this.#recordPosition();
  }

  /** Detects that the end came into view without scrolling, because the rest fits in. */
  noticeEnd(): void {
    if (this.#atEnd || !this.#options.hasEnd() || this.#distance > endTolerance) return;
    this.#atEnd = true;
    this.#options.moved();
  }

  /** Scrolls to the end if the person was there. */
  follow(): void {
    const { scroller } = this.#options;
    if (this.atEnd) scroller.scrollTop = scroller.scrollHeight;
    this.#recordPosition();
  }

  dispose(): void {
    this.#resizeObserver.disconnect();
    this.#options.scroller.removeEventListener('scroll', this.#onScroll);
  }

  readonly #onScroll = (): void => {
    const { scrollTop, scrollHeight } = this.#options.scroller;
    // Shrinking content also moves the position up, without any scrolling.
    const movedUp = scrollTop < this.#lastTop && scrollHeight >= this.#lastHeight;
    const isNear = this.#distance <= endTolerance || (this.#atEnd && !movedUp);
    this.#atEnd = this.#options.hasEnd() && isNear;
    this.#recordPosition();
    this.#options.moved();
  };

  get #distance(): number {
    const { scrollTop, scrollHeight, clientHeight } = this.#options.scroller;
    return scrollHeight - clientHeight - scrollTop;
  }

  #recordPosition(): void {
    this.#lastTop = this.#options.scroller.scrollTop;
    this.#lastHeight = this.#options.scroller.scrollHeight;
  }
}

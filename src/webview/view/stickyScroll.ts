import type { Disposable } from '../../core/support/disposable.ts';

interface ScrollPlace {
  readonly top: number;
  readonly atEnd: boolean;
}

/** How near the end counts as being there; fractions of pixels get lost at some zoom levels. */
const slack = 4;

/**
 * Keeps the end of the content in sight while the reader is there, and leaves the reader alone
 * anywhere else.
 */
export class StickyScroll implements Disposable {
  readonly #scroller: HTMLElement;
  readonly #changed: (place: ScrollPlace) => void;
  readonly #resizes: ResizeObserver;
  #atEnd = true;
  #lastTop = 0;
  #lastHeight = 0;

  constructor(scroller: HTMLElement, content: HTMLElement, changed: (place: ScrollPlace) => void) {
    this.#scroller = scroller;
    this.#changed = changed;
    this.#resizes = new ResizeObserver(() => this.#follow());
    this.#resizes.observe(content);
    this.#resizes.observe(scroller);
    scroller.addEventListener('scroll', this.#scrolled, { passive: true });
  }

  /** Goes back to where the reader was; without a place, to the end. */
  restore(place: ScrollPlace | undefined): void {
    this.#atEnd = place?.atEnd ?? true;
    if (place !== undefined && !place.atEnd) this.#scroller.scrollTop = place.top;
    this.#follow();
    this.#tell();
  }

  toEnd(): void {
    this.#atEnd = true;
    this.#follow();
    this.#tell();
  }

  dispose(): void {
    this.#resizes.disconnect();
    this.#scroller.removeEventListener('scroll', this.#scrolled);
  }

  readonly #scrolled = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const distance = scrollHeight - clientHeight - scrollTop;
    // Content that shrank moves the position up as well, without the reader's doing.
    const movedUp = scrollTop < this.#lastTop && scrollHeight >= this.#lastHeight;
    const atEnd = distance <= slack || (this.#atEnd && !movedUp);
    this.#remember();
    this.#atEnd = atEnd;
    this.#tell();
  };

  #follow(): void {
    if (this.#atEnd) this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#remember();
  }

  #remember(): void {
    this.#lastTop = this.#scroller.scrollTop;
    this.#lastHeight = this.#scroller.scrollHeight;
  }

  #tell(): void {
    this.#changed({ top: this.#scroller.scrollTop, atEnd: this.#atEnd });
  }
}

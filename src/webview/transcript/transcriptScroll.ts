import type { ReadonlySignal } from '@preact/signals';
import { turnLength, viewBatchLimit, type WindowSide } from '../../core/conversation/window.ts';
import type { Disposable } from '../../core/support/event.ts';
import type { ScrollPositionStore } from '../state/host.ts';
import type { Store } from '../state/store.ts';
import type { ShownTurns } from '../state/shownTurns.ts';

/** A visible element and its offset from the top of the view. */
export interface Anchor {
  readonly element: HTMLElement;
  readonly top: number;
}

/**
 * Scrolls a conversation of which only a window of turns is rendered: requests more turns before
 * they are needed, drops distant ones, keeps the visible ones in place meanwhile, and stores the
 * position in the chat.
 */
export class TranscriptScroll implements Disposable {
  readonly scroller: HTMLElement;
  readonly #content: HTMLElement;
  readonly #store: Store;
  readonly #shown: ShownTurns;
  readonly #positions: ScrollPositionStore;
  readonly #chat: string;
  readonly #setAway: (isAway: boolean) => void;
  readonly #sticky: StickyScroll;
  readonly #resizes = new ResizeObserver(() => this.#updateWindow());
  #replacementCount: number;

  /** @param setAway called after every scroll; true if the end of the conversation is out of view */
  constructor(
    scroller: HTMLElement,
    content: HTMLElement,
    store: Store,
    positions: ScrollPositionStore,
    setAway: (isAway: boolean) => void,
  ) {
    this.scroller = scroller;
    this.#content = content;
    this.#store = store;
    this.#shown = store.shown;
    this.#positions = positions;
    this.#chat = store.id.peek();
    this.#setAway = setAway;
    this.#replacementCount = this.#shown.replaced.count;
    const start = positions.read();
    this.#sticky = new StickyScroll(scroller, content, this.#shown.hasEnd, () => this.#onScroll());
    this.#resizes.observe(scroller);
    const isAway = start?.conversation === this.#chat && !start.atEnd;
    if (!isAway || !this.#scrollTo(start.turn, start.offset)) this.toEnd();
  }

  /** Scrolls to the newest turn, even if it isn't rendered yet. */
  toEnd(): void {
    if (this.#shown.hasEnd.peek()) this.#sticky.toEnd();
    else this.#shown.ask();
  }

  /** Shows a turn from its beginning, even if it isn't rendered yet. */
  show(turn: string): void {
    if (!this.#scrollTo(turn, 0)) this.#shown.ask(turn);
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
    const { top: edge } = this.scroller.getBoundingClientRect();
    for (const element of this.#turns()) {
      const { top, bottom } = element.getBoundingClientRect();
      if (bottom > edge) return { element, top: top - edge };
    }
    return undefined;
  }

  /** Must be called after turns were rendered or removed, with the anchor from before. */
  updated(anchor: Anchor | undefined): void {
    const { count, around } = this.#shown.replaced;
    const held = this.#store.versions.takeHeld();
    if (count !== this.#replacementCount) {
      this.#replacementCount = count;
      if (held !== undefined) this.#keepInPlace(held.element, held.top);
      else if (!this.#scrollTo(around, 0)) this.#sticky.toEnd();
    } else if (this.#sticky.atEnd) this.#sticky.follow();
    else if (anchor?.element.isConnected === true) {
      this.#sticky.shiftBy(this.#topOf(anchor.element) - anchor.top);
    }
    this.#sticky.noticeEnd();
    this.#updateWindow();
  }

  dispose(): void {
    this.#sticky.dispose();
    this.#resizes.disconnect();
  }

  #scrollTo(turn: string | undefined, offset: number): boolean {
    const element = turn === undefined ? undefined : this.turn(turn);
    if (element === undefined) return false;
    this.#sticky.moveBy(this.#topOf(element) + offset);
    return true;
  }

  /** @param top distance of the element from the top of the page, in pixels */
  #keepInPlace(element: HTMLElement, top: number): void {
    const turn = element.closest('.turn');
    // Text that was never visible would be measured with an estimated height.
    turn?.classList.add('measured');
    this.#sticky.moveBy(element.getBoundingClientRect().top - top);
    const release = (): void => {
      turn?.classList.remove('measured');
      this.#sticky.noticeEnd();
    };
    // Visible content has its actual height two frames later.
    requestAnimationFrame(() => requestAnimationFrame(release));
  }

  #topOf(element: HTMLElement): number {
    return element.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top;
  }

  #onScroll(): void {
    const { atEnd } = this.#sticky;
    const anchor = atEnd ? undefined : this.anchor();
    const turn = anchor?.element.dataset['turn'];
    this.#setAway(!atEnd);
    const before = this.#positions.read();
    // VS Code persists every change, so following the end is saved only once.
    if (before?.conversation !== this.#chat || !before.atEnd || !atEnd) {
      const offset = -(anchor?.top ?? 0);
      this.#positions.write({ conversation: this.#chat, atEnd, turn, offset });
    }
    this.#updateWindow();
  }

  #updateWindow(): void {
    const edge = this.scroller.getBoundingClientRect().top;
    const drawn = new Map(this.#turns().map((element) => [element.dataset['turn'], element]));
    const turns: TurnBox[] = [];
    for (const turn of this.#shown.turns.peek()) {
      const rectangle = drawn.get(turn.id)?.getBoundingClientRect();
      // Another update follows when it is rendered.
      if (rectangle === undefined) return;
      const { top, bottom } = rectangle;
      turns.push({ top: top - edge, bottom: bottom - edge, length: turnLength(turn) });
    }
    const { front, back, ask } = planWindow({
      turns,
      hasStart: this.#shown.hasStart.peek(),
      hasEnd: this.#shown.hasEnd.peek(),
      height: this.scroller.clientHeight,
    });
    if (front + back > 0) this.#shown.drop(front, back);
    for (const side of ask) this.#shown.askMore(side);
  }

  #turns(): HTMLElement[] {
    const turns: HTMLElement[] = [];
    let child = this.#content.firstElementChild;
    for (; child !== null; child = child.nextElementSibling)
      if (child instanceof HTMLElement && child.dataset['turn'] !== undefined) turns.push(child);
    return turns;
  }
}

/** Pixels from the end that count as the end, since some zoom levels round pixels. */
const endTolerance = 4;

/** Keeps the end of the content in view while the person is there, and doesn't scroll otherwise. */
export class StickyScroll implements Disposable {
  readonly #scroller: HTMLElement;
  readonly #hasEnd: ReadonlySignal<boolean>;
  readonly #moved: () => void;
  readonly #resizes = new ResizeObserver(() => this.follow());
  #atEnd = true;
  #lastTop = 0;
  #lastHeight = 0;

  /**
   * @param hasEnd true if the content ends with the end of the conversation
   * @param moved called after every scroll, by the person or the program
   */
  constructor(
    scroller: HTMLElement,
    content: HTMLElement,
    hasEnd: ReadonlySignal<boolean>,
    moved: () => void,
  ) {
    this.#scroller = scroller;
    this.#hasEnd = hasEnd;
    this.#moved = moved;
    this.#resizes.observe(content);
    this.#resizes.observe(scroller);
    scroller.addEventListener('scroll', this.#onScroll, { passive: true });
  }

  get atEnd(): boolean {
    return this.#atEnd;
  }

  toEnd(): void {
    this.#atEnd = true;
    this.follow();
    this.#moved();
  }

  moveBy(pixels: number): void {
    this.#atEnd = false;
    this.shiftBy(pixels);
    this.#atEnd = this.#hasEnd.peek() && this.#distance <= endTolerance;
    this.#moved();
  }

  /**
   * Scrolls by the height that was added or removed above the view, so that the view doesn't move.
   */
  shiftBy(pixels: number): void {
    if (pixels !== 0) this.#scroller.scrollTop += pixels;
    this.#recordPosition();
  }

  /** Detects that the end came into view without scrolling, because the rest fits in. */
  noticeEnd(): void {
    if (this.#atEnd || !this.#hasEnd.peek() || this.#distance > endTolerance) return;
    this.#atEnd = true;
    this.#moved();
  }

  /** Scrolls to the end if the person was there. */
  follow(): void {
    if (this.#atEnd) this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#recordPosition();
  }

  dispose(): void {
    this.#resizes.disconnect();
    this.#scroller.removeEventListener('scroll', this.#onScroll);
  }

  readonly #onScroll = (): void => {
    const { scrollTop, scrollHeight } = this.#scroller;
    // Shrinking content also moves the position up, without any scrolling.
    const movedUp = scrollTop < this.#lastTop && scrollHeight >= this.#lastHeight;
    const isNear = this.#distance <= endTolerance || (this.#atEnd && !movedUp);
    this.#atEnd = this.#hasEnd.peek() && isNear;
    this.#recordPosition();
    this.#moved();
  };

  get #distance(): number {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    return scrollHeight - clientHeight - scrollTop;
  }

  #recordPosition(): void {
    this.#lastTop = this.#scroller.scrollTop;
    this.#lastHeight = this.#scroller.scrollHeight;
  }
}

interface TurnBox {
  /** Pixels from the top of the view. */
  readonly top: number;
  readonly bottom: number;
  readonly length: number;
}

/** The rendered turns, and the directions with more turns. */
interface DrawnTurns {
  /** The turns that have ended, oldest first. */
  readonly turns: readonly TurnBox[];
  readonly hasStart: boolean;
  readonly hasEnd: boolean;
  /** Height of the view in pixels. */
  readonly height: number;
}

/** Turns to request and to drop, so that scrolling never reaches an edge. */
interface WindowPlan {
  /** Number of turns to drop at the front and at the back. */
  readonly front: number;
  readonly back: number;
  readonly ask: readonly WindowSide[];
}

/** Limits of the window, unless a few screens need more. */
export const maxHeld = { turns: 60, length: 1_000_000 };

/** Screens that are loaded ahead of the view: with room for another batch, and without. */
const screensAhead = 3;
const screensAheadWhenFull = 1;

/** Screens around the view that are never dropped. */
const screensKept = 2;

/**
 * Plans which turns to request and to drop. The plan converges: turns are dropped only if that
 * leaves no room for a batch, so they aren't requested again.
 */
export function planWindow({ turns, hasStart, hasEnd, height }: DrawnTurns): WindowPlan {
  if (height === 0) return { front: 0, back: 0, ask: [] };
  const whole = turns.reduce((sum, turn) => sum + turn.length, 0);
  let front = 0;
  let back = 0;
  let length = whole;
  for (;;) {
    const count = turns.length - front - back;
    const first = turns[front];
    const last = turns[turns.length - 1 - back];
    if (first === undefined || last === undefined) break;
    if (count <= maxHeld.turns && length <= maxHeld.length) break;
    const above = -first.bottom;
    const below = last.top - height;
    const farthest = above > below ? first : last;
    if (Math.max(above, below) <= screensKept * height) break;
    if (hasRoom(count - 1, length - farthest.length)) break;
    length -= farthest.length;
    if (farthest === first) front++;
    else back++;
  }
  if (front + back > 0) return { front, back, ask: [] };
  const ahead = height * (hasRoom(turns.length, whole) ? screensAhead : screensAheadWhenFull);
  const isNearEnd = (turns.at(-1)?.bottom ?? 0) - height < ahead;
  const isNearStart = -(turns[0]?.top ?? 0) < ahead;
  const ask: WindowSide[] = [];
  if (!hasEnd && isNearEnd) ask.push('after');
  if (!hasStart && isNearStart) ask.push('before');
  return { front, back, ask };
}

/** True if another batch fits into the window. */
function hasRoom(count: number, length: number): boolean {
  return (
    count + viewBatchLimit.turns <= maxHeld.turns &&
    length + viewBatchLimit.length <= maxHeld.length
  );
}

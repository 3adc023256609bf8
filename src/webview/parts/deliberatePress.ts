import type { TargetedMouseEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Disposable } from '../../core/support/event.ts';

/**
 * Milliseconds for which a button must have been where it is before a press of it counts: earlier
 * presses were meant for what was there before.
 */
export const minPressDelay = 700;

/** Pixels by which a button may move: some zoom levels round them. */
const tolerance = 2;

type Place = readonly number[];

interface WatchedButton {
  /** Time at which it was drawn where it is now. */
  since: number;
  place: Place;
  timer: ReturnType<typeof setTimeout> | undefined;
  readonly settle: (isSettled: boolean) => void;
}

/**
 * Presses of the buttons that allow, accept or start something: they allow an edit, keep, undo or
 * redo changes of files, insert code, or send a request that the person has not just typed. Such a
 * press counts only if, when it began, the button had been at its place, and the page or its window
 * had had the focus, for `minPressDelay` (threats: T31). The second press of a double click never
 * counts, nor does a key that is held.
 */
class DeliberatePresses {
  readonly #buttons = new Map<Element, WatchedButton>();
  /** The press that a click may end; undefined for other presses. */
  #press: { readonly button: Element; readonly isDeliberate: boolean } | undefined;
  #pageFocusedAt = -Infinity;
  /** Undefined while another window of the machine has the focus. */
  #windowFocusedAt: number | undefined = -Infinity;
  #isLooking = false;
  #resizes: ResizeObserver | undefined;
  /** Called when a press doesn't count. */
  onHasty: () => void = () => undefined;

  /** Must be called when VS Code's window gets or loses the focus. */
  setWindowFocused(isFocused: boolean): void {
    if (isFocused) this.#windowFocusedAt ??= performance.now();
    else this.#windowFocusedAt = undefined;
  }

  /** @param settle called when the button begins or ceases to ignore presses */
  watch(button: Element, settle: (isSettled: boolean) => void): Disposable {
    const resizes = (this.#resizes ??= this.#listen());
    const watched: WatchedButton = { since: 0, place: placeOf(button), timer: undefined, settle };
    this.#buttons.set(button, watched);
    this.#restart(watched);
    for (let around = button.parentElement; around !== null; around = around.parentElement)
      resizes.observe(around);
    return {
      dispose: () => {
        clearTimeout(watched.timer);
        this.#buttons.delete(button);
        if (this.#buttons.size === 0) this.#resizes?.disconnect();
      },
    };
  }

  /**
   * True if the press that leads to this event counts; a click may have none, as those of assistive
   * technology. If it doesn't count, the time of the button begins again.
   */
  accepts(button: Element, event: UIEvent): boolean {
    const press = this.#press?.button === button ? this.#press : undefined;
    this.#press = undefined;
    const isDeliberate = press?.isDeliberate ?? this.#isDeliberate(button);
    if (isDeliberate && event.detail < 2) return true;
    const watched = this.#buttons.get(button);
    if (watched !== undefined) this.#restart(watched);
    this.onHasty();
    return false;
  }

  #isDeliberate(button: Element): boolean {
    const watched = this.#buttons.get(button);
    if (watched === undefined) return false;
    this.#look(button, watched);
    const start = performance.now() - minPressDelay;
    const hadPageFocus = document.hasFocus() && this.#pageFocusedAt <= start;
    const hadWindowFocus = this.#windowFocusedAt !== undefined && this.#windowFocusedAt <= start;
    return watched.since <= start && (hadPageFocus || hadWindowFocus);
  }

  #listen(): ResizeObserver {
    // Looks at all buttons once the layout is done: the transcript may follow its end before that.
    const look = (): void => {
      if (this.#isLooking || this.#buttons.size === 0) return;
      this.#isLooking = true;
      requestAnimationFrame(() => {
        this.#isLooking = false;
        for (const [button, watched] of this.#buttons) this.#look(button, watched);
      });
    };
    document.addEventListener('scroll', look, { capture: true, passive: true });
    window.addEventListener('resize', look);
    window.addEventListener('focus', () => (this.#pageFocusedAt = performance.now()));
    // Before the press moves the focus.
    window.addEventListener('pointerdown', (event) => this.#begin(event), true);
    window.addEventListener('keydown', (event) => this.#begin(event), true);
    return new ResizeObserver(look);
  }

  #begin(event: Event): void {
    const { target } = event;
    this.#press = undefined;
    const button = target instanceof Element ? target.closest('button') : null;
    if (button === null || !this.#buttons.has(button)) return;
    if (event instanceof KeyboardEvent) {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      if (event.repeat) event.preventDefault();
    }
    this.#press = { button, isDeliberate: this.#isDeliberate(button) };
  }

  #look(button: Element, watched: WatchedButton): void {
    const place = placeOf(button);
    if (place.every((edge, index) => Math.abs(edge - (watched.place[index] ?? 0)) <= tolerance))
      return;
    watched.place = place;
    this.#restart(watched);
  }

  #restart(watched: WatchedButton): void {
    watched.since = performance.now();
    watched.settle(false);
    watched.timer ??= setTimeout(() => this.#settle(watched), minPressDelay);
  }

  #settle(watched: WatchedButton): void {
    const left = watched.since + minPressDelay - performance.now();
    watched.timer = left > 0 ? setTimeout(() => this.#settle(watched), left) : undefined;
    if (left <= 0) watched.settle(true);
  }
}

export const deliberatePresses = new DeliberatePresses();

function placeOf(button: Element): Place {
  const { left, top, right, bottom } = button.getBoundingClientRect();
  return [left, top, right, bottom];
}

type Click = (event: TargetedMouseEvent<HTMLButtonElement>) => void;

/**
 * Attributes of a button which takes only deliberate presses. Until then it has `aria-disabled`, with
 * which it keeps the focus.
 *
 * @param meaning what it does now, in its words: another meaning is another button
 * @param isNeeded false for a button that takes every press
 */
export function useDeliberatePress(meaning: unknown, isNeeded: boolean, onClick: Click) {
  const ref = useRef<HTMLButtonElement>(null);
  const [isSettled, setSettled] = useState(!isNeeded);
  useLayoutEffect(() => {
    if (!isNeeded || ref.current === null) return undefined;
    const watching = deliberatePresses.watch(ref.current, setSettled);
    return () => watching.dispose();
  }, [meaning, isNeeded]);
  const click: Click = (event) => {
    if (!isNeeded || deliberatePresses.accepts(event.currentTarget, event)) onClick(event);
  };
  return { ref, isSettled: isSettled || !isNeeded, click };
}

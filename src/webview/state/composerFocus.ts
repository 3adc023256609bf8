import { signal, type ReadonlySignal } from '@preact/signals';

/**
 * Focus of the composer. In a page without the focus, `focus()` of an element would take
 * it from wherever the person is: a quick pick, a dialog, an editor.
 */
export class ComposerFocus {
  readonly #count = signal(0);
  /** True if the composer is to be focused once VS Code gives the focus to the page. */
  #isAwaited = false;

  /** Changes whenever the composer is to be focused. */
  readonly count: ReadonlySignal<number> = this.#count;

  /** Focuses the composer now, or when the page gets the focus. */
  request(): void {
    this.#isAwaited = !document.hasFocus();
    if (!this.#isAwaited) this.#count.value++;
  }

  /** Focuses the composer for a person who acts in a page without the focus. */
  grab(): void {
    window.focus();
    this.request();
  }

  /**
   * Notes where the focus is. The returned function focuses the composer, unless the person has left
   * the page or moved on in it.
   */
  leave(): () => void {
    const before = document.activeElement;
    return () => {
      const now = document.activeElement;
      // The focus of a removed button is that of the body.
      if (document.hasFocus() && (now === before || now === document.body)) this.request();
    };
  }

  /** The page got the focus: VS Code focuses the page, not an element of it. */
  arrive(): void {
    if (this.#isAwaited || document.activeElement === document.body) this.request();
  }

  /** The person points to the place of the focus. */
  point(): void {
    this.#isAwaited = false;
  }
}

import { signal, type ReadonlySignal } from '@preact/signals';

/**
 * Focus of the composer. In an unfocused page, `focus()` of an element would take focus from
 * wherever the person is: a quick pick, a dialog, an editor.
 */
export class ComposerFocus {
  readonly #count = signal(0);
  /** True if the composer gets focus when VS Code focuses the page. */
  #isAwaited = false;

  /** Changes whenever the composer should be focused. */
  readonly count: ReadonlySignal<number> = this.#count;

  /** Focuses the composer now, or when the page gets focus. */
  request(): void {
    this.#isAwaited = !document.hasFocus();
    if (!this.#isAwaited) this.#count.value++;
  }

  /** Focuses the composer for a person who acts in an unfocused page. */
  grab(): void {
    window.focus();
    this.request();
  }

  /**
   * Records the focused element. The returned function focuses the composer, unless the person has
   * left the page or moved on within it.
   */
  leave(): () => void {
    const before = document.activeElement;
    return () => {
      const now = document.activeElement;
      // After the focused button is removed, the body has focus.
      if (document.hasFocus() && (now === before || now === document.body)) this.request();
    };
  }

  /** Must be called when the page gets focus: VS Code focuses the page, not an element. */
  arrive(): void {
    if (this.#isAwaited || document.activeElement === document.body) this.request();
  }

  /** Must be called when the person presses a pointer, which chooses where focus goes. */
  point(): void {
    this.#isAwaited = false;
  }
}

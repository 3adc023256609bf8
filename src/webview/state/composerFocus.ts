import { signal, type ReadonlySignal } from '@preact/signals';
import type { CallName, CallParameters } from '../../protocol/rpc.ts';
import { leadBackToComposer } from '../../protocol/viewCommands.ts';

/** Calls after which the composer is focused, since the pressed button is removed. */
const focusesComposer: readonly CallName[] = [
  'stop',
  'retry',
  'retry-without-tools',
  'continue',
  'answer',
  'resume',
  'resend',
  'plan',
  'try-tools',
  'continue-in-copy',
  'reload-chat',
  'unqueue',
  'edit-queued',
  'stop-editing-queued',
  'attach-offered',
  'remove-attachment',
  'open-chat',
  'close-side-chat',
];

/** Milliseconds by which a message of a busy host may come after VS Code has focused the page. */
const arriving = 3000;

/**
 * Focus of the composer. In an unfocused page, `focus()` of an element would take focus from
 * wherever the person is: a quick pick, a dialog, an editor.
 */
export class ComposerFocus {
  readonly #count = signal(0);
  /** True if the composer gets focus when VS Code focuses the page. */
  #isAwaited = false;
  /** Time at which VS Code last focused the page. */
  #arrivedAt = -Infinity;

  /** Changes whenever the composer should be focused. */
  readonly count: ReadonlySignal<number> = this.#count;

  /** Focuses the composer now, or when the page gets focus. */
  request(): void {
    this.#isAwaited = !document.hasFocus();
    if (!this.#isAwaited) this.#count.value++;
  }

  /**
   * Focuses the composer, also if VS Code has not focused the page. If it just has, the person may
   * have moved on already.
   */
  take(): void {
    if (performance.now() - this.#arrivedAt < arriving) this.request();
    else this.grab();
  }

  /** Focuses the composer of an unfocused page. */
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

  /**
   * Must be called before a call is sent. The returned function, for one that was accepted,
   * focuses the composer if the person goes on there.
   */
  leaveFor<N extends CallName>(name: N, parameters: CallParameters[N]): () => void {
    // VS Code focuses the page, in which the composer should have focus.
    if ('command' in parameters && leadBackToComposer.includes(parameters.command)) this.request();
    if ('edited' in parameters && parameters.edited !== undefined) return () => undefined;
    // After a picker, the host focuses the page.
    if (name === 'attach') return () => this.request();
    return focusesComposer.includes(name) ? this.leave() : () => undefined;
  }

  /** Must be called when the page gets focus: VS Code focuses the page, not an element. */
  arrive(): void {
    this.#arrivedAt = performance.now();
    if (this.#isAwaited || document.activeElement === document.body) this.request();
  }

  /** Must be called when the person presses a pointer, which chooses where focus goes. */
  point(): void {
    this.#isAwaited = false;
  }
}

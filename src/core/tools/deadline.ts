import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/disposable.ts';
import { ToolError, type AskPerson, type ToolCategory, type ToolContext } from './tool.ts';

/** Ends a call that takes too long. The time in which the person decides does not count. */
export class Deadline implements Disposable {
  readonly #milliseconds: number | undefined;
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  #timer: Disposable | undefined;
  /** The context for the call, whose signal also aborts at the deadline. */
  readonly context: ToolContext;

  /** @param milliseconds undefined for a call that may take as long as the person lets it. */
  constructor(milliseconds: number | undefined, context: ToolContext, clock: Clock) {
    this.#milliseconds = milliseconds;
    this.#clock = clock;
    const signal = AbortSignal.any([context.signal, this.#ended.signal]);
    this.context = { ...context, signal, ask: this.#asking(context.ask) };
    this.#start();
  }

  /**
   * The error in words for the model, where the deadline is what it came from. Only what reads is
   * certain to have done nothing.
   */
  explain(error: unknown, category: ToolCategory): unknown {
    if (!this.#ended.signal.aborted) return error;
    const advice =
      category === 'read'
        ? 'Ask for less at once.'
        : 'It may be done all the same: look at what it changes before you go on.';
    return new ToolError(`It timed out after ${(this.#milliseconds ?? 0) / 1000} s. ${advice}`);
  }

  dispose(): void {
    this.#timer?.dispose();
  }

  #start(): void {
    if (this.#milliseconds === undefined) return;
    this.#timer = this.#clock.after(this.#milliseconds, () => this.#ended.abort());
  }

  #asking(ask: AskPerson): AskPerson {
    return async (question, answer) => {
      this.dispose();
      try {
        return await ask(question, answer);
      } finally {
        this.#start();
      }
    };
  }
}

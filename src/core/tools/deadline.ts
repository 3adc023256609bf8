import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/disposable.ts';
import { ToolError, type AskPerson, type ToolContext } from './tool.ts';

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

  /** The error in words for the model, where the deadline is what it came from. */
  explain(error: unknown): unknown {
    if (!this.#ended.signal.aborted) return error;
    return new ToolError(
      `It timed out after ${(this.#milliseconds ?? 0) / 1000} s. Ask for less at once.`,
    );
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

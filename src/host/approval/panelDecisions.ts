import type { PlannedChange } from '../../core/approval/gate.ts';
import { abortError } from '../../core/support/async.ts';

/** The decisions that the panel may make about an edit that is not protected. */
export type PanelDecision = 'once' | 'chat' | 'deny';

interface Pending {
  readonly forChat: boolean;
  readonly changes: readonly PlannedChange[];
  readonly resolve: (decision: PanelDecision) => void;
}

/**
 * The edits that wait for a decision in the panel. The view can decide only these: a decision about a
 * call that is not pending, or not any more, is refused (threats: I6, T04).
 */
export class PanelDecisions {
  readonly #pending = new Map<string, Pending>();

  /** Resolves with the person's decision; rejects when the signal aborts. */
  wait(
    call: { readonly turn: string; readonly call: string },
    { forChat, changes }: Omit<Pending, 'resolve'>,
    signal: AbortSignal,
  ): Promise<PanelDecision> {
    const key = keyOf(call.turn, call.call);
    return new Promise<PanelDecision>((resolve, reject) => {
      const stop = (): void => reject(abortError(signal));
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      this.#pending.set(key, { forChat, changes, resolve });
    }).finally(() => this.#pending.delete(key));
  }

  /** Returns whether the call was pending and the decision is allowed for it. */
  decide(turn: string, call: string, decision: PanelDecision): boolean {
    const pending = this.#pending.get(keyOf(turn, call));
    if (pending === undefined || (decision === 'chat' && !pending.forChat)) return false;
    this.#pending.delete(keyOf(turn, call));
    pending.resolve(decision);
    return true;
  }

  /** The planned changes of a pending call, for the diff. */
  changesOf(turn: string, call: string): readonly PlannedChange[] | undefined {
    return this.#pending.get(keyOf(turn, call))?.changes;
  }
}

function keyOf(turn: string, call: string): string {
  return JSON.stringify([turn, call]);
}

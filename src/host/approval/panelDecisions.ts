import { PartlyAllowed, type ResolvedChange } from '../../core/approval/gate.ts';
import { abortError } from '../../core/support/async.ts';
import { DeniedByPerson } from '../../core/support/toolError.ts';
import { Emitter } from '../../core/support/event.ts';

/** The decisions that the panel may make about an edit that is not protected. */
export type PanelDecision = 'once' | 'chat' | 'deny';

interface CallId {
  readonly turn: string;
  readonly call: string;
}

interface ProposedEdit {
  /** True if it may be allowed for the rest of the chat. */
  readonly forChat: boolean;
  readonly changes: readonly ResolvedChange[];
}

interface Pending extends ProposedEdit {
  readonly resolve: (decision: PanelDecision) => void;
  readonly reject: (error: Error) => void;
  texts?: ReviewedTexts;
}

/** Texts of the files by the model's path, as their review left them; undefined if it changed nothing. */
type ReviewedTexts = () => ReadonlyMap<string, string> | undefined;

/** What was allowed of a call, and is about to pass the gate again. */
interface AllowedPart {
  readonly decision: PanelDecision;
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * The edits that wait for a decision in the panel. The view can decide only these: a decision about a
 * call that is not pending, or not any more, is refused (threats: I6, T04).
 */
export class PanelDecisions {
  readonly #pending = new Map<string, Pending>();
  readonly #allowed = new Map<string, AllowedPart>();
  readonly #ended = new Emitter<CallId>();

  /** Fires when a call no longer waits, whatever was decided. */
  readonly onDidEnd = this.#ended.event;

  /**
   * Resolves with the person's choice; rejects when the signal aborts.
   *
   * @throws {PartlyAllowed} if only a part of the changes is allowed
   * @throws {DeniedByPerson} if it is denied with a reason
   */
  wait({ turn, call }: CallId, edit: ProposedEdit, signal: AbortSignal): Promise<PanelDecision> {
    const key = keyOfCall(turn, call);
    const allowed = this.#allowed.get(key);
    this.#allowed.delete(key);
    const isAllowed = edit.changes.every(({ path, after }) => allowed?.texts.get(path) === after);
    if (allowed !== undefined && isAllowed) return Promise.resolve(allowed.decision);
    return new Promise<PanelDecision>((resolve, reject) => {
      const stop = (): void => reject(abortError(signal));
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      this.#pending.set(key, { ...edit, resolve, reject });
    }).finally(() => {
      this.#pending.delete(key);
      this.#ended.fire({ turn, call });
    });
  }

  /**
   * Returns whether the call was pending and the decision is allowed for it.
   * @param reason why it is denied, in the person's words
   */
  decide(turn: string, call: string, decision: PanelDecision, reason = ''): boolean {
    const key = keyOfCall(turn, call);
    const pending = this.#pending.get(key);
    if (pending === undefined || (decision === 'chat' && !pending.forChat)) return false;
    this.#pending.delete(key);
    const texts = decision === 'deny' ? undefined : pending.texts?.();
    if (decision === 'deny' && reason !== '') pending.reject(new DeniedByPerson(reason));
    else if (texts === undefined) pending.resolve(decision);
    else {
      this.#allowed.set(key, { decision, texts });
      pending.reject(new PartlyAllowed(texts));
    }
    return true;
  }

  /** Limits a pending call to the texts that its review has at the moment it is allowed. */
  limit(turn: string, call: string, texts: ReviewedTexts): void {
    const pending = this.#pending.get(keyOfCall(turn, call));
    if (pending !== undefined) pending.texts = texts;
  }

  /** The planned changes of a pending call, for the diff. */
  changesOf(turn: string, call: string): readonly ResolvedChange[] | undefined {
    return this.#pending.get(keyOfCall(turn, call))?.changes;
  }
}

export function keyOfCall(turn: string, call: string): string {
  return JSON.stringify([turn, call]);
}

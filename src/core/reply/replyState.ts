import type { ServiceError } from './errors.ts';

/**
 * The state of a reply as far as it was received. Content leads to `content` from everywhere but
 * `failed`: an apparent end may turn out to be none.
 */
type State =
  /** Neither text nor reasoning nor a call was received. */
  | { readonly phase: 'nothing' }
  /** Content was received, and nothing that looks like the end. */
  | { readonly phase: 'content' }
  /** A finish reason or a likely error was received, and no content after it. */
  | {
      readonly phase: 'ended';
      readonly hasContent: boolean;
      readonly hasReason: boolean;
      readonly likelyError: ServiceError | undefined;
    }
  /** An error was received that nothing revokes. Content after it counts, but changes no state. */
  | { readonly phase: 'failed'; readonly hasContent: boolean; readonly error: ServiceError };

/** The progress of a reply from nothing to its end, and what its parts so far say about that end. */
export class ReplyState {
  #state: State = { phase: 'nothing' };
  #words = '';
  #resumptions = 0;
  #finishedEarly = false;

  get phase(): State['phase'] {
    return this.#state.phase;
  }

  /** True if a finish reason was received, and no content after it. */
  get isFinished(): boolean {
    return this.#state.phase === 'ended' && this.#state.hasReason;
  }

  get hasContent(): boolean {
    const state = this.#state;
    return 'hasContent' in state ? state.hasContent : state.phase === 'content';
  }

  /** The error of the service; a likely one counts unless content follows it. */
  get fault(): ServiceError | undefined {
    if (this.#state.phase === 'failed') return this.#state.error;
    return this.#state.phase === 'ended' ? this.#state.likelyError : undefined;
  }

  /** Words that no field explains: the reason if the reply is empty or has no end. */
  get words(): string {
    return this.#words;
  }

  /** Number of times that content came after the apparent end. */
  get resumptions(): number {
    return this.#resumptions;
  }

  /** True if content followed a finish reason: the service writes one before the end. */
  get finishedEarly(): boolean {
    return this.#finishedEarly;
  }

  addContent(): void {
    this.#words = '';
    if (this.#state.phase === 'content') return;
    if (this.#state.phase === 'failed') {
      this.#state = { ...this.#state, hasContent: true };
      return;
    }
    if (this.#state.phase === 'ended') this.#resumptions += 1;
    this.#finishedEarly ||= this.isFinished;
    this.#state = { phase: 'content' };
  }

  addFinishReason(): void {
    if (this.#state.phase !== 'failed') this.#end({ hasReason: true });
  }

  addLikelyError(likelyError: ServiceError): void {
    if (this.fault === undefined) this.#end({ likelyError });
  }

  addError(error: ServiceError): void {
    if (this.#state.phase === 'failed') return;
    this.#state = { phase: 'failed', hasContent: this.hasContent, error };
  }

  /** Adds words that may be the reason why nothing else follows. */
  addWords(words: string): void {
    if (this.#words === '') this.#words = words;
  }

  #end(end: { hasReason?: boolean; likelyError?: ServiceError }): void {
    const { hasContent, isFinished: hasReason, fault: likelyError } = this;
    this.#state = { phase: 'ended', hasContent, hasReason, likelyError, ...end };
  }
}

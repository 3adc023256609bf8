import { withoutTurn, type ConversationEvent } from '../core/conversation/events.ts';
import { contextKeys } from './contributions.ts';

/** The context keys that complete steps of the walkthrough. */
type StepKey = (typeof contextKeys)['connected' | 'askedAboutCode' | 'toolDecided'];

/**
 * Tells VS Code of the steps of the walkthrough that the person has taken, where no command and no
 * setting shows it. VS Code remembers them, so each is told once in a window and none is stored here.
 */
export class WalkthroughSteps {
  readonly #tell: (key: StepKey) => void;
  readonly #told = new Set<StepKey>();
  /** Ids of the tool calls that wait for approval. */
  readonly #asking = new Set<string>();

  /** @param tell sets a context key */
  constructor(tell: (key: StepKey) => void) {
    this.#tell = tell;
  }

  noteConnection({ kind }: { readonly kind: 'none' | 'demo' | 'service' }): void {
    if (kind !== 'none') this.#note(contextKeys.connected);
  }

  noteEvent(event: ConversationEvent): void {
    const plain = withoutTurn(event);
    if (plain.type === 'turn-start') {
      const hasCode = plain.question.attachments.some(({ text }) => text !== '');
      if (hasCode) this.#note(contextKeys.askedAboutCode);
    } else if (plain.type === 'tool-call-ask') this.#asking.add(plain.id);
    else if (plain.type === 'tool-call-run' || plain.type === 'tool-call-result') {
      const wasAsking = this.#asking.delete(plain.id);
      // A call that was stopped, or that failed while it waited, was not decided.
      const wasDecided = plain.type === 'tool-call-run' || plain.outcome === 'denied';
      if (wasAsking && wasDecided) this.#note(contextKeys.toolDecided);
    }
  }

  #note(key: StepKey): void {
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#tell(key);
  }
}

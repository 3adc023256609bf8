/** Why a call came to nothing, in words for the model: what happened and what it may do instead. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly outcome: 'failed' | 'denied';

  /** @param message is read by the model, and by the person in the open card. */
  constructor(message: string, outcome: 'failed' | 'denied' = 'failed') {
    super(message);
    this.outcome = outcome;
  }
}

/**
 * An expected failure of a tool call. Its message is for the model: the problem, and alternatives.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly outcome: 'failed' | 'denied';

  /** @param message read by the model, and by the person in the expanded tool card */
  constructor(message: string, outcome: 'failed' | 'denied' = 'failed') {
    super(message);
    this.outcome = outcome;
  }
}

/** The most characters of the reason why a call is denied. */
export const longestReason = 500;

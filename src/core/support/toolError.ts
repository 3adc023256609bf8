import { oneLine } from './text.ts';

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

/** The person denied a call, and may have said why. */
export class DeniedByPerson extends ToolError {
  /** One line, for the person and the model. */
  readonly reason: string | undefined;

  /** @param reason as typed; white space alone counts as none */
  constructor(reason = '') {
    const line = oneLine(reason, longestReason);
    super(
      line === ''
        ? 'The person denied this. Do not try it another way; ask what they would like instead.'
        : `The person denied this. Their reason: ${line}`,
      'denied',
    );
    this.reason = line === '' ? undefined : line;
  }
}

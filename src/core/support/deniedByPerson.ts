import { oneLine } from './text.ts';
import { longestReason, ToolError } from './toolError.ts';

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

import type { Remedy } from '../../core/conversation/conversation.ts';

/** An error whose message is shown to the person unchanged. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly remedy: Remedy | undefined;

  constructor(message: string, remedy?: Remedy) {
    super(message);
    this.remedy = remedy;
  }
}

/** A reply that failed. The texts for some causes name its model. */
export class FailedReply extends Error {
  override readonly name = 'FailedReply';
  readonly model: string;

  constructor(cause: unknown, model: string) {
    super('The reply failed', { cause });
    this.model = model;
  }
}

/** An error whose message is written for the person, and is shown as it is. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** An answer that failed. Some words about its cause name the model that was asked. */
export class FailedReply extends Error {
  override readonly name = 'FailedReply';
  readonly model: string;

  constructor(cause: unknown, model: string) {
    super('The reply failed', { cause });
    this.model = model;
  }
}

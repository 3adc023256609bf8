/** An error whose message is written for the person, and is shown as it is. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** An answer that failed. Some words about its cause name the model that was asked. */
export class FailedAnswer extends Error {
  override readonly name = 'FailedAnswer';
  readonly model: string;

  constructor(cause: unknown, model: string) {
    super('The answer failed', { cause });
    this.model = model;
  }
}

/** An error whose message is written for the person, and is shown as it is. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** One message of a prompt as the cache compares it. */
export interface CountedMessage {
  readonly json: string;
  readonly tokens: number;
}

const kept = 16;

/**
 * Remembers the last prompts of an owner (a key with a model) and finds how much of a new one is
 * the beginning of an earlier one. Whole messages count, as a client grows its history by them.
 */
export class PromptCache {
  readonly #prompts = new Map<string, readonly (readonly CountedMessage[])[]>();

  /** Tokens at the start of the prompt that were there before; then remembers the prompt. */
  use(owner: string, prompt: readonly CountedMessage[]): number {
    const earlier = this.#prompts.get(owner) ?? [];
    this.#prompts.set(owner, [...earlier.slice(1 - kept), prompt]);
    return Math.max(0, ...earlier.map((one) => commonTokens(one, prompt)));
  }
}

function commonTokens(first: readonly CountedMessage[], second: readonly CountedMessage[]): number {
  let tokens = 0;
  for (const [index, message] of second.entries()) {
    if (first[index]?.json !== message.json) break;
    tokens += message.tokens;
  }
  return tokens;
}

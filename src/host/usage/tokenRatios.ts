import * as z from 'zod/mini';
import type { Memento } from '../memento.ts';

const stateKey = 'aside.charactersPerToken';
const ratio = z.number().check(z.minimum(1), z.maximum(10));
const stored = z.array(z.tuple([z.string(), ratio]));

/** The ratio of English prose and code, for a model without replies. */
const usual = 4;
const modelCount = 50;
/** The weight of a new reply, so that one unusual text does not change the ratio much. */
const weight = 0.3;
/** In shorter texts, the tokens around each message distort the ratio. */
const minTokens = 20;

/**
 * How many characters a token of a model has, learned from replies that report their tokens, to
 * estimate those that do not.
 */
export class TokenRatios {
  readonly #state: Memento;

  constructor(state: Memento) {
    this.#state = state;
  }

  estimateTokens(model: string, characters: number): number {
    return Math.ceil(characters / this.#ratioOf(model));
  }

  /** Learns from text of so many characters (UTF-16 units) that the service counted as tokens. */
  async learn(model: string, characters: number, tokens: number): Promise<void> {
    if (tokens < minTokens || characters === 0) return;
    const seen = Math.min(10, Math.max(1, characters / tokens));
    const known = this.#all().find(([id]) => id === model)?.[1];
    const ratio = known === undefined ? seen : known + weight * (seen - known);
    const others = this.#all().filter(([id]) => id !== model);
    await this.#state.update(stateKey, [[model, ratio], ...others].slice(0, modelCount));
  }

  #ratioOf(model: string): number {
    return this.#all().find(([id]) => id === model)?.[1] ?? usual;
  }

  #all(): [string, number][] {
    return stored.safeParse(this.#state.get(stateKey)).data ?? [];
  }
}

import * as z from 'zod/mini';
import { usualRatio } from '../../core/conversation/usage.ts';
import { background } from '../../core/support/background.ts';
import type { ModelKeys } from '../../core/service/modelReference.ts';
import type { TokenKind } from '../../core/service/requestUsage.ts';
import type { Memento } from '../platform/memento.ts';

const stateKey = 'aside.tokenRatios';

const modelCount = 50;
/** Weight of a new text relative to earlier ones: `least` for a short, `most` for a long one. */
const weights = { least: 0.3, most: 0.8 };
/** Number of tokens of a text with half the weight. */
const halfWeight = 500;
/** Minimum tokens of a text to learn from: tokens around each message distort shorter ones. */
const minTokens = 20;
/** Minimum assumed error of an estimate, as a factor. */
const minError = 1.1;

/** Characters per token. */
const ratio = z.number().check(z.minimum(1), z.maximum(10));

const knownModel = z.object({
  prompt: z.optional(ratio),
  reply: z.optional(ratio),
  /** The largest ratio of a prompt's actual to its estimated tokens. */
  error: z.number().check(z.minimum(minError), z.maximum(10)),
});
type KnownModel = z.infer<typeof knownModel>;

/** Models by their keys, those that learned last first. */
const stored = z.array(z.tuple([z.string(), knownModel]));

export interface TokenEstimates {
  estimate(model: string, characters: number, kind: TokenKind): number;
  /** The factor by which a prompt's actual tokens may exceed their estimate. */
  margin(model: string): number;
}

/**
 * Characters per token of each model, learned from replies with reported tokens, to estimate
 * others.
 */
export class TokenRatios implements TokenEstimates {
  readonly #state: Memento;
  readonly #keysOf: (model: string) => ModelKeys;
  /** The stored value, parsed once, since each piece of a reply within a budget is estimated. */
  #parsed: ReadonlyMap<string, KnownModel> = new Map();
  #parsedFrom: unknown;

  /** @param keysOf the keys of a written model id, which stay when another service is current */
  constructor(state: Memento, keysOf = (model: string) => ({ own: model, general: model })) {
    this.#state = state;
    this.#keysOf = keysOf;
  }

  estimate(model: string, characters: number, kind: TokenKind): number {
    const known = this.#find(model);
    const other = kind === 'prompt' ? known?.reply : known?.prompt;
    return Math.ceil(characters / (known?.[kind] ?? other ?? usualRatio));
  }

  margin(model: string): number {
    return this.#find(model)?.error ?? minError;
  }

  /**
   * Learns from a text whose tokens the service reported.
   *
   * @param characters UTF-16 units
   */
  learn(model: string, characters: number, tokens: number, kind: TokenKind): void {
    if (tokens < minTokens || characters === 0) return;
    const measured = Math.min(10, Math.max(1, characters / tokens));
    const known = this.#find(model) ?? { error: minError };
    const before = known[kind];
    // Most of a long prompt is part of the next one, too.
    const share = tokens / (tokens + halfWeight);
    const weight = Math.min(weights.most, Math.max(weights.least, share));
    const learned = before === undefined ? measured : before + weight * (measured - before);
    // The first report about a model can't tell how reliable a learned ratio is.
    const missed = kind === 'prompt' && before !== undefined ? Math.min(10, before / measured) : 1;
    const error = Math.max(known.error, missed);
    const { own } = this.#keysOf(model);
    const others = [...this.#models].filter(([key]) => key !== own);
    const newest = [[own, { ...known, [kind]: learned, error }], ...others].slice(0, modelCount);
    // VS Code's state has the value at once, even if writing it fails.
    background(this.#state.update(stateKey, newest));
  }

  #find(model: string): KnownModel | undefined {
    const { own, general } = this.#keysOf(model);
    return this.#models.get(own) ?? this.#models.get(general);
  }

  get #models(): ReadonlyMap<string, KnownModel> {
    const from = this.#state.get(stateKey);
    if (from !== this.#parsedFrom) this.#parsed = new Map(stored.safeParse(from).data);
    this.#parsedFrom = from;
    return this.#parsed;
  }
}

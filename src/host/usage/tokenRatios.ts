import * as z from 'zod/mini';
import { usualRatio } from '../../core/conversation/usage.ts';
import { report } from '../../core/support/background.ts';
import type { ModelKeys } from '../../core/service/modelReference.ts';
import type { TokenKind } from '../../core/service/requestUsage.ts';
import type { Memento } from '../memento.ts';

const stateKey = 'aside.tokenRatios';

/** Characters per token. */
const ratio = z.number().check(z.minimum(1), z.maximum(10));

const knownModel = z.object({
  prompt: z.optional(ratio),
  reply: z.optional(ratio),
  /** The largest ratio of a prompt's actual to its estimated tokens. */
  error: z.number().check(z.minimum(1), z.maximum(10)),
});
type KnownModel = z.infer<typeof knownModel>;

const stored = z.array(z.tuple([z.string(), knownModel]));

const modelCount = 50;
/**
 * Weight of a new text relative to earlier ones: `least` for a short one, `most` for a long one.
 */
const weights = { least: 0.3, most: 0.8 };
/** Number of tokens of a text with half the weight. */
const halfWeight = 500;
/** Minimum tokens of a text to learn from: tokens around each message distort shorter ones. */
const minTokens = 20;
/** Minimum assumed error of an estimate, as a factor. */
const minError = 1.1;

export interface TokenEstimates {
  estimate(model: string, characters: number, kind: TokenKind): number;
  /** The factor by which a prompt's actual tokens may exceed their estimate. */
  margin(model: string): number;
}

function unkeyed(model: string): ModelKeys {
  return { own: model, general: model };
}

/**
 * Characters per token of each model, learned from replies with reported tokens, to estimate
 * others.
 */
export class TokenRatios implements TokenEstimates {
  readonly #state: Memento;
  readonly #keysOf: (model: string) => ModelKeys;
  /** Ratios learned in this window since its last write. */
  readonly #learned = new Map<string, KnownModel>();
  #writing: Promise<void> = Promise.resolve();
  /** The stored value, parsed once, since each piece of a reply within a budget is estimated. */
  #parsed: { readonly from: unknown; readonly ratios: readonly [string, KnownModel][] } | undefined;

  /** @param keysOf the keys of a written model id, which stay when another service is current */
  constructor(state: Memento, keysOf: (model: string) => ModelKeys = unkeyed) {
    this.#state = state;
    this.#keysOf = keysOf;
  }

  estimate(model: string, characters: number, kind: TokenKind): number {
    return Math.ceil(characters / this.#ratioOf(model, kind));
  }

  margin(model: string): number {
    return Math.max(minError, this.#find(model)?.error ?? minError);
  }

  /**
   * Learns from a text whose tokens the service reported. Resolves when that is stored.
   *
   * @param characters UTF-16 units
   */
  learn(model: string, characters: number, tokens: number, kind: TokenKind): Promise<void> {
    if (tokens < minTokens || characters === 0) return this.#writing;
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
    this.#learned.set(this.#keysOf(model).own, { ...known, [kind]: learned, error });
    // Writes run sequentially, each adding to the stored value.
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Writes learned ratios. After a failure, the next write includes them. */
  async #write(): Promise<void> {
    if (this.#learned.size === 0) return;
    const newest = [...this.#learned].reverse();
    const others = this.#all().filter(([model]) => !this.#learned.has(model));
    try {
      await this.#state.update(stateKey, [...newest, ...others].slice(0, modelCount));
      for (const [model, known] of newest) {
        if (this.#learned.get(model) === known) this.#learned.delete(model);
      }
    } catch (error) {
      // The next write retries. Until then, only this window has the learned ratios.
      report(error);
    }
  }

  #ratioOf(model: string, kind: TokenKind): number {
    const known = this.#find(model);
    const other = kind === 'prompt' ? known?.reply : known?.prompt;
    return known?.[kind] ?? other ?? usualRatio;
  }

  #find(model: string): KnownModel | undefined {
    const { own, general } = this.#keysOf(model);
    const stored = (key: string): KnownModel | undefined =>
      this.#all().find(([id]) => id === key)?.[1];
    return this.#learned.get(own) ?? stored(own) ?? stored(general);
  }

  #all(): readonly [string, KnownModel][] {
    const from = this.#state.get(stateKey);
    if (this.#parsed === undefined || this.#parsed.from !== from) {
      this.#parsed = { from, ratios: stored.safeParse(from).data ?? [] };
    }
    return this.#parsed.ratios;
  }
}

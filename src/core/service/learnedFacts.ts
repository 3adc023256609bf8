import * as z from 'zod/mini';
import { Emitter, type Disposable } from '../support/event.ts';
import { isTokenCount, refusableOptions } from './modelFacts.ts';
import { ServiceError } from './errors.ts';

const limit = z.optional(z.int().check(z.minimum(1)));

/** Details of a model that are stored until the person clears them. */
const storedDetails = z.object({
  /** The maximum tokens of a request and its reply together. */
  contextWindow: limit,
  /** The maximum tokens of a reply. */
  maxOutput: limit,
  /** Options that it refused in a request that it accepted without them. */
  refused: z.optional(z.array(z.enum(refusableOptions))),
  /** True if it refused a request with tools and accepted the same request without. */
  withoutTools: z.optional(z.boolean()),
  /**
   * The rounds that are sent with their traces: those since the last user message, or of the whole
   * chat; `refused` for none.
   */
  trace: z.optional(z.enum(['turn', 'chat', 'refused'])),
});
const storedModels = z.array(z.tuple([z.string(), storedDetails]));

/** Details of a model learned from its replies and errors. A person can see and clear them. */
export type LearnedDetails = z.infer<typeof storedDetails>;

/** How a model replies. Stored until the window closes. */
interface LimitFacts {
  /** The `max_tokens` that it accepted after it had refused a larger one. */
  readonly acceptedLimit?: number | undefined;
  /** True if it refuses any `max_tokens`. */
  readonly refusesLimit?: boolean | undefined;
  /** True if its last limited reply stopped at the limit. */
  readonly keepsLimit?: boolean | undefined;
  /** True if it reported reasoning that it did not show, false if it showed its reasoning. */
  readonly hidesReasoning?: boolean | undefined;
}

/**
 * How a service's streams behave. Stored until the window closes. The interface says that usage is
 * usually included (docs/service.md 4.1, rule 3). Only after a stream without usage is it requested
 * with the OpenAI standard's `stream_options`, until the service refuses that.
 */
interface StreamFacts {
  readonly usage?: 'ask' | 'refused' | undefined;
  /** True if content followed a finish reason, which then doesn't mark the end. */
  readonly finishesEarly?: boolean | undefined;
}

/** Everything learned about a model and its service. Absent facts are unknown. */
export interface LearnedFacts extends LearnedDetails, LimitFacts, StreamFacts {}

interface FactStorage {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** The details that are compared by value. */
const detailNames = ['contextWindow', 'maxOutput', 'withoutTools', 'trace'] as const;

const key = 'aside.learnedLimits:';
/** Maximum number of models of one service with stored details. */
const maxModels = 100;

/**
 * Stores facts about models and services, by the id of the service, learned from replies and
 * errors.
 */
export class LearnedFactStore implements Disposable {
  readonly #storage: FactStorage;
  readonly #limits = new Map<string, LimitFacts>();
  readonly #streams = new Map<string, StreamFacts>();
  readonly #changed = new Emitter<string>();

  /** Fires with the id of the service when details of a model were learned or cleared. */
  readonly onDidChange = this.#changed.event;

  /** @param storage by default, details last until the window closes */
  constructor(storage = memoryStorage()) {
    this.#storage = storage;
  }

  /** All facts about a model, by its id at the service. */
  of(service: string, model: string): LearnedFacts {
    return {
      ...this.details(service, model),
      ...this.#limits.get(keyOf(service, model)),
      ...this.#streams.get(service),
    };
  }

  details(service: string, model: string): LearnedDetails {
    return this.models(service).find(([id]) => id === model)?.[1] ?? {};
  }

  /** The models of a service with stored details, most recent first. */
  models(service: string): readonly (readonly [model: string, details: LearnedDetails])[] {
    return storedModels.safeParse(this.#storage.get(key + service)).data ?? [];
  }

  /** The models that refuse any `max_tokens`. */
  withoutLimit(): readonly (readonly [service: string, model: string])[] {
    return [...this.#limits].flatMap(([key, { refusesLimit }]) => {
      const [service = '', ...model] = key.split(' ');
      return refusesLimit === true ? [[service, model.join(' ')] as const] : [];
    });
  }

  /** Merges facts into the known ones. Resolves when they are stored. */
  async learn(service: string, model: string, facts: LearnedFacts): Promise<void> {
    const before = this.of(service, model);
    const limitKey = keyOf(service, model);
    this.#limits.set(limitKey, {
      acceptedLimit: facts.refusesLimit ? undefined : (facts.acceptedLimit ?? before.acceptedLimit),
      refusesLimit: facts.refusesLimit ?? before.refusesLimit,
      keepsLimit: facts.keepsLimit ?? before.keepsLimit,
      hidesReasoning: facts.hidesReasoning ?? before.hidesReasoning,
    });
    this.#streams.set(service, {
      usage: facts.usage ?? before.usage,
      finishesEarly: facts.finishesEarly ?? before.finishesEarly,
    });
    const refused = [...new Set([...(before.refused ?? []), ...(facts.refused ?? [])])];
    const details = {
      contextWindow: facts.contextWindow ?? before.contextWindow,
      maxOutput: facts.maxOutput ?? before.maxOutput,
      refused: refused.length === 0 ? undefined : refused,
      withoutTools: facts.withoutTools ?? before.withoutTools,
      trace: facts.trace ?? before.trace,
    } satisfies LearnedDetails;
    const isNew = refused.length > (before.refused?.length ?? 0);
    if (!isNew && detailNames.every((name) => details[name] === before[name])) return;
    await this.#store(service, [[model, details], ...this.#without(service, model)]);
  }

  async forget(service: string, model: string): Promise<void> {
    this.#limits.delete(keyOf(service, model));
    await this.#store(service, this.#without(service, model));
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #without(service: string, model: string): (readonly [string, LearnedDetails])[] {
    return this.models(service).filter(([id]) => id !== model);
  }

  async #store(
    service: string,
    models: readonly (readonly [string, LearnedDetails])[],
  ): Promise<void> {
    await this.#storage.update(key + service, models.slice(0, maxModels));
    this.#changed.fire(service);
  }
}

function memoryStorage(): FactStorage {
  const values = new Map<string, unknown>();
  return {
    get: (name) => values.get(name),
    update(name, value) {
      values.set(name, value);
      return Promise.resolve();
    },
  };
}

function keyOf(service: string, model: string): string {
  return `${service} ${model}`;
}

/** A number of tokens: `8192`, `8,192`. */
const tokens = String.raw`(\d{1,3}(?:,\d{3})+|\d{3,9})`;

/** Phrases before or after the number, in errors that state the context window. */
const windowWords = [
  String.raw`exceeds? (?:the )?(?:maximum )?context (?:length|window|size|limit):? .{0,60}> ${tokens}`,
  String.raw`(?:maximum|max|total) context (?:length|window|size)(?: of this model)?(?: is| of|:)? (?:only )?${tokens}`,
  String.raw`context (?:length|window|size|limit)(?: is| of|:)? (?:only )?${tokens}`,
  String.raw`context (?:length|window|size|limit)\D{0,40}\(${tokens} tokens\)`,
  String.raw`too long: \d{3,9} tokens > ${tokens}`,
  String.raw`maximum (?:number of tokens )?allowed \(${tokens}\)`,
].map((words) => new RegExp(words, 'i'));

const outputWords = [
  String.raw`supports at most ${tokens} completion tokens`,
  String.raw`max_(?:completion_)?tokens\W{0,3} ?(?:must|should|has to|cannot|can't|may not)[a-z ]{0,40}(?:to|than|exceed|most|<=) ${tokens}`,
  String.raw`max_(?:completion_)?tokens\W{0,3} ?\(?\d{3,9}\)? ?(?:>|is greater than|exceeds)[a-z ]{0,40} ?\(?${tokens}`,
  String.raw`maximum (?:allowed )?(?:number of )?(?:output|completion) tokens[^\d\n]{0,40}${tokens}`,
  String.raw`range of max_(?:completion_)?tokens is \[\d{1,9}, ?${tokens}\]`,
].map((words) => new RegExp(words, 'i'));

/** Number of characters that are searched, from the start. */
const mostRead = 2000;

/** The limits of a model that a refusal states (docs/service.md 7); others are absent. */
export function limitsIn(error: unknown): LearnedDetails {
  if (!(error instanceof ServiceError)) return {};
  const text = (error.detail ?? '').slice(0, mostRead);
  const maxOutput = error.kind === 'bad-request' ? numberIn(text, outputWords) : undefined;
  const contextWindow = error.kind === 'context-exceeded' ? numberIn(text, windowWords) : undefined;
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
  };
}

function numberIn(text: string, patterns: readonly RegExp[]): number | undefined {
  return patterns
    .map((pattern) => Number(pattern.exec(text)?.[1]?.replaceAll(',', '')))
    .find(isTokenCount);
}

/**
 * What models refuse, and how a request is sent then: one list of adaptations, each of which learns
 * a fact from an error and applies that fact to a request.
 */
import { lettersOf, ServiceError } from '../reply/errors.ts';
import { limitsIn, type LearnedFacts } from './learnedFacts.ts';
import { refusableOptions, type RefusedOption } from './modelFacts.ts';
import type { CompletionRequest } from './wire.ts';

/** A request that was refused. */
interface Refusal {
  /** The request as it was sent. */
  readonly request: CompletionRequest;
  readonly error: unknown;
  /** True if a budget set the limit of the reply, so that it may be another one. */
  readonly isLimited: boolean;
}

interface Adaptation {
  /** The fact that explains a refusal; undefined if it has another reason. */
  readonly learn: (refusal: Refusal) => LearnedFacts | undefined;
  /** The request as a model takes it; the same object if nothing changes. */
  readonly apply: (request: CompletionRequest, facts: LearnedFacts) => CompletionRequest;
}

/** Number of reply tokens that every model accepts as a limit. */
const usualLimit = 4096;

/** An option that the model can do without: it isn't sent, or by another name. */
const refusedOptions: Adaptation = {
  learn({ request, error }) {
    const option = refusedOption(error, request);
    return option && { refused: [option] };
  },
  apply: (request, { refused = [] }) => withoutRefused(request, refused),
};

/** A smaller limit of the reply. The service usually names the number that it accepts. */
const smallerLimit: Adaptation = {
  learn({ request, error, isLimited }) {
    const limit = limitOf(request);
    const detail = refusalOfLimit(error);
    if (!isLimited || limit === undefined || limit <= usualLimit || detail === undefined)
      return undefined;
    const numbers = [...detail.matchAll(/\d{4,9}/g)].map(([digits]) => Number(digits));
    const accepted = numbers.filter((number) => number < limit && number >= usualLimit);
    // No smaller number helps where the option itself is refused.
    if (accepted.length === 0 && isRefusal(error)) return undefined;
    return { ...limitsIn(error), acceptedLimit: Math.max(usualLimit, ...accepted) };
  },
  apply(request, { acceptedLimit = Infinity }) {
    const { max_tokens, max_completion_tokens } = request;
    if ((limitOf(request) ?? 0) <= acceptedLimit) return request;
    return {
      ...request,
      ...(max_tokens === undefined ? {} : { max_tokens: acceptedLimit }),
      ...(max_completion_tokens === undefined ? {} : { max_completion_tokens: acceptedLimit }),
    };
  },
};

/** No limit of the reply, for a model that takes none of any size. */
const noLimit: Adaptation = {
  learn({ request, error, isLimited }) {
    if (!isLimited || limitOf(request) === undefined || refusalOfLimit(error) === undefined)
      return undefined;
    return isRefusal(error) ? { ...limitsIn(error), refusesLimit: true } : undefined;
  },
  apply(request, { refusesLimit = false }) {
    const { max_tokens, max_completion_tokens, ...unlimited } = request;
    const isLimited = max_tokens !== undefined || max_completion_tokens !== undefined;
    return refusesLimit && isLimited ? unlimited : request;
  },
};

/**
 * Usage at the end of a stream, which is requested only where it did not come. Whatever a request
 * with this undocumented option is refused for, it is sent once without.
 */
const streamUsage: Adaptation = {
  learn({ request, error }) {
    if (request.stream_options === undefined || !isBadRequest(error)) return undefined;
    return { usage: 'refused' };
  },
  apply(request, { usage }) {
    const { stream_options, ...others } = request;
    if (usage === 'refused') return stream_options === undefined ? request : others;
    if (usage === undefined || request.stream !== true || stream_options !== undefined)
      return request;
    return { ...request, stream_options: { include_usage: true } };
  },
};

/** The first that learns something from a refusal is tried, so the last one may be a guess. */
const adaptations: readonly Adaptation[] = [refusedOptions, smallerLimit, noLimit, streamUsage];

/** The request as a model takes it of which these facts are known. */
export function adaptRequest(request: CompletionRequest, facts: LearnedFacts): CompletionRequest {
  return adaptations.reduce((adapted, { apply }) => apply(adapted, facts), request);
}

interface AdaptedRequestOptions {
  /** The facts about the model that apply to the request. */
  readonly facts: LearnedFacts;
  /** True if a budget set the limit of the reply. */
  readonly isLimited: boolean;
}

/** A request that is adapted to its model as often as it is refused for a known reason. */
export class AdaptedRequest {
  readonly #original: CompletionRequest;
  readonly #options: AdaptedRequestOptions;
  #learned: LearnedFacts = {};
  #request: CompletionRequest;

  constructor(original: CompletionRequest, options: AdaptedRequestOptions) {
    this.#original = original;
    this.#options = options;
    this.#request = adaptRequest(original, options.facts);
  }

  /** The request to send now. */
  get request(): CompletionRequest {
    return this.#request;
  }

  /** The facts that its errors revealed. They hold once the request is accepted. */
  get learned(): LearnedFacts {
    return this.#learned;
  }

  /** Adapts the request to an error; false if that is about something else. */
  adapt(error: unknown): boolean {
    const { facts, isLimited } = this.#options;
    const refusal = { request: this.#request, error, isLimited };
    for (const { learn } of adaptations) {
      const fact = learn(refusal);
      if (fact === undefined) continue;
      const refused = [...(this.#learned.refused ?? []), ...(fact.refused ?? [])];
      const learned = { ...this.#learned, ...fact, ...(refused.length > 0 && { refused }) };
      const all = [...(facts.refused ?? []), ...refused];
      const next = adaptRequest(this.#original, { ...facts, ...learned, refused: all });
      if (JSON.stringify(next) === JSON.stringify(this.#request)) continue;
      this.#learned = learned;
      this.#request = next;
      return true;
    }
    return false;
  }
}

/** The request without the options that its model refuses; the same object if that changes nothing. */
function withoutRefused(
  request: CompletionRequest,
  refused: readonly RefusedOption[],
): CompletionRequest {
  if (refused.every((name) => request[name] === undefined)) return request;
  const { temperature, top_p, stop, max_tokens, ...others } = request;
  const isSent = (name: RefusedOption): boolean =>
    request[name] !== undefined && !refused.includes(name);
  const isRenamed = max_tokens !== undefined && !isSent('max_tokens');
  return {
    ...others,
    ...(isSent('max_tokens') ? { max_tokens } : {}),
    ...(isRenamed ? { max_completion_tokens: max_tokens } : {}),
    ...(isSent('temperature') ? { temperature } : {}),
    ...(isSent('top_p') ? { top_p } : {}),
    ...(isSent('stop') ? { stop } : {}),
  };
}

/** Words of a refusal that is about the option itself and not about its value. */
const refusal =
  /\bunsupported\b|\b(?:not|n't) (?:be )?(?:supported|permitted|allowed|accepted|recognized)\b|\b(?:doesn't|does not|do not|don't) support\b|\bun(?:recognized|known|expected)\b|\bdeprecated\b|\bonly the default\b|\bboth (?:be )?(?:specified|set|used)\b|\bonly one\b/i;

/** Codes of the services for the same, see {@link lettersOf}. */
const refusalCodes = ['unsupportedparameter', 'unsupportedvalue', 'extraforbidden'];

function isBadRequest(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.kind === 'bad-request';
}

/** True if an error is about an option itself, and not about its value. */
function isRefusal(error: unknown): error is ServiceError {
  if (!isBadRequest(error)) return false;
  return refusal.test(error.detail ?? '') || refusalCodes.includes(lettersOf(error.code));
}

/**
 * The option that a service refuses in the words of its error; undefined if they are about
 * something else, for example a value that is out of range.
 */
function refusedOption(error: unknown, request: CompletionRequest): RefusedOption | undefined {
  if (!isRefusal(error)) return undefined;
  const { detail = '', parameter } = error;
  const sent = refusableOptions.filter((name) => request[name] !== undefined);
  const named = sent.filter((name) => parameter === name || isNamed(name, detail));
  // If two options exclude each other, the interface's own default is closer without `top_p`.
  const option = named.includes('top_p') ? 'top_p' : named[0];
  const isRenamed = option !== 'max_tokens' || detail.includes('max_completion_tokens');
  return isRenamed ? option : undefined;
}

/** `stop` is also a word, so it counts only in quotes. */
function isNamed(name: RefusedOption, detail: string): boolean {
  const pattern = name === 'stop' ? '[\'"`]stop[\'"`]' : String.raw`\b${name}\b`;
  return new RegExp(pattern).test(detail);
}

/** The limit of the reply, by either of its names. */
export function limitOf(request: CompletionRequest): number | undefined {
  return request.max_tokens ?? request.max_completion_tokens;
}

/** The words of an error that is about `max_tokens`: also where a prompt leaves no room for as many. */
function refusalOfLimit(error: unknown): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const detail = (error.detail ?? '').slice(0, 2000);
  const isOfLimit = /max_(completion_)?tokens/.test(detail) || error.parameter === 'max_tokens';
  if (error.kind === 'bad-request') return isOfLimit ? detail : undefined;
  const isTooLong = error.kind === 'context-exceeded' && /max_|completion|output/i.test(detail);
  return isTooLong ? detail : undefined;
}

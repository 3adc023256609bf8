/**
 * Adapts requests to models that refuse them. Each adaptation learns a fact from an error, and
 * applies it to later requests.
 */
import type { Completion } from './completion.ts';
import { lettersOf, ServiceError } from './errors.ts';
import { standardReason } from './replyEnd.ts';
import { limitsIn, type LearnedFacts } from './learnedFacts.ts';
import { traceCharacters } from './requestExtras.ts';
import { refusableChatOptions, type RefusedOption } from './modelFacts.ts';
import type { CompletionRequest } from './wire.ts';

interface Refusal {
  readonly request: CompletionRequest;
  readonly error: unknown;
  /** True if a budget set the limit of the reply, which may then differ from the person's. */
  readonly isLimited: boolean;
  /** True if whoever sends the request needs its tools. */
  readonly keepsTools: boolean;
}

interface Adaptation {
  /** The fact that explains a refusal; undefined if the reason is another one. */
  readonly learn: (refusal: Refusal) => LearnedFacts | undefined;
  /** The request in a form that the model accepts; the same object if nothing changes. */
  readonly apply: (request: CompletionRequest, facts: LearnedFacts) => CompletionRequest;
}

/** Number of reply tokens that every model accepts as a limit. */
const usualLimit = 4096;

const refusedOptions: Adaptation = {
  /** Not from an error with another reason, for example a value that is out of range. */
  learn({ request, error }) {
    if (!isRefusal(error)) return undefined;
    const { detail = '', parameter } = error;
    const named = refusableChatOptions.filter((name) => {
      // `stop` is also a word, so it counts only in quotes.
      const pattern = name === 'stop' ? '[\'"`]stop[\'"`]' : String.raw`\b${name}\b`;
      return (
        request[name] !== undefined && (parameter === name || new RegExp(pattern).test(detail))
      );
    });
    // If two options exclude each other, the interface's own default is closer without `top_p`.
    const option = named.includes('top_p') ? 'top_p' : named[0];
    // Otherwise the limit is refused by any name, see `noLimit`.
    const isRenamed = option !== 'max_tokens' || detail.includes('max_completion_tokens');
    return option !== undefined && isRenamed ? { refused: [option] } : undefined;
  },
  apply(request, { refused = [] }) {
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
  },
};

/** Omits the effort for a model that refuses it, whether the option or its value. */
const noEffort: Adaptation = {
  learn({ request, error }) {
    if (request.reasoning_effort === undefined || !isBadRequest(error)) return undefined;
    const { detail = '', parameter = detail.slice(0, 2000) } = error;
    return effortNames.test(parameter) ? { refused: ['reasoning_effort'] } : undefined;
  },
  apply(request, { refused = [] }) {
    const { reasoning_effort, ...others } = request;
    const isRefused = reasoning_effort !== undefined && refused.includes('reasoning_effort');
    return isRefused ? others : request;
  },
};

/** Names of the effort in errors; services translate it for their models. */
const effortNames =
  /\breasoning[_. ]?effort\b|\bthinking(?:[_ ]\w{1,9})? is not supported|not support thinking\b/i;

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

/** Omits the limit of the reply for a model that refuses any limit. */
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
 * Sends the traces of earlier rounds once the service asks for them: those since the last user
 * message, or of the whole chat where that isn't enough.
 */
const sentTraces: Adaptation = {
  learn({ request, error }) {
    if (!isBadRequest(error)) return undefined;
    const detail = (error.detail ?? '').slice(0, 2000);
    if (traceRequirements.some((words) => words.test(detail))) {
      const sent = traceCharacters(request, request.trace);
      const range = traceRanges.find((wider) => traceCharacters(request, wider) > sent);
      return range && { trace: range };
    }
    const isRefused =
      traceNames.test(`${detail} ${error.parameter ?? ''}`) &&
      (isRefusal(error) ||
        /\b(?:should|must|may|can) ?not be (?:included|passed|sent)/i.test(detail));
    return request.trace && isRefused ? { trace: 'refused' } : undefined;
  },
  apply: (request, { trace }) =>
    trace === undefined || trace === 'refused' ? request : { ...request, trace },
};

const traceRanges = ['turn', 'chat'] as const;

/** Words of a refusal that wants a trace back. */
const traceRequirements = [
  /reasoning.{0,80} must (?:also )?be (?:passed|sent|returned|provided|included)/is,
  /missing (?:an? |the |its )?[`'"]?(?:thought_?signature|reasoning)/i,
  /(?:thought_?signature|reasoning\w{0,20})[`'"]? (?:field )?(?:is |are |was )?(?:missing|required)/i,
  /without its required [`'"]?reasoning/i,
  /expected [`'"]?thinking|must start with a thinking block|signature: field required/i,
];
const traceNames = /reasoning|thinking_blocks|extra_content|signature|encrypted_content/i;

/**
 * Omits the tools for a model that refuses them: any refusal whose text names tools or functions is
 * answered by one further request without them, unless it is about one tool, one call or a result.
 */
const noTools: Adaptation = {
  learn({ request, error, keepsTools }) {
    if (request.tools === undefined || keepsTools || !isBadRequest(error)) return undefined;
    const text = `${(error.detail ?? '').slice(0, 2000)} ${error.parameter ?? ''}`;
    const isRefused = toolNames.test(text) && !aboutOneTool.test(`${text} ${error.code ?? ''}`);
    return isRefused ? { withoutTools: true } : undefined;
  },
  apply(request, { withoutTools = false }) {
    const { tools, tool_choice, ...others } = request;
    const isSent = tools !== undefined || tool_choice !== undefined;
    return withoutTools && isSent ? others : request;
  },
};

const toolNames = /(?<![a-z])(?:tools?|functions?)(?![a-z])|工具|函数调用/i;
const aboutOneTool =
  /\b(?:tools?|functions?)\W{0,2}[[.]\W{0,2}\d|\bschema\b|(?<![a-z])(?:tool|function)[ _]?(?:call[ _]?)?(?:names?|ids?|arguments?|results?|responses?|messages?|outputs?|parameters?)(?![a-z])|\brole\b|\btool_calls?\W{1,3}(?:must|should|that|in|of|with)\b|\b(?:followed|preceding|previous|duplicate|unique|too many|too long|at most|maximum|exceeds?)\b|\bfailed to (?:call|parse|generate|validate)\b|\bnot call a\b|tool_?use_?failed|signature/i;

/**
 * Requests usage at the end of a stream once a stream came without it. The option is undocumented:
 * any refusal of a request with it is tried once without.
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

/** The first adaptation that learns from a refusal is tried. The last one may be a guess. */
const adaptations: readonly Adaptation[] = [
  refusedOptions,
  noEffort,
  smallerLimit,
  noLimit,
  sentTraces,
  noTools,
  streamUsage,
];

/** Applies known facts about its model to a request. */
export function adaptRequest(request: CompletionRequest, facts: LearnedFacts): CompletionRequest {
  return adaptations.reduce((adapted, { apply }) => apply(adapted, facts), request);
}

/**
 * Maximum number of times that one request is adapted and sent again: a service that accepts less
 * each time would be asked without end.
 */
export const maxAdaptations = 4;

/** A request that is adapted to its model each time it is refused for a known reason. */
export class AdaptedRequest {
  readonly #original: CompletionRequest;
  readonly #facts: LearnedFacts;
  readonly #isLimited: boolean;
  readonly #keepsTools: boolean;
  #learned: LearnedFacts = {};
  #request: CompletionRequest;
  /** The requests so far: none is sent again, whatever a service contradicts itself in. */
  readonly #sent = new Set<string>();

  /**
   * @param facts those about the model that apply to the request
   * @param isLimited true if a budget set the limit of the reply
   * @param keepsTools true if whoever sends the request needs its tools
   */
  constructor(
    original: CompletionRequest,
    facts: LearnedFacts = {},
    isLimited = false,
    keepsTools = false,
  ) {
    this.#original = original;
    this.#facts = facts;
    this.#isLimited = isLimited;
    this.#keepsTools = keepsTools;
    this.#request = adaptRequest(original, facts);
  }

  get request(): CompletionRequest {
    return this.#request;
  }

  /** Facts from its errors. They are confirmed when the request is accepted. */
  get learned(): LearnedFacts {
    return this.#learned;
  }

  /** Adapts the request to an error; false if the error has another reason. */
  adapt(error: unknown): boolean {
    if (this.#sent.size >= maxAdaptations) return false;
    const refusal = {
      request: this.#request,
      error,
      isLimited: this.#isLimited,
      keepsTools: this.#keepsTools,
    };
    for (const { learn } of adaptations) {
      const fact = learn(refusal);
      if (fact === undefined) continue;
      const refused = [...(this.#learned.refused ?? []), ...(fact.refused ?? [])];
      const learned = { ...this.#learned, ...fact, ...(refused.length > 0 && { refused }) };
      const all = [...(this.#facts.refused ?? []), ...refused];
      const next = adaptRequest(this.#original, { ...this.#facts, ...learned, refused: all });
      this.#sent.add(JSON.stringify(this.#request));
      if (this.#sent.has(JSON.stringify(next))) continue;
      this.#learned = learned;
      this.#request = next;
      return true;
    }
    return false;
  }

  /** All facts that the accepted request and its reply reveal. */
  factsAfter({ usage, finishReason, fault }: Completion, showsReasoning: boolean): LearnedFacts {
    const isWithoutUsage =
      this.#request.stream === true && fault === undefined && usage === undefined;
    const limit = limitOf(this.#request);
    const isCounted = usage !== undefined && !usage.estimated && limit !== undefined;
    const isLonger = isCounted && usage.completion_tokens > limit;
    const isCut = isCounted && standardReason(finishReason) === 'length';
    const isHidden = (usage?.reasoning_tokens ?? 0) > 0 || undefined;
    return {
      ...this.#learned,
      ...(isWithoutUsage && this.#facts.usage === undefined ? { usage: 'ask' } : {}),
      ...(isLonger || isCut ? { keepsLimit: !isLonger } : {}),
      hidesReasoning: showsReasoning ? false : isHidden,
    };
  }
}

/** Phrases that refuse the option itself, or all of its values but one. */
const refusals = [
  /\bunsupported\b|\b(?:not|n't) (?:be )?(?:supported|permitted|allowed|accepted|recognized)\b|\b(?:doesn't|does not|do not|don't) support\b|\bun(?:recognized|known|expected)\b|\bdeprecated\b|\bonly the default\b|\bboth (?:be )?(?:specified|set|used)\b|\bonly one\b/i,
  /\bonly (?:the )?(?:value )?(?:of )?\d+(?:\.\d+)? (?:is|are) (?:allowed|supported|accepted|permitted|valid)\b/i,
  /\b(?:may|can|must|should) only be (?:set to )?\d|\bmust be (?:set to |equal to |exactly )?1(?:\.0)?\b(?! ?(?:or|and|to)\b)/i,
  /\b(?:cannot|can't|may not|must not) (?:both )?be (?:set|given|specified|used|provided|passed|modified|changed|combined)\b/i,
];

/** Error codes that refuse an option itself: see {@link lettersOf}. */
const refusalCodes = ['unsupportedparameter', 'unsupportedvalue', 'extraforbidden'];

function isBadRequest(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.kind === 'bad-request';
}

/** True if an error refuses an option itself, not its value. */
function isRefusal(error: unknown): error is ServiceError {
  if (!isBadRequest(error)) return false;
  const { detail = '' } = error;
  return (
    refusals.some((words) => words.test(detail)) || refusalCodes.includes(lettersOf(error.code))
  );
}

/** The limit of the reply, by either of its names. */
function limitOf(request: CompletionRequest): number | undefined {
  return request.max_tokens ?? request.max_completion_tokens;
}

/** The text of an error about `max_tokens`, including prompts that leave too little room for it. */
function refusalOfLimit(error: unknown): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const detail = (error.detail ?? '').slice(0, 2000);
  const isOfLimit = /max_(completion_)?tokens/.test(detail) || error.parameter === 'max_tokens';
  if (error.kind === 'bad-request') return isOfLimit ? detail : undefined;
  const isTooLong = error.kind === 'context-exceeded' && /max_|completion|output/i.test(detail);
  return isTooLong ? detail : undefined;
}

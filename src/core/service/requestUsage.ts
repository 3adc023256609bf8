import {
  addUsage,
  withCost,
  zeroUsage,
  type PriceThen,
  type Usage,
} from '../conversation/usage.ts';
import type { Completion } from './completion.ts';
import { ServiceError } from './errors.ts';
import type { Chunk } from './replyAccumulator.ts';
import { traceCharacters } from './requestExtras.ts';
import { networkCause } from './retry.ts';
import type { CompletionRequest, WireMessage } from './wire.ts';
import { imageCharacters, readImageUrl } from '../support/image.ts';

/** Prompts and replies differ in characters per token. */
export type TokenKind = 'prompt' | 'reply';

/** Estimates tokens that a service does not report. */
export interface TokenMeter {
  /** @param characters UTF-16 units */
  estimate(model: string, characters: number, kind: TokenKind): number;
  /** Records the actual number of tokens of a text, to improve later estimates. */
  learn(model: string, characters: number, tokens: number, kind: TokenKind): void;
}

/** A meter with the usual ratio, which learns nothing. */
export const plainMeter: TokenMeter = {
  estimate: (_, characters) => Math.ceil(characters / 4),
  learn: () => undefined,
};

/** How a request ended: `cut` during its reply, `failed` before it. */
export type RequestOutcome = 'finished' | 'stopped' | 'cut' | 'failed';

/** A request that was admitted, until its end. */
export interface Admission {
  readonly request: CompletionRequest;
  /** True if a budget set the limit of its reply. */
  readonly isLimited: boolean;
  /** Estimated tokens at which the reply is cut off. */
  readonly maxTokens: number;
  /**
   * Tokens that count for the reply of a model that hides its reasoning, if it is cut: what the
   * model thought until then is billed, and nobody knows how much it was. 0 for other models.
   */
  readonly hiddenTokens: number;
  exceeded(): Error;
  /** Resolves when the chat is stored with the usage so far. Awaited before another attempt. */
  untilSaved(): Promise<void>;
  /**
   * Starts to record what was received, and resolves when it is recorded; undefined if too little
   * is new. May be called again while an earlier record is being written.
   */
  note(): Promise<void> | undefined;
  /** Called once at the end. */
  end(usage: Usage, outcome: RequestOutcome): void;
}

/** Admits any request, without a limit. */
export function admitAny(request: CompletionRequest): Promise<Admission> {
  return Promise.resolve({
    request,
    isLimited: false,
    maxTokens: Infinity,
    hiddenTokens: 0,
    exceeded: () => new Error('The reply has no limit'),
    untilSaved: () => Promise.resolve(),
    note: () => undefined,
    end: () => undefined,
  });
}

/**
 * Most characters per token of a text that people or models write. A report of fewer tokens than
 * this allows is too low, and is raised: a budget can't rely on what the service says alone.
 */
const mostCharactersPerToken = 10;

/**
 * Counts the usage of one request over all its attempts. A request counts from the moment it is
 * sent, by an estimate, until the service reports its usage or refuses it.
 */
export class RequestUsage {
  readonly #model: string;
  readonly #meter: TokenMeter;
  readonly #price: PriceThen | undefined;
  /** Number of characters of the prompt, and of its text: services may ignore images and traces. */
  readonly #sent: number;
  readonly #sentText: number;
  readonly #images: number;
  /** Usage of earlier attempts: those that broke after they were sent, and refused ones. */
  #broken: Usage = zeroUsage;
  #isSent = true;
  #characters = 0;
  #showsReasoning = false;

  /** @param price of the model now; undefined if it is unknown */
  constructor(request: CompletionRequest, meter: TokenMeter, price?: PriceThen) {
    const images = request.messages.flatMap(imagesOf);
    this.#model = request.model;
    this.#meter = meter;
    this.#price = price;
    this.#sent = promptCharacters(request);
    const ofTraces = traceCharacters(request, request.trace);
    const ofImages = images.reduce((sum, url) => sum + charactersOfImage(url), 0);
    this.#sentText = this.#sent - ofTraces - ofImages;
    this.#images = images.length;
  }

  /** Number of characters (UTF-16 units) received: text, reasoning and arguments of calls. */
  get characters(): number {
    return this.#characters;
  }

  /** True if an interrupted attempt may be billed. */
  get isBroken(): boolean {
    return (this.#broken.retried_tokens ?? 0) > 0;
  }

  /** True if reasoning was received in this request. */
  get showsReasoning(): boolean {
    return this.#showsReasoning;
  }

  /** Estimated tokens of the reply so far. */
  get replyTokens(): number {
    return this.#meter.estimate(this.#model, this.#characters, 'reply');
  }

  get estimated(): Usage {
    return addUsage(this.#broken, this.#estimate());
  }

  /** Counts a refused request, which costs nothing but is a request, if another one follows it. */
  countRefused(): void {
    const refused = { ...zeroUsage, requests: 1, cost: 0, billed: 0 };
    this.#broken = addUsage(this.#broken, refused);
  }

  /** Counts a failed attempt, which may be billed if nothing says that it wasn't processed. */
  countFailed(error: ServiceError): void {
    if (mayBeBilled(error)) {
      const { estimated } = this;
      this.#broken = { ...estimated, retried_tokens: estimated.total_tokens };
    }
    this.#isSent = false;
  }

  sendAgain(): void {
    this.#isSent = true;
  }

  /** Counts a piece of the reply. */
  receive(chunk: Chunk): void {
    this.#showsReasoning ||= chunk.type === 'reasoning';
    this.#characters += chunk.text.length;
  }

  /**
   * The usage with the reply, whose calls count too. A reply that is only an error costs nothing.
   *
   * @param hidden tokens that count for reasoning that isn't shown, where the reply is cut
   */
  ofCompletion({ usage, fault, toolCalls }: Completion, hidden = 0): Usage {
    for (const call of toolCalls) this.#characters += call.arguments.length;
    if (fault === undefined && usage !== undefined) {
      const prompt = Math.ceil(this.#sentText / mostCharactersPerToken);
      const reply = Math.ceil(this.#characters / mostCharactersPerToken);
      return addUsage(this.#broken, this.#priced(atLeast(usage, prompt, reply)));
    }
    const isOnlyError = fault?.kind === 'in-stream' && this.#characters === 0;
    if (isOnlyError && usage === undefined) return this.#broken;
    return this.#ofCut(usage, hidden);
  }

  /** The usage after the client threw; zero if nothing was sent or everything was refused. */
  ofFailure(error: unknown, isAborted: boolean, hidden = 0): Usage {
    const isBilled = isAborted ? this.#isSent : this.#isSent && mayBeBilled(error);
    return this.#characters > 0 || isBilled ? this.#ofCut(undefined, hidden) : this.#broken;
  }

  /** Improves the meter with the reported usage, unless it is implausible. */
  teach({ usage }: Completion): void {
    if (usage === undefined || usage.estimated) return;
    const { prompt_tokens, completion_tokens } = usage;
    // The tokens of an image say nothing about text.
    if (this.#images === 0 && prompt_tokens * mostCharactersPerToken >= this.#sentText)
      this.#meter.learn(this.#model, this.#sent, prompt_tokens, 'prompt');
    if (completion_tokens * mostCharactersPerToken >= this.#characters)
      this.#meter.learn(this.#model, this.#characters, completion_tokens, 'reply');
  }

  /** Of a request that did not end, the larger of report and estimate counts. */
  #ofCut(reported: Usage | undefined, hidden: number): Usage {
    const estimate = this.#estimate();
    const { prompt_tokens, completion_tokens } = estimate;
    const reply = Math.max(completion_tokens, this.#showsReasoning ? 0 : hidden);
    const usage = this.#priced(atLeast(reported ?? estimate, prompt_tokens, reply));
    return addUsage(this.#broken, usage);
  }

  #estimate(): Usage {
    const prompt_tokens = this.#meter.estimate(this.#model, this.#sent, 'prompt');
    const completion_tokens = this.replyTokens;
    const total_tokens = prompt_tokens + completion_tokens;
    const counts = { prompt_tokens, completion_tokens, total_tokens };
    return this.#priced({ ...counts, cached_tokens: 0, requests: 1, estimated: true });
  }

  #priced(usage: Usage): Usage {
    return withCost(usage, this.#price, this.#images);
  }
}

/** The usage with at least these tokens, as an estimate where they are more than reported. */
function atLeast(usage: Usage, prompt: number, reply: number): Usage {
  if (usage.prompt_tokens >= prompt && usage.completion_tokens >= reply) return usage;
  const prompt_tokens = Math.max(usage.prompt_tokens, prompt);
  const completion_tokens = Math.max(usage.completion_tokens, reply);
  const total_tokens = prompt_tokens + completion_tokens;
  return { ...usage, prompt_tokens, completion_tokens, total_tokens, estimated: true };
}

/**
 * True if the service may have processed a request although nothing of a reply was received: it was
 * sent, and neither a status nor a failed connection rules that out.
 */
function mayBeBilled(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.status !== undefined) return false;
  if (error.kind === 'network') return networkCause(error) === 'broken';
  return ['timeout', 'cut', 'no-reply', 'unreadable'].includes(error.kind);
}

/**
 * Number of characters (UTF-16 units) that the model reads. An image counts as the text with about
 * as many tokens.
 */
export function promptCharacters(request: CompletionRequest): number {
  const tools = request.tools === undefined ? 0 : JSON.stringify(request.tools).length;
  return request.messages.reduce(
    (sum, message) => sum + charactersOf(message),
    tools + traceCharacters(request, request.trace),
  );
}

/** Number of characters of a message, counted as in {@link promptCharacters}. */
export function charactersOf(message: WireMessage): number {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  const images = imagesOf(message).reduce((sum, url) => sum + charactersOfImage(url), 0);
  return calls.reduce(
    (sum, { function: called }) => sum + called.name.length + called.arguments.length,
    (message.content?.length ?? 0) + images,
  );
}

/** Number of characters of the JSON of a message; an image counts as in {@link promptCharacters}. */
export function wireLength(message: WireMessage): number {
  if (message.role !== 'user')
    return JSON.stringify(message, (name, value: unknown) => (name === 'trace' ? undefined : value))
      .length;
  const { images = [], ...text } = message;
  return images.reduce((sum, url) => sum + charactersOfImage(url), JSON.stringify(text).length);
}

function imagesOf(message: WireMessage): readonly string[] {
  return message.role === 'user' ? (message.images ?? []) : [];
}

/** Number of characters that {@link promptCharacters} counts for an image with this data URL. */
export function charactersOfImage(url: string): number {
  return imageCharacters(readImageUrl(url));
}

/** What a request shares with the last one of its chat: that part the service may have cached. */
export interface SharedBeginning {
  /** Characters (UTF-16 units) from the start, in the order tools, instructions, messages. */
  readonly characters: number;
  /** What differs before the newest message; absent if the chat only grew. */
  readonly changed?: 'tools' | 'instructions' | 'messages';
}

/** Compares a request with the last one, which went to the same model. */
export function sharedBeginning(last: CompletionRequest, next: CompletionRequest): SharedBeginning {
  const tools = JSON.stringify(next.tools ?? []);
  if (tools !== JSON.stringify(last.tools ?? [])) return { characters: 0, changed: 'tools' };
  let characters = next.tools === undefined ? 0 : tools.length;
  for (const [index, message] of next.messages.entries()) {
    const before = last.messages[index];
    // Comparing equal texts first makes the rare comparison of everything cheap.
    const isSame =
      before !== undefined &&
      before.role === message.role &&
      before.content === message.content &&
      JSON.stringify({ ...before, content: '' }) === JSON.stringify({ ...message, content: '' });
    if (isSame) {
      characters += charactersOf(message);
      continue;
    }
    if (index === 0 && message.role === 'system') return { characters, changed: 'instructions' };
    const isNewest = before === undefined || index === next.messages.length - 1;
    return isNewest ? { characters } : { characters, changed: 'messages' };
  }
  return { characters };
}

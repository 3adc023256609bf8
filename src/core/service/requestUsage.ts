import { addUsage, zeroUsage, type Usage } from '../conversation/usage.ts';
import type { CompletionEvent } from './client.ts';
import type { Completion } from '../reply/completion.ts';
import { ServiceError } from '../reply/errors.ts';
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

/**
 * Counts the usage of one request over all its attempts. A request counts from the moment it is
 * sent, by an estimate, until the service reports its usage or refuses it.
 */
export class RequestUsage {
  readonly #model: string;
  /** Number of characters of the prompt. */
  readonly #sent: number;
  readonly #hasImages: boolean;
  readonly #meter: TokenMeter;
  /** Usage of earlier attempts that broke after they were sent. */
  #broken: Usage = zeroUsage;
  #isSent = true;
  #characters = 0;

  constructor(request: CompletionRequest, meter: TokenMeter) {
    this.#model = request.model;
    this.#sent = promptCharacters(request);
    this.#hasImages = request.messages.some((message) => imagesOf(message).length > 0);
    this.#meter = meter;
  }

  /** Number of characters (UTF-16 units) received: text, reasoning and arguments of calls. */
  get characters(): number {
    return this.#characters;
  }

  /** True if an interrupted attempt may be billed. */
  get isBroken(): boolean {
    return this.#broken.requests > 0;
  }

  /** Estimated tokens of the reply so far. */
  get replyTokens(): number {
    return this.#meter.estimate(this.#model, this.#characters, 'reply');
  }

  get estimated(): Usage {
    const prompt_tokens = this.#meter.estimate(this.#model, this.#sent, 'prompt');
    const completion_tokens = this.replyTokens;
    const total_tokens = prompt_tokens + completion_tokens;
    const counts = { prompt_tokens, completion_tokens, total_tokens };
    const usage = { ...counts, cached_tokens: 0, requests: 1, estimated: true };
    return addUsage(this.#broken, usage);
  }

  /** Must be called for each event of the client, in order. */
  observe(event: CompletionEvent): void {
    switch (event.type) {
      case 'retry':
        if (mayBeBilled(event.error)) this.#broken = this.estimated;
        this.#isSent = false;
        break;
      case 'attempt':
        this.#isSent = true;
        break;
      case 'reasoning':
      case 'text':
        this.#characters += event.text.length;
        break;
      case 'end':
        for (const call of event.completion.toolCalls) this.#characters += call.arguments.length;
        break;
      case 'sent':
      case 'usage':
        break;
    }
  }

  /** The usage after the `end` event. A reply that is only an error costs nothing. */
  ofCompletion({ usage, fault }: Completion): Usage {
    if (usage !== undefined) return addUsage(this.#broken, usage);
    const isOnlyError = fault?.kind === 'in-stream' && this.#characters === 0;
    return isOnlyError ? this.#broken : this.estimated;
  }

  /** The usage after the client threw; zero if nothing was sent or everything was refused. */
  ofFailure(error: unknown, isAborted: boolean): Usage {
    const isBilled = isAborted ? this.#isSent : this.#isSent && mayBeBilled(error);
    return this.#characters > 0 || isBilled ? this.estimated : this.#broken;
  }

  /** Improves the meter with the reported usage. */
  teach({ usage }: Completion): void {
    if (usage === undefined || usage.estimated) return;
    // The tokens of an image say nothing about text.
    if (!this.#hasImages) this.#meter.learn(this.#model, this.#sent, usage.prompt_tokens, 'prompt');
    this.#meter.learn(this.#model, this.#characters, usage.completion_tokens, 'reply');
  }
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

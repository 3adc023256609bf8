import { turnText, type Turn, type TurnError } from '../conversation/conversation.ts';
import type { ConversationEvent, TurnEnd } from '../conversation/events.ts';
import type { Usage } from '../conversation/usage.ts';
import type { Client } from '../service/client.ts';
import type { Completion } from '../service/completion.ts';
import { ServiceError } from '../service/errors.ts';
import { beforeReply } from '../service/replyEnd.ts';
import type { CompletionRequest, WireMessage } from '../service/wire.ts';
import { monotonicWallClock, type Clock } from '../support/clock.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { withUniqueIds } from './runCalls.ts';
import { ThinkSplitter, type TextSegment } from './thinkSplitter.ts';

/** What a request and its reply need. */
export interface ReplyOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly meter: TokenMeter;
  readonly signal: AbortSignal;
  /** Describes an error for the person, with a remedy. */
  readonly describe: (error: unknown) => TurnError;
}

/** Estimates tokens that a service does not report. */
export interface TokenMeter {
  estimate(model: string, characters: number): number;
  /** Records the actual number of tokens of a text, to improve later estimates. */
  learn(model: string, characters: number, tokens: number): void;
}

/** Converts the reply to one request of a turn into events, including the end of the turn. */
export class ReplyEvents {
  readonly #options: ReplyOptions;
  readonly #turn: Pick<Turn, 'parts'>;
  readonly #splitter = new ThinkSplitter();
  readonly #now: () => number;
  #characters = 0;
  /** Whether more than white space was received. */
  readonly #received = { text: false, reasoning: false };
  /** The last attempt failed before anything of a reply was received, so it costs nothing. */
  refused = false;

  /** @param turn as it was when the request was sent */
  constructor(options: ReplyOptions, turn: Pick<Turn, 'parts'>) {
    this.#options = options;
    this.#turn = turn;
    this.#now = monotonicWallClock(options.clock);
  }

  reasoning(text: string): ConversationEvent {
    this.#characters += text.length;
    this.#received.reasoning ||= text.trim() !== '';
    return { type: 'reasoning-delta', text, at: this.#now() };
  }

  *text(text: string): Generator<ConversationEvent, void> {
    this.#characters += text.length;
    yield* this.#deltas(this.#splitter.push(text));
  }

  /** Events for a reply that was read to its end, whether regular or not. */
  *read(completion: Completion, request: CompletionRequest): Generator<ConversationEvent, void> {
    yield* this.#deltas(this.#splitter.end());
    for (const call of completion.toolCalls) this.#characters += call.arguments.length;
    yield { type: 'usage', usage: this.#usage(completion, request) };
  }

  /**
   * Events that end the turn with this reply. Its calls are shown but not run.
   * @param toolbox undefined if the turn has no tools
   */
  *end(
    completion: Completion,
    toolbox?: Pick<Toolbox, 'appearance'>,
  ): Generator<ConversationEvent, void> {
    for (const call of withUniqueIds(completion.toolCalls, this.#turn)) {
      const shown = toolbox?.appearance(call.name);
      yield { type: 'tool-call-end', call: { ...call, ...shown, outcome: 'denied' } };
    }
    yield this.#endOf(completion);
  }

  /** Events after an interruption: the person stopped the turn, or the request failed. */
  *broken(
    error: unknown,
    request: CompletionRequest | undefined,
  ): Generator<ConversationEvent, void> {
    const { signal } = this.#options;
    yield* this.#deltas(this.#splitter.end());
    const isPaid = this.#characters > 0 || (signal.aborted && !this.refused);
    if (request !== undefined && isPaid) {
      yield { type: 'usage', usage: this.#estimate(request) };
    }
    if (signal.aborted) yield this.#turnEnd({ status: 'stopped' });
    else yield this.#failure(error, request?.tools !== undefined);
  }

  *#deltas(pieces: readonly TextSegment[]): Generator<ConversationEvent, void> {
    const at = this.#now();
    for (const { type, text } of pieces) {
      this.#received[type] ||= text.trim() !== '';
      yield type === 'text'
        ? { type: 'text-delta', text, at }
        : { type: 'reasoning-delta', text, at };
    }
  }

  #endOf(completion: Completion): TurnEnd {
    const { finishReason, fault, malformedEvents } = completion;
    if (fault !== undefined) return { ...this.#failure(fault), finishReason };
    if (this.#isEmpty(completion)) {
      const { host } = this.#options.client.address;
      const error = new ServiceError('empty-reply', 'The reply was empty', { host });
      return { ...this.#failure(error), finishReason };
    }
    const damage = malformedEvents === 0 ? {} : { malformedEvents };
    return this.#turnEnd({ status: 'finished', finishReason, ...damage });
  }

  /**
   * Whether the reply is empty; reasoning alone does not count. A continuation may have nothing to
   * add, and a limit or a filter (section 2.2) is reported separately.
   */
  #isEmpty({ toolCalls, finishReason }: Completion): boolean {
    if (this.#received.text || toolCalls.length > 0) return false;
    if (finishReason === 'length' || finishReason === 'content_filter') return false;
    // Calls that the finish reason announces are missing even if there is text.
    const isMissing = finishReason === undefined || /_calls?$/.test(finishReason);
    return isMissing || turnText(this.#turn).trim() === '';
  }

  #failure(error: unknown, hadTools = false): TurnEnd {
    const isPartlyReceived =
      this.#received.text || this.#received.reasoning || this.#turn.parts.length > 0;
    const status = isPartlyReceived ? 'cut' : 'failed';
    const isUnseen = status === 'failed' && error instanceof ServiceError;
    const described = this.#options.describe(isUnseen ? beforeReply(error) : error);
    const isForTools = hadTools && error instanceof ServiceError && error.kind === 'bad-request';
    return this.#turnEnd({
      status,
      error: isForTools ? { ...described, remedy: 'without-tools' } : described,
    });
  }

  #turnEnd(end: Omit<TurnEnd, 'type' | 'at'>): TurnEnd {
    return { type: 'turn-end', ...end, at: this.#now() };
  }

  #usage(completion: Completion, request: CompletionRequest): Usage {
    const { usage } = completion;
    if (usage === undefined) return this.#estimate(request);
    const { meter } = this.#options;
    meter.learn(request.model, promptCharacters(request), usage.prompt_tokens);
    meter.learn(request.model, this.#characters, usage.completion_tokens);
    return usage;
  }

  #estimate(request: CompletionRequest): Usage {
    const { meter } = this.#options;
    const prompt_tokens = meter.estimate(request.model, promptCharacters(request));
    const completion_tokens = meter.estimate(request.model, this.#characters);
    const total_tokens = prompt_tokens + completion_tokens;
    const counts = { prompt_tokens, completion_tokens, total_tokens };
    return { ...counts, cached_tokens: 0, requests: 1, estimated: true };
  }
}

/** Number of characters (UTF-16 units) of everything that the model reads. */
export function promptCharacters(request: CompletionRequest): number {
  const tools = request.tools === undefined ? 0 : JSON.stringify(request.tools).length;
  return request.messages.reduce((sum, message) => sum + charactersOf(message), tools);
}

function charactersOf(message: WireMessage): number {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return calls.reduce(
    (sum, { function: called }) => sum + called.name.length + called.arguments.length,
    message.content?.length ?? 0,
  );
}

/**
 * Sends a request, yields the events of the reply, and returns its completion.
 *
 * @throws what the client throws: nothing of a reply was received, or the signal aborted
 */
export async function* streamReply(
  request: CompletionRequest,
  reply: ReplyEvents,
  { client, clock, signal, describe }: ReplyOptions,
): AsyncGenerator<ConversationEvent, Completion> {
  for await (const event of client.stream(request, signal)) {
    switch (event.type) {
      case 'retry': {
        const { attempt, attempts, delay } = event;
        const resumeAt = clock.wall() + delay;
        const error = describe(event.error);
        reply.refused = true;
        yield { type: 'request-retry', retry: { attempt, attempts, resumeAt, error } };
        break;
      }
      case 'attempt':
        reply.refused = false;
        yield { type: 'request-start' };
        break;
      case 'reasoning':
        yield reply.reasoning(event.text);
        break;
      case 'text':
        yield* reply.text(event.text);
        break;
      case 'end':
        return event.completion;
    }
  }
  const { host } = client.address;
  throw new ServiceError('cut', 'The reply has no end', { host });
}

/**
 * Sends one request outside any conversation: yields the events of a turn with one request,
 * including its end. Never throws: errors and an aborted signal are reported by the `turn-end`
 * event.
 */
export async function* requestOnce(
  request: CompletionRequest,
  options: ReplyOptions,
): AsyncGenerator<ConversationEvent, void> {
  const reply = new ReplyEvents(options, { parts: [] });
  try {
    const completion = yield* streamReply(request, reply, options);
    yield* reply.read(completion, request);
    yield* reply.end(completion);
  } catch (error) {
    yield* reply.broken(error, request);
  }
}

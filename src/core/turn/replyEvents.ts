import { turnText, type Part, type TurnError } from '../conversation/conversation.ts';
import type { TurnEvent, TurnEnd } from '../conversation/events.ts';
import type { Usage } from '../conversation/usage.ts';
import type { Client } from '../service/client.ts';
import type { Completion } from '../service/completion.ts';
import { ServiceError } from '../service/errors.ts';
import { beforeReply, standardReason } from '../service/replyEnd.ts';
import { ThinkSplitter, type ReplySegment } from '../service/thinkSplitter.ts';
import type { ToolCall } from '../service/toolCallAssembler.ts';
import type { CompletionRequest } from '../service/wire.ts';
import { monotonicWallClock, type Clock } from '../support/clock.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { withUniqueIds } from './runCalls.ts';

export interface ReplyOptions {
  /** Must be metered: usage is recorded only from its usage events. */
  readonly client: Client;
  readonly clock: Clock;
  /** Clock of the event times. Requests of one turn share it; the default is a new one. */
  readonly now?: (() => number) | undefined;
  readonly signal: AbortSignal;
  /** Describes an error for the person, with a remedy. */
  readonly describe: (error: unknown) => TurnError;
}

/** Converts the reply to one request of a turn into events, including the end of the turn. */
export class ReplyEvents {
  readonly #options: ReplyOptions;
  readonly #parts: readonly Part[];
  readonly #splitter = new ThinkSplitter();
  readonly #now: () => number;
  /** True once more than white space was received. */
  readonly #received = { text: false, reasoning: false };
  /** The text of this reply so far. */
  #text: { length: number; readonly startedAt: number } | undefined;
  #usage: Usage | undefined;

  /** @param parts of the turn when the request was sent */
  constructor(options: ReplyOptions, parts: readonly Part[] = []) {
    this.#options = options;
    this.#parts = parts;
    this.#now = options.now ?? monotonicWallClock(options.clock);
  }

  /**
   * Sends the request, yields the events of the reply, and returns its completion.
   *
   * @throws what the client throws: nothing of a reply was received, or the signal aborted
   */
  async *stream(request: CompletionRequest): AsyncGenerator<TurnEvent, Completion> {
    const { client, clock, signal, describe } = this.#options;
    for await (const event of client.stream(request, signal)) {
      switch (event.type) {
        case 'sent':
          // The request is sent once this event has been handled.
          yield { type: 'request-sent', usage: event.usage };
          break;
        case 'usage':
          this.#usage = event.usage;
          break;
        case 'retry': {
          const { attempt, attempts, delay, toolsRefused } = event;
          const resumeAt = clock.wall() + delay;
          const retry = { attempt, attempts, resumeAt, error: describe(event.error) };
          yield { type: 'request-retry', retry, ...(toolsRefused === true && { toolsRefused }) };
          break;
        }
        case 'attempt':
          yield { type: 'request-start' };
          break;
        case 'reasoning':
          yield* this.#deltas([event]);
          break;
        case 'text':
          yield* this.#deltas(this.#splitter.push(event.text));
          break;
        case 'end':
          return event.completion;
      }
    }
    throw new ServiceError('cut', 'The reply has no end', { host: client.address.host });
  }

  /** Events for a reply that was read to its end, even if it is incomplete. */
  *read(): Generator<TurnEvent, void> {
    yield* this.#deltas(this.#splitter.end());
    const usage = this.#usage;
    this.#usage = undefined;
    if (usage !== undefined) yield { type: 'usage', usage };
  }

  /**
   * Events that end the turn with this reply. Its calls are shown but not run.
   * @param toolbox undefined if the turn has no tools
   */
  *end(completion: Completion, toolbox?: Toolbox): Generator<TurnEvent, void> {
    for (const call of withUniqueIds(completion.toolCalls, this.#parts)) {
      const appearance = toolbox?.appearance(call.name);
      yield { type: 'tool-call-end', call: { ...call, ...appearance, outcome: 'denied' } };
    }
    const { fault, malformedEvents, toolCalls } = completion;
    const finishReason = standardReason(completion.finishReason);
    if (fault !== undefined) yield { ...this.#failure(fault), finishReason };
    else if (this.#isEmpty(toolCalls, finishReason)) {
      const { host } = this.#options.client.address;
      const error = new ServiceError('empty-reply', 'The reply was empty', { host });
      yield { ...this.#failure(error), finishReason };
    } else {
      const damage = malformedEvents === 0 ? {} : { malformedEvents };
      yield this.#turnEnd({ status: 'finished', finishReason, ...damage });
    }
  }

  /** Events after an interruption: the person stopped the turn, or the request failed. */
  *broken(error: unknown, request: CompletionRequest | undefined): Generator<TurnEvent, void> {
    yield* this.read();
    if (this.#options.signal.aborted) yield this.#turnEnd({ status: 'stopped' });
    else yield this.#failure(error, request?.tools !== undefined);
  }

  *#deltas(segments: readonly ReplySegment[]): Generator<TurnEvent, void> {
    const at = this.#now();
    for (const segment of segments) {
      if (segment.type === 'thought-end') {
        if (this.#text === undefined) continue;
        // The text so far was reasoning.
        yield { type: 'text-to-reasoning', ...this.#text, at };
        this.#text = undefined;
        this.#received.reasoning ||= this.#received.text;
        this.#received.text = false;
        continue;
      }
      const { type, text } = segment;
      this.#received[type] ||= text.trim() !== '';
      if (type === 'text') {
        this.#text ??= { length: 0, startedAt: at };
        this.#text.length += text.length;
        yield { type: 'text-delta', text, at };
      } else yield { type: 'reasoning-delta', text, at };
    }
  }

  /**
   * True if the reply is empty; reasoning alone does not count. A continuation may have nothing to
   * add, and a limit or a filter (docs/service.md 2.2) is reported separately.
   */
  #isEmpty(toolCalls: readonly ToolCall[], finishReason: string | undefined): boolean {
    if (this.#received.text || toolCalls.length > 0) return false;
    if (finishReason === 'length' || finishReason === 'content_filter') return false;
    // Calls that the finish reason announces are missing even if there is text.
    const isMissing = finishReason === undefined || /_calls?$/.test(finishReason);
    return isMissing || turnText({ parts: this.#parts }).trim() === '';
  }

  #failure(error: unknown, hadTools = false): TurnEnd {
    const isPartlyReceived =
      this.#received.text || this.#received.reasoning || this.#parts.length > 0;
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
}

/**
 * Sends one request outside any conversation: yields the events of a turn with one request,
 * including its end. Never throws: errors and an aborted signal are reported by the `turn-end`
 * event.
 */
export async function* requestOnce(
  request: CompletionRequest,
  options: ReplyOptions,
): AsyncGenerator<TurnEvent, void> {
  const reply = new ReplyEvents(options);
  try {
    const completion = yield* reply.stream(request);
    yield* reply.read();
    yield* reply.end(completion);
  } catch (error) {
    yield* reply.broken(error, request);
  }
}

import {
  runningTurn,
  type Conversation,
  type Pause,
  type Turn,
  roundsOfTurn,
} from '../conversation/conversation.ts';
import type { TurnEvent } from '../conversation/events.ts';
import { isComplete } from '../reply/completion.ts';
import type { ToolCall } from '../reply/toolCallAssembler.ts';
import type { CompletionRequest } from '../service/wire.ts';
import { raceAbort } from '../support/async.ts';
import { monotonicWallClock } from '../support/clock.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { chosenTools } from './sentTurns.ts';
import { buildRequest, type PromptSettings } from './prompt.ts';
import { ReplyEvents, streamReply, type ReplyOptions } from './replyEvents.ts';
import { findRepeated, runCalls } from './runCalls.ts';
import type { TurnLimit } from './turnLimit.ts';

export interface TurnOptions extends ReplyOptions {
  readonly settings: PromptSettings;
  /** Undefined if the model gets no tools. */
  readonly tools?: TurnTools | undefined;
}

/** The tools of a turn, and the limits after which it pauses. */
export interface TurnTools {
  readonly toolbox: Toolbox;
  /** Number of requests with calls after which the turn pauses. */
  readonly maxRounds: number;
  readonly limit: TurnLimit;
  /** Resolves when the person continues the turn after the next pause. */
  readonly resumed: () => Promise<void>;
}

/**
 * Runs the conversation's running turn and yields its events until it ends: sends the request, runs
 * the calls of the reply, sends their results, and repeats until a reply contains no calls. Never
 * throws: errors and an aborted signal are reported by the `turn-end` event.
 *
 * @param current returns the conversation, with all events applied that were yielded so far
 */
export async function* runTurn(
  current: () => Conversation,
  options: TurnOptions,
): AsyncGenerator<TurnEvent, void> {
  const run = new Run(current, options);
  yield* run.events();
}

class Run {
  readonly #current: () => Conversation;
  readonly #options: TurnOptions;
  readonly #now: () => number;
  /** Number of requests with calls since the turn began or was last resumed. */
  #round = 0;
  #roundsSinceResume = 0;
  /** The amount that counts in the limit. */
  #sentSinceResume = 0;

  constructor(current: () => Conversation, options: TurnOptions) {
    this.#current = current;
    const tools = options.tools && offeredTools(options.tools, current());
    this.#now = options.now ?? monotonicWallClock(options.clock);
    this.#options = { ...options, tools, now: this.#now };
    this.#round = roundsOfTurn(this.#turn());
  }

  async *events(): AsyncGenerator<TurnEvent, void> {
    const { tools } = this.#options;
    let reply = new ReplyEvents(this.#options, this.#turn().parts);
    let request: CompletionRequest | undefined;
    try {
      for (;;) {
        const definitions = tools?.toolbox.definitions;
        request = buildRequest(this.#current(), this.#turn(), this.#options.settings, definitions);
        const completion = yield* streamReply(request, reply, this.#options);
        for (const event of reply.read()) {
          if (event.type === 'usage')
            this.#sentSinceResume += tools?.limit.amountOf(event.usage) ?? 0;
          yield event;
        }
        const calls = isComplete(completion) ? completion.toolCalls : [];
        if (tools === undefined || calls.length === 0) {
          yield* reply.end(completion, tools?.toolbox);
          return;
        }
        request = undefined;
        yield* this.#runCalls(calls, tools);
        reply = new ReplyEvents(this.#options, this.#turn().parts);
        yield { type: 'request-start' };
      }
    } catch (error) {
      yield* reply.broken(error, request);
    }
  }

  #turn(): Turn {
    return runningTurn(this.#current());
  }

  async *#runCalls(
    calls: readonly ToolCall[],
    { toolbox, maxRounds, limit, resumed }: TurnTools,
  ): AsyncGenerator<TurnEvent, void> {
    const { signal, settings } = this.#options;
    this.#round += 1;
    this.#roundsSinceResume += 1;
    const turn = this.#turn();
    const conversation = this.#current().id;
    const tool = findRepeated(calls, turn, toolbox);
    if (tool !== undefined) yield* this.#pause({ reason: 'repeat', tool }, resumed);
    const round = this.#round;
    const { service } = settings;
    yield* runCalls(calls, { toolbox, service, conversation, turn, round, signal, now: this.#now });
    if (this.#sentSinceResume >= limit.amount) yield* this.#pause({ reason: limit.unit }, resumed);
    if (this.#roundsSinceResume >= maxRounds) yield* this.#pause({ reason: 'rounds' }, resumed);
  }

  async *#pause(pause: Pause, resumed: TurnTools['resumed']): AsyncGenerator<TurnEvent, void> {
    // A listener of the pause event may resume the turn immediately.
    const resume = resumed();
    yield { type: 'turn-pause', pause };
    await raceAbort(resume, this.#options.signal);
    this.#roundsSinceResume = 0;
    this.#sentSinceResume = 0;
    yield { type: 'turn-resume' };
  }
}

/** Removes excluded tools: calling them fails like calling unknown tools. */
function offeredTools(tools: TurnTools, conversation: Conversation): TurnTools | undefined {
  const { partChoices } = runningTurn(conversation);
  const toolbox = tools.toolbox.offering((tool) => chosenTools([tool], partChoices).length > 0);
  return toolbox && { ...tools, toolbox };
}

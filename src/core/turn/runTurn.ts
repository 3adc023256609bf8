import {
  runningTurn,
  type Conversation,
  type Pause,
  type Turn,
} from '../conversation/conversation.ts';
import type { ConversationEvent } from '../conversation/events.ts';
import { isComplete, type Completion } from '../service/completion.ts';
import type { ToolCall } from '../service/toolCallAssembler.ts';
import type { CompletionRequest } from '../service/wire.ts';
import { raceAbort } from '../support/async.ts';
import { monotonicWallClock } from '../support/clock.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { buildRequest, type PromptSettings } from './prompt.ts';
import { ReplyEvents, streamReply, type ReplyOptions } from './replyEvents.ts';
import { findRepeated, runCalls } from './runCalls.ts';

export interface TurnOptions extends ReplyOptions {
  readonly settings: PromptSettings;
  /** The tools that the model may use; absent where it gets none. */
  readonly tools?: TurnTools | undefined;
}

export interface TurnTools {
  readonly toolbox: Toolbox;
  /** So many requests with calls, then the turn pauses. */
  readonly maxRounds: number;
  /** Resolves when the person lets the turn go on from the pause that is about to begin. */
  readonly resumed: () => Promise<void>;
}

/**
 * Runs the conversation's running turn and yields what happens to it until it ends: sends its
 * request, carries out the calls that the reply asks for, and sends their results, until the model
 * answers in words. Never throws: an error, and an aborted signal, are how the turn ends.
 *
 * @param current the conversation, in which each event has happened by the time the next is asked for
 */
export async function* runTurn(
  current: () => Conversation,
  options: TurnOptions,
): AsyncGenerator<ConversationEvent, void> {
  const run = new Run(current, options);
  yield* run.events();
}

class Run {
  readonly #current: () => Conversation;
  readonly #options: TurnOptions;
  readonly #now: () => number;
  /** Requests with calls since the turn began, and since the person last let it go on. */
  #round = 0;
  #roundsSinceResume = 0;

  constructor(current: () => Conversation, options: TurnOptions) {
    this.#current = current;
    this.#options = options;
    this.#now = monotonicWallClock(options.clock);
    this.#round = Math.max(0, ...this.#turn().parts.map(roundOf));
  }

  async *events(): AsyncGenerator<ConversationEvent, void> {
    const { tools } = this.#options;
    let reply = new ReplyEvents(this.#options, this.#turn());
    let request: CompletionRequest | undefined;
    try {
      for (;;) {
        request = this.#request();
        const completion = yield* streamReply(request, reply, this.#options);
        yield* reply.read(completion, request);
        const calls = callsOf(completion);
        if (tools === undefined || calls.length === 0) {
          yield* reply.end(completion, tools?.toolbox);
          return;
        }
        request = undefined;
        yield* this.#runCalls(calls, tools);
        reply = new ReplyEvents(this.#options, this.#turn());
        yield { type: 'request-start' };
      }
    } catch (error) {
      yield* reply.broken(error, request);
    }
  }

  #turn(): Turn {
    return runningTurn(this.#current());
  }

  #request(): CompletionRequest {
    const { settings, tools } = this.#options;
    return buildRequest(this.#current(), this.#turn(), settings, tools?.toolbox.definitions);
  }

  async *#runCalls(
    calls: readonly ToolCall[],
    { toolbox, maxRounds, resumed }: TurnTools,
  ): AsyncGenerator<ConversationEvent, void> {
    const { signal } = this.#options;
    this.#round += 1;
    this.#roundsSinceResume += 1;
    const turn = this.#turn();
    const tool = findRepeated(calls, turn, toolbox);
    if (tool !== undefined) yield* this.#pause({ reason: 'repeat', tool }, resumed);
    yield* runCalls(calls, { toolbox, turn, round: this.#round, signal, now: this.#now });
    if (this.#roundsSinceResume >= maxRounds) yield* this.#pause({ reason: 'rounds' }, resumed);
  }

  async *#pause(
    pause: Pause,
    resumed: TurnTools['resumed'],
  ): AsyncGenerator<ConversationEvent, void> {
    // Whoever hears of the pause may let the turn go on at once.
    const goesOn = resumed();
    yield { type: 'turn-pause', pause };
    await raceAbort(goesOn, this.#options.signal);
    this.#roundsSinceResume = 0;
    yield { type: 'turn-resume' };
  }
}

/** The calls to carry out: none from a reply of which something may be missing. */
function callsOf(completion: Completion): readonly ToolCall[] {
  return isComplete(completion) ? completion.toolCalls : [];
}

function roundOf(part: Turn['parts'][number]): number {
  return part.type === 'tool-call' ? part.round : 0;
}

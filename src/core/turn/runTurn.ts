import {
  countOfRounds,
  runningTurn,
  type Pause,
  type AddedMessage,
  type Turn,
} from '../conversation/conversation.ts';
import type { TurnEvent } from '../conversation/events.ts';
import { knownCost, type Price, type Usage } from '../conversation/usage.ts';
import { isComplete } from '../service/completion.ts';
import { ServiceError } from '../service/errors.ts';
import type { CompletionRequest } from '../service/wire.ts';
import { raceAbort } from '../support/async.ts';
import { monotonicWallClock } from '../support/clock.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { pathsOfTurns } from './instructionScope.ts';
import type { RequestPlanner } from './nextTurn.ts';
import { buildRequest, requestRoom, type PromptSettings } from './prompt.ts';
import { ReplyEvents, type ReplyOptions } from './replyEvents.ts';
import { findRepeated, runCalls } from './runCalls.ts';
import { chosenTools } from './sentTurns.ts';

/** The tools of a turn, and the limits after which it pauses. */
export interface TurnTools {
  readonly toolbox: Toolbox;
  /** Number of requests with calls after which the turn pauses. */
  readonly maxRounds: number;
  readonly limit: TurnLimit;
}

/** What a turn may send before it pauses. */
export interface TurnLimit {
  /** `tokens` are those of prompts; `money` is in units of the currency of the prices. */
  readonly unit: 'tokens' | 'money';
  readonly amount: number;
  /** The amount of a request. */
  readonly amountOf: (usage: Usage) => number;
}

/** Tokens after which a turn pauses if no other limit is set. */
export const defaultTurnTokens = 1_000_000;

/**
 * The limit of a turn with a model.
 *
 * @param budget with the limit that the person set, if any
 * @param price undefined if it isn't known; then only tokens can be counted
 */
export function turnLimit(
  { turn, unit }: { readonly turn?: number | undefined; readonly unit: TurnLimit['unit'] },
  price?: Price,
): TurnLimit {
  if (unit === 'money' && turn !== undefined && price !== undefined)
    return { unit, amount: turn, amountOf: (usage) => knownCost(usage, price) ?? 0 };
  const amount = unit === 'tokens' ? turn : undefined;
  return {
    unit: 'tokens',
    amount: amount ?? defaultTurnTokens,
    amountOf: (usage) => usage.prompt_tokens,
  };
}

type TakeMessage = () => Pick<AddedMessage, 'id' | 'message'> | undefined;

/** Stops a running turn, resumes it after a pause, and has the messages that go in. */
export class TurnControl {
  /** Takes the next message to go in. It is the turn's from then on, and sent with its next request. */
  readonly takeMessage: TakeMessage;
  /** False if the turn got no tools, so that it sends one request only; undefined until then. */
  hasTools: boolean | undefined;
  readonly #abort = new AbortController();
  #resume: () => void = () => undefined;

  constructor(takeMessage: TakeMessage = () => undefined) {
    this.takeMessage = takeMessage;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Aborts the request and the calls. The text received so far stays. */
  stop(): void {
    this.#abort.abort();
  }

  resume(): void {
    this.#resume();
  }

  /** Resolves at the next {@link resume}. */
  resumed(): Promise<void> {
    return new Promise((resolve) => (this.#resume = resolve));
  }
}

/**
 * Runs the conversation's running turn and yields its events until it ends: connects to the
 * service, sends the request, runs the calls of the reply, sends their results, and repeats until a
 * reply contains no calls. Never throws: errors and Stop are reported by the `turn-end` event.
 *
 * The caller applies each event to the planner's conversation before it asks for the next one.
 */
export async function* runTurn(
  planner: RequestPlanner,
  control: TurnControl,
): AsyncGenerator<TurnEvent, void> {
  const { conversation, host } = planner;
  const { signal } = control;
  const now = monotonicWallClock(host.clock);
  const turn = runningTurn(conversation.current);
  const describe = (error: unknown) => host.describe(error, turn.model);
  let prepared: Awaited<ReturnType<typeof prepareTurn>>;
  try {
    prepared = await prepareTurn(planner, turn, signal);
  } catch (error) {
    // Nothing was sent.
    const at = now();
    const status = turn.parts.length === 0 ? 'failed' : 'cut';
    if (signal.aborted) yield { type: 'turn-end', status: 'stopped', at };
    else yield { type: 'turn-end', status, error: describe(error), at };
    return;
  }
  const { service, settings, tools } = prepared;
  const { client, demo } = service;
  const rounds = runRounds(planner, control, settings, tools, {
    client,
    clock: host.clock,
    now,
    signal,
    describe,
  });
  for await (const event of rounds) {
    if (event.type === 'usage') planner.setUsage(turn.id, event.usage);
    // The model may have found more tools.
    if (event.type === 'turn-end' && tools !== undefined)
      planner.setDefinitions(tools.toolbox.definitions);
    // The demo service costs nothing.
    const isCounted = event.type === 'usage' || event.type === 'request-sent';
    yield demo && isCounted ? { ...event, demo } : event;
  }
}

/** Gets everything that the requests of a turn need. Stop ends each wait. */
async function prepareTurn(planner: RequestPlanner, turn: Turn, signal: AbortSignal) {
  const { conversation, host } = planner;
  const service = await raceAbort(host.connect(turn.model), signal);
  if (turn.model === '') throw new ServiceError('missing-model', 'No model is chosen');
  const about = pathsOfTurns(conversation.current.turns, turn);
  await raceAbort(host.prepare?.(about, true) ?? Promise.resolve(), signal);
  const mayHaveTools = turn.withoutTools !== true;
  const tools = mayHaveTools ? await raceAbort(host.tools(turn), signal) : undefined;
  const definitions = tools?.toolbox.definitions ?? [];
  if (mayHaveTools) planner.setDefinitions(definitions);
  const { options, summaries } = conversation.current;
  const prompt = await raceAbort(
    planner.withImages(host.settings(turn.model), conversation.current, turn),
    signal,
  );
  const room = requestRoom(options, prompt, (characters) =>
    host.meter.estimate(turn.model, characters, 'prompt'),
  );
  const settings = { ...prompt, service: service.service, room };
  planner.setSent({ turn: turn.id, settings, summaries, definitions });
  return { service, settings, tools };
}

/** Sends requests, and runs the calls of their replies, until a reply contains none. */
async function* runRounds(
  planner: RequestPlanner,
  control: TurnControl,
  prepared: PromptSettings,
  tools: TurnTools | undefined,
  options: ReplyOptions & { readonly now: () => number },
): AsyncGenerator<TurnEvent, void> {
  const { conversation } = planner;
  const { signal, now } = options;
  let settings = prepared;
  const turn = (): Turn => runningTurn(conversation.current);
  // Calls of excluded tools fail like those of unknown tools.
  const { partChoices } = turn();
  const toolbox = tools?.toolbox.offering((tool) => chosenTools([tool], partChoices).length > 0);
  control.hasTools = toolbox !== undefined;
  let round = countOfRounds(turn());
  let roundsSinceResume = 0;
  /** The amount that counts in the limit. */
  let sentSinceResume = 0;
  const pause = async function* (reason: Pause): AsyncGenerator<TurnEvent, void> {
    // A listener of the pause event may resume the turn immediately.
    const resumed = control.resumed();
    yield { type: 'turn-pause', pause: reason };
    await raceAbort(resumed, signal);
    roundsSinceResume = 0;
    sentSinceResume = 0;
    yield { type: 'turn-resume' };
  };
  let reply = new ReplyEvents(options, turn().parts);
  let request: CompletionRequest | undefined;
  try {
    for (;;) {
      request = buildRequest(conversation.current, turn(), settings, toolbox?.definitions);
      const completion = yield* reply.stream(request);
      for (const event of reply.read()) {
        if (event.type === 'usage') sentSinceResume += tools?.limit.amountOf(event.usage) ?? 0;
        yield event;
      }
      const calls = isComplete(completion) ? completion.toolCalls : [];
      if (tools === undefined || toolbox === undefined || calls.length === 0) {
        yield* reply.end(completion, toolbox);
        return;
      }
      request = undefined;
      round += 1;
      roundsSinceResume += 1;
      const { limit, maxRounds } = tools;
      const tool = findRepeated(calls, turn(), toolbox);
      const asked = { conversation: conversation.current.id, turn: turn(), round };
      if (tool !== undefined) yield* pause({ reason: 'repeat', tool });
      yield* runCalls(calls, { ...asked, toolbox, service: settings.service, signal, now });
      if (sentSinceResume >= limit.amount) yield* pause({ reason: limit.unit });
      if (roundsSinceResume >= maxRounds) yield* pause({ reason: 'rounds' });
      let isAdded = false;
      for (let next; (next = control.takeMessage()) !== undefined; isAdded = true)
        yield { type: 'turn-message', id: next.id, message: next.message, at: now() };
      if (isAdded) {
        settings = await planner.withImages(settings, conversation.current, turn());
        planner.setSettings(turn().id, settings);
      }
      reply = new ReplyEvents(options, turn().parts);
      yield { type: 'request-start' };
    }
  } catch (error) {
    yield* reply.broken(error, request);
  }
}

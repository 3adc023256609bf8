import { runningTurn, type Turn, type TurnError } from '../conversation/conversation.ts';
import type { TurnEvent } from '../conversation/events.ts';
import type { LiveConversation } from '../conversation/liveConversation.ts';
import type { Client } from '../service/client.ts';
import { ServiceError } from '../reply/errors.ts';
import { raceAbort } from '../support/async.ts';
import { monotonicWallClock, type Clock } from '../support/clock.ts';
import { pathsOfTurns } from './instructionScope.ts';
import { requestRoom, type PromptSettings } from './prompt.ts';
import type { RequestPlanner, RequestPlannerOptions } from './requestPlanner.ts';
import type { TokenMeter } from '../service/requestUsage.ts';
import { runTurn, type TurnTools } from './runTurn.ts';

export interface TurnRunnerOptions extends Pick<RequestPlannerOptions, 'prepare' | 'tools'> {
  readonly clock: Clock;
  readonly meter: TokenMeter;
  readonly settings: (model: string) => PromptSettings;
  /** The service of a model; rejects if there is none. */
  readonly connect: (model: string) => Promise<{ readonly client: Client; readonly demo: boolean }>;
  readonly describe: (error: unknown, model: string) => TurnError;
}

export class TurnRunner {
  readonly #id: string;
  readonly #conversation: LiveConversation;
  readonly #planner: RequestPlanner;
  readonly #options: TurnRunnerOptions;
  readonly #abort = new AbortController();
  /** Monotonic clock of the event times. */
  readonly #now: () => number;
  #ended: Promise<void> | undefined;
  #toolbox: TurnTools['toolbox'] | undefined;
  #resume: () => void = () => undefined;

  constructor(
    id: string,
    conversation: LiveConversation,
    planner: RequestPlanner,
    options: TurnRunnerOptions,
  ) {
    this.#id = id;
    this.#conversation = conversation;
    this.#planner = planner;
    this.#options = options;
    this.#now = monotonicWallClock(options.clock);
  }

  /** Runs the turn once. Resolves when all of its work has ended, and never rejects. */
  run(): Promise<void> {
    this.#ended ??= this.#runToEnd();
    return this.#ended;
  }

  /** Aborts the request. The text received so far stays. */
  stop(): void {
    this.#abort.abort();
  }

  resume(): void {
    this.#resume();
  }

  async #runToEnd(): Promise<void> {
    const turn = runningTurn(this.#conversation.current);
    try {
      for await (const event of await this.#events(turn)) this.#dispatch(event);
    } catch (error) {
      this.#end(turn, error);
    }
  }

  async #events(turn: Turn): Promise<AsyncIterable<TurnEvent>> {
    const { signal } = this.#abort;
    const { connect, clock, meter, describe, settings, prepare } = this.#options;
    const { client, demo } = await raceAbort(connect(turn.model), signal);
    if (turn.model === '') throw new ServiceError('missing-model', 'No model is chosen');
    const about = pathsOfTurns(this.#conversation.current.turns, turn);
    await raceAbort(prepare?.(about, true) ?? Promise.resolve(), signal);
    const tools = await this.#toolsOf(turn);
    const { summaries } = this.#conversation.current;
    const tokensOf = (length: number): number => meter.estimate(turn.model, length, 'prompt');
    const images = this.#planner.withImages(settings(turn.model), this.#conversation.current, turn);
    const prompt = await raceAbort(images, signal);
    const room = requestRoom(this.#conversation.current.options, prompt, tokensOf);
    const sent = { turn: turn.id, settings: { ...prompt, room }, summaries };
    this.#planner.setSent({ ...sent, definitions: tools?.toolbox.definitions ?? [] });
    const events = runTurn(() => this.#conversation.current, {
      client,
      clock,
      now: this.#now,
      signal,
      settings: sent.settings,
      describe: (error) => describe(error, turn.model),
      tools: tools && {
        ...tools,
        resumed: () => new Promise((resolve) => (this.#resume = resolve)),
      },
    });
    return demo ? markDemo(events) : events;
  }

  async #toolsOf(turn: Turn): Promise<Omit<TurnTools, 'resumed'> | undefined> {
    if (turn.withoutTools === true) return undefined;
    const tools = await raceAbort(this.#options.tools(turn), this.#abort.signal);
    this.#toolbox = tools?.toolbox;
    this.#planner.setDefinitions(tools?.toolbox.definitions ?? []);
    return tools;
  }

  /** Ends a turn whose request was never sent, because of an error or Stop. */
  #end(turn: Turn, error: unknown): void {
    const at = this.#now();
    if (this.#abort.signal.aborted) {
      this.#dispatch({ type: 'turn-end', status: 'stopped', at });
      return;
    }
    const status = turn.parts.length === 0 ? 'failed' : 'cut';
    const failure = this.#options.describe(error, turn.model);
    this.#dispatch({ type: 'turn-end', status, error: failure, at });
  }

  #dispatch(event: TurnEvent): void {
    if (event.type === 'usage') this.#planner.setUsage(this.#id, event.usage);
    // The model may have found more tools.
    if (event.type === 'turn-end' && this.#toolbox !== undefined)
      this.#planner.setDefinitions(this.#toolbox.definitions);
    this.#conversation.apply(event);
  }
}

/** Marks the usage of the demo service, which costs nothing. */
async function* markDemo(events: AsyncIterable<TurnEvent>): AsyncGenerator<TurnEvent, void> {
  for await (const event of events)
    yield event.type === 'usage' || event.type === 'request-sent'
      ? { ...event, demo: true }
      : event;
}

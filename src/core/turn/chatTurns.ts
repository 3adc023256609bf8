import {
  runningTurn,
  type Attachment,
  type FileRestore,
  type Turn,
  type UserMessage,
  type TurnError,
} from '../conversation/conversation.ts';
import type { LiveConversation } from '../conversation/liveConversation.ts';
import { turnOfPath } from '../conversation/paths.ts';
import { turnStart } from './nextTurn.ts';
import type { RequestPlanner, RequestPlannerOptions } from './requestPlanner.ts';
import type { TurnEvent } from '../conversation/events.ts';
import type { Client } from '../service/client.ts';
import { ServiceError } from '../reply/errors.ts';
import { raceAbort } from '../support/async.ts';
import { monotonicWallClock, type Clock } from '../support/clock.ts';
import { pathsOfTurns } from './instructionScope.ts';
import { requestRoom, type PromptSettings } from './prompt.ts';
import type { TokenMeter } from '../service/requestUsage.ts';
import { runTurn, type TurnTools } from './runTurn.ts';

export interface ResendOptions {
  readonly text?: string;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly model?: string;
  readonly withoutTools?: boolean;
  /** Files that were restored before the message is sent again. */
  readonly fileRestore?: FileRestore | undefined;
  readonly onStart?: () => void;
}

/**
 * Runs the turns of a chat in this window, one at a time. The caller makes sure that no other work on
 * the chat runs when a turn starts.
 */
export class ChatTurns {
  readonly #conversation: LiveConversation;
  readonly #planner: RequestPlanner;
  readonly #options: TurnRunnerOptions;
  #runner: TurnRunner | undefined;
  #isClosed = false;

  constructor(conversation: LiveConversation, planner: RequestPlanner, options: TurnRunnerOptions) {
    this.#conversation = conversation;
    this.#planner = planner;
    this.#options = options;
  }

  /** Starts the turn of a message. Resolves when it has ended. */
  async start(message: UserMessage, model: string, change: ResendOptions = {}): Promise<Turn> {
    const { withoutTools, fileRestore, onStart } = change;
    const start = turnStart(message, model, this.#conversation.current, this.#options);
    this.#conversation.apply({ ...start, ...(withoutTools === true && { withoutTools }) });
    if (fileRestore !== undefined)
      this.#conversation.apply({ type: 'files-restore', turn: start.id, restore: fileRestore });
    onStart?.();
    return this.#run();
  }

  /** Sends the message of a turn again. The turn and all later ones stay as another version. */
  resend({ id, model }: Turn, message: UserMessage, change: ResendOptions): Promise<Turn> {
    this.#conversation.apply({ type: 'turn-remove', id });
    return this.start(message, change.model ?? model, change);
  }

  /** Continues the newest turn, which ended early. Resolves when it has ended. */
  continue(onStart?: () => void): Promise<Turn> {
    this.#conversation.apply({ type: 'turn-continue', at: this.#options.clock.wall() });
    onStart?.();
    return this.#run();
  }

  stop(): void {
    this.#runner?.stop();
  }

  /** Resumes the running turn if it is paused at a limit. */
  resume(): void {
    if (this.#conversation.current.running?.status === 'paused') this.#runner?.resume();
  }

  async end(): Promise<void> {
    this.stop();
    await this.#runner?.run();
  }

  /** Ends the turns for good: one that starts later ends without a request. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.end();
  }

  async #run(): Promise<Turn> {
    const { id } = runningTurn(this.#conversation.current);
    const runner = new TurnRunner(id, this.#conversation, this.#planner, this.#options);
    this.#runner = runner;
    if (this.#isClosed) runner.stop();
    try {
      await runner.run();
    } finally {
      this.#runner = undefined;
    }
    const turn = turnOfPath(this.#conversation.current, id);
    if (turn === undefined) throw new Error('This turn no longer exists.');
    return turn;
  }
}

export interface TurnRunnerOptions extends Pick<RequestPlannerOptions, 'prepare' | 'tools'> {
  readonly clock: Clock;
  readonly meter: TokenMeter;
  readonly settings: (model: string) => PromptSettings;
  /** The service of a model, with its id; rejects if there is none. */
  readonly connect: (model: string) => Promise<{
    readonly client: Client;
    readonly demo: boolean;
    readonly service?: string | undefined;
  }>;
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
      // The request was never sent, because of an error or Stop.
      const at = this.#now();
      if (this.#abort.signal.aborted) {
        this.#dispatch({ type: 'turn-end', status: 'stopped', at });
        return;
      }
      const status = turn.parts.length === 0 ? 'failed' : 'cut';
      const failure = this.#options.describe(error, turn.model);
      this.#dispatch({ type: 'turn-end', status, error: failure, at });
    }
  }

  async #events(turn: Turn): Promise<AsyncIterable<TurnEvent>> {
    const { signal } = this.#abort;
    const { connect, clock, meter, describe, settings, prepare } = this.#options;
    const { client, demo, service } = await raceAbort(connect(turn.model), signal);
    if (turn.model === '') throw new ServiceError('missing-model', 'No model is chosen');
    const about = pathsOfTurns(this.#conversation.current.turns, turn);
    await raceAbort(prepare?.(about, true) ?? Promise.resolve(), signal);
    const tools =
      turn.withoutTools === true ? undefined : await raceAbort(this.#options.tools(turn), signal);
    this.#toolbox = tools?.toolbox;
    if (turn.withoutTools !== true) this.#planner.setDefinitions(tools?.toolbox.definitions ?? []);
    const { summaries } = this.#conversation.current;
    const tokensOf = (length: number): number => meter.estimate(turn.model, length, 'prompt');
    const images = this.#planner.withImages(settings(turn.model), this.#conversation.current, turn);
    const prompt = await raceAbort(images, signal);
    const room = requestRoom(this.#conversation.current.options, prompt, tokensOf);
    const sent = { turn: turn.id, settings: { ...prompt, service, room }, summaries };
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

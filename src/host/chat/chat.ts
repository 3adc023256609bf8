import {
  emptyConversation,
  lastTurn,
  runningTurn,
  type Conversation,
  type FileChange,
  type UserMessage,
  type RequestOptions,
  type Turn,
  type TurnError,
} from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { reduce } from '../../core/conversation/reduce.ts';
import type { Usage } from '../../core/conversation/usage.ts';
import { windowAround, type ConversationWindow } from '../../core/conversation/window.ts';
import type { Client } from '../../core/service/client.ts';
import { ServiceError } from '../../core/service/errors.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { raceAbort } from '../../core/support/async.ts';
import type { Clock } from '../../core/support/clock.ts';
import { Emitter, type Disposable, type Event } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import { buildRequest } from '../../core/turn/prompt.ts';
import type { TokenMeter } from '../../core/turn/replyEvents.ts';
import { runTurn, type TurnTools } from '../../core/turn/runTurn.ts';
import { previewTurn, turnStart, type NextTurnOptions, type TurnPreview } from './nextTurn.ts';
import { Restoration, type ReadConversation } from './restoration.ts';

export interface ChatOptions extends NextTurnOptions {
  readonly clock: Clock;
  /** The service to ask now; rejects where there is none. */
  readonly connect: () => Promise<{ readonly client: Client; readonly demo: boolean }>;
  /** Resolves when the settings tell of everything that goes along with a question. */
  readonly prepare?: (() => Promise<void>) | undefined;
  /** What the client makes of a request. */
  readonly asSent?: (request: CompletionRequest) => CompletionRequest;
  readonly meter: TokenMeter;
  /** Counts what a request used. */
  readonly record: (model: string, usage: Usage, demo: boolean) => void;
  readonly describe: (error: unknown, model: string) => TurnError;
  /** Rejects where a question must not be sent. */
  readonly checkMessage: (message: UserMessage) => Promise<void>;
  /** The tools that the turn's model may use now; undefined where it gets none. */
  readonly tools: (turn: Turn) => Promise<Omit<TurnTools, 'resumed'> | undefined>;
  /** Hears of a model that answered without tools, after it had refused a request with them. */
  readonly onToolsRefused: (model: string) => void;
}

/** How a question is asked again. */
export interface ResendOptions {
  readonly text?: string;
  readonly model?: string;
  readonly withoutTools?: boolean;
}

/** What happened in the chat: an event of its conversation, or another conversation altogether. */
export type ChatChange =
  | { readonly type: 'event'; readonly event: ConversationEvent }
  /** `isShown` where its newest turns were there to be shown already. */
  | { readonly type: 'replace'; readonly isShown: boolean };

/** The open conversation, and the turn that runs in it. */
export class Chat implements Disposable {
  readonly #options: ChatOptions;
  readonly #changed = new Emitter<ChatChange>();
  readonly #waited = new Emitter<number>();
  readonly #restoration = new Restoration({
    enqueue: (work) => this.#enqueue(work),
    open: (conversation, isShown) => this.#open(conversation, isShown),
  });
  #conversation: Conversation;
  #abort: AbortController | undefined;
  #resume: (() => void) | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #definitions: readonly ToolDefinition[] | undefined;

  readonly onDidChange = this.#changed.event;
  /** Fires when another conversation is shown. */
  readonly onDidReplace: Event<unknown> = (listener) =>
    this.onDidChange((change) => {
      if (change.type === 'replace') listener(undefined);
    });

  /** Fires when a question begins to wait, or stops waiting. */
  readonly onDidWait = this.#waited.event;

  constructor(options: ChatOptions, conversation?: Conversation) {
    this.#options = options;
    this.#conversation = conversation ?? emptyConversation(newId());
  }

  get conversation(): Conversation {
    return this.#conversation;
  }

  get isRunning(): boolean {
    return this.#conversation.running !== undefined;
  }

  /** How many questions wait for the running turn to end. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Rejects, with words for the person, where a question must not be sent. */
  checkMessage(message: UserMessage): Promise<void> {
    return this.#options.checkMessage(message);
  }

  /** The tools that the last request had; undefined where none was made yet. */
  get definitions(): readonly ToolDefinition[] | undefined {
    return this.#definitions;
  }

  /** What a question would be as the newest turn, after all that is there now. */
  preview(message: UserMessage, model: string): TurnPreview {
    return previewTurn(message, model, this.#conversation, this.#options);
  }

  /** The request that the question would be sent as. Sends nothing. */
  async nextRequest(message: UserMessage, model: string): Promise<CompletionRequest> {
    await this.restored();
    await this.#options.prepare?.();
    const { conversation, turn, settings } = this.preview(message, model);
    const found = await this.#options.tools(turn);
    const request = buildRequest(conversation, turn, settings, found?.toolbox.definitions);
    return this.#options.asSent?.(request) ?? request;
  }

  /** Whether {@link check} lets a text pass. */
  maySend(text: string): Promise<boolean> {
    return this.checkMessage({ text, attachments: [] }).then(
      () => true,
      () => false,
    );
  }

  /**
   * Asks, after everything that was asked before, in this chat or in a new one; resolves with the
   * turn when it has ended.
   */
  async send(message: UserMessage, model: string, newChat = false): Promise<Turn> {
    await this.checkMessage(message);
    return this.#enqueue(() => {
      if (newChat) this.#open(undefined);
      return this.#start(message, model);
    });
  }

  /** Asks the question of this turn again, instead of it and of all after it. */
  resend(id: string, change: ResendOptions): Promise<Turn> {
    return this.#enqueue(async () => {
      const turn = this.#find(id);
      if (turn === undefined) throw new Error('This turn no longer exists.');
      const question = { ...turn.question, text: change.text ?? turn.question.text };
      await this.checkMessage(question);
      this.#dispatch({ type: 'turn-remove', id });
      return this.#start(question, change.model ?? turn.model, change.withoutTools);
    });
  }

  /** Lets the newest turn, which ended early, go on. */
  continue(): Promise<Turn> {
    return this.#enqueue(async () => {
      this.#dispatch({ type: 'turn-continue', at: this.#options.clock.wall() });
      return this.#run();
    });
  }

  /** Ends the running turn now: its request is aborted, its text kept. */
  stop(): void {
    this.#abort?.abort();
  }

  /** Lets the running turn go on from the limit at which it paused, where it is paused. */
  resume(): void {
    if (this.#conversation.running?.status === 'paused') this.#resume?.();
  }

  /** Tells what a turn changed, and what became of it. */
  setChanges(turn: string, changes: readonly FileChange[]): void {
    this.#dispatch({ type: 'files-change', turn, changes });
  }

  setOptions(options: RequestOptions): void {
    this.#dispatch({ type: 'options-change', options });
  }

  /** Shows another conversation; a running turn is stopped first, with its text kept. */
  async replace(conversation?: Conversation): Promise<void> {
    this.#restoration.readWith(undefined);
    this.stop();
    await this.#enqueue(() => {
      this.#open(conversation);
      return Promise.resolve();
    });
  }

  /** Tells how to read the conversation to begin with: done once it is needed. */
  restoreWith(read: ReadConversation): void {
    this.#restoration.readWith(read);
  }

  /** Resolves when there is something to show of the conversation to begin with. */
  begun(): Promise<void> {
    return this.#restoration.begun();
  }

  /** Resolves when the conversation to begin with is there. What is asked is asked after that. */
  restored(): Promise<void> {
    return this.#restoration.restored();
  }

  /** What is to be shown: the turn with this id and those around it, or else the newest. */
  windowAround(id?: string): ConversationWindow {
    return this.#restoration.newest ?? windowAround(this.#conversation, id);
  }

  dispose(): void {
    this.stop();
    this.#changed.dispose();
    this.#waited.dispose();
  }

  #open(conversation: Conversation | undefined, isShown = false): void {
    this.#conversation = conversation ?? emptyConversation(newId());
    this.#changed.fire({ type: 'replace', isShown });
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    void this.restored();
    this.#count(1);
    const result = this.#queue.then(() => {
      this.#count(-1);
      return work();
    });
    // The one who asked hears of the failure; the queue goes on.
    this.#queue = result.catch(() => undefined);
    return result;
  }

  #count(change: number): void {
    this.#waiting += change;
    // What starts at once does not wait in anybody's eyes.
    if (this.isRunning) this.#waited.fire(this.#waiting);
  }

  #start(message: UserMessage, model: string, withoutTools?: boolean): Promise<Turn> {
    this.#dispatch({
      ...turnStart(message, model, this.#conversation, this.#options),
      ...(withoutTools === true ? { withoutTools } : {}),
    });
    return this.#run();
  }

  async #run(): Promise<Turn> {
    const turn = runningTurn(this.#conversation);
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    try {
      await this.#runTurn(turn, signal);
    } catch (error) {
      this.#end(turn, signal.aborted ? undefined : error);
    } finally {
      this.#abort = undefined;
    }
    const ended = lastTurn(this.#conversation);
    if (ended === undefined) throw new Error('This turn no longer exists.');
    if (ended.withoutTools === true && ended.status === 'finished')
      this.#options.onToolsRefused(ended.model);
    return ended;
  }

  async #runTurn(turn: Turn, signal: AbortSignal): Promise<void> {
    const { connect, clock, meter, record, describe, settings, prepare, tools } = this.#options;
    const { client, demo } = await raceAbort(connect(), signal);
    if (turn.model === '') throw new ServiceError('missing-model', 'No model is chosen');
    await raceAbort(prepare?.() ?? Promise.resolve(), signal);
    const found = await raceAbort(tools(turn), signal);
    this.#definitions = found?.toolbox.definitions ?? [];
    const events = runTurn(() => this.#conversation, {
      client,
      clock,
      meter,
      signal,
      settings: settings(turn.model),
      describe: (error) => describe(error, turn.model),
      tools: found && { ...found, resumed: () => this.#resumed() },
    });
    for await (const event of events) {
      if (event.type === 'usage') record(turn.model, event.usage, demo);
      this.#dispatch(event.type === 'usage' && demo ? { ...event, demo } : event);
    }
  }

  #resumed(): Promise<void> {
    return new Promise((resolve) => (this.#resume = resolve));
  }

  /** The turn ended before its request was on its way: by an error, or because of Stop. */
  #end(turn: Turn, error: unknown): void {
    const { describe, clock } = this.#options;
    const at = clock.wall();
    if (error === undefined) {
      this.#dispatch({ type: 'turn-end', status: 'stopped', at });
      return;
    }
    const status = turn.parts.length === 0 ? 'failed' : 'cut';
    this.#dispatch({ type: 'turn-end', status, error: describe(error, turn.model), at });
  }

  #find(id: string): Turn | undefined {
    return this.#conversation.turns.find((turn) => turn.id === id);
  }

  #dispatch(event: ConversationEvent): void {
    this.#conversation = reduce(this.#conversation, event);
    this.#changed.fire({ type: 'event', event });
  }
}

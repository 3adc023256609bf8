import {
  comparedTurns,
  conversationOf,
  defaultChoice,
  runningTurns,
  shownTurn,
} from '../../core/conversation/comparison.ts';
import {
  emptyConversation,
  runningTurn,
  type Attachment,
  type ChosenPreset,
  type Conversation,
  type FileChange,
  type FileRestore,
  type UserMessage,
  type RequestOptions,
  type Turn,
  type TurnError,
} from '../../core/conversation/conversation.ts';
import type {
  ChatShorten,
  ChatUsage,
  ConversationEvent,
  TurnEvent,
} from '../../core/conversation/events.ts';
import type { PartChoice } from '../../core/conversation/partChoices.ts';
import { turnsOfAllPaths } from '../../core/conversation/paths.ts';
import { reduce } from '../../core/conversation/reduce.ts';
import { windowAround, type ConversationWindow } from '../../core/conversation/window.ts';
import type { Client } from '../../core/service/client.ts';
import { ServiceError } from '../../core/service/errors.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { raceAbort, TaskQueue } from '../../core/support/async.ts';
import { background } from '../../core/support/background.ts';
import { monotonicWallClock, type Clock } from '../../core/support/clock.ts';
import { Emitter, type Disposable, type Event } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import { pathsOfTurns } from '../../core/turn/instructionScope.ts';
import type { ImageUrls } from '../../core/turn/messagePieces.ts';
import {
  buildRequest,
  requestRoom,
  sentImages,
  tokensOfPrompt,
  type PromptSettings,
} from '../../core/turn/prompt.ts';
import { partsOfTurn } from '../../core/turn/requestParts.ts';
import type { TokenMeter } from '../../core/turn/requestUsage.ts';
import { runTurn, type TurnTools } from '../../core/turn/runTurn.ts';
import { UserError } from '../errors.ts';
import {
  comparedTurnStart,
  lastRequest,
  previewTurn,
  turnStart,
  type NextTurnOptions,
  type RequestPlan,
  type SentWith,
  type TurnPreview,
} from './nextTurn.ts';
import { Restoration, type ReadConversation } from '../../core/conversation/restoration.ts';

export interface ChatOptions extends NextTurnOptions {
  readonly clock: Clock;
  /** The service of a model; rejects if there is none. */
  readonly connect: (
    purpose: 'chat' | 'compare',
    model: string,
  ) => Promise<{ readonly client: Client; readonly demo: boolean }>;
  /**
   * Resolves when everything that settings add to a message is loaded.
   * @param about the paths that each message up to then is about
   */
  readonly prepare?: ((about: readonly (readonly string[])[]) => Promise<void>) | undefined;
  /** Reads the images of messages. */
  readonly loadImages?: ((images: readonly Attachment[]) => Promise<ImageUrls>) | undefined;
  /** Maps a request to the one that the client sends. */
  readonly asSent?: (request: CompletionRequest) => CompletionRequest;
  readonly meter: TokenMeter;
  readonly describe: (error: unknown, model: string) => TurnError;
  /** Rejects if a message must not be sent, or one of the models can't take it. */
  readonly checkMessage: (message: UserMessage, models: readonly string[]) => Promise<void>;
  /** The tools that the model of a turn may use; undefined if it gets none. */
  readonly tools: (turn: Turn) => Promise<Omit<TurnTools, 'resumed'> | undefined>;
  /** Called when a model replied without tools after it had refused a request with them. */
  readonly onToolsRefused: (model: string) => void;
}

/** Changes to a message that is sent again. */
export interface ResendOptions {
  readonly text?: string;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly model?: string;
  readonly withoutTools?: boolean;
  /** The files that were restored before. */
  readonly fileRestore?: FileRestore | undefined;
  /** Called when the turn starts. */
  readonly onStart?: () => void;
}

/** Controls of a running turn, which can be stopped, or continued after a pause. */
interface TurnRun {
  readonly abort: AbortController;
  /** The times of its events, which changes of the system clock don't affect. */
  readonly now: () => number;
  /** Resolves when all work of the turn has ended. */
  ended: Promise<void>;
  resume?: () => void;
}

/** A change of the chat: an event of its conversation, or all of it, which was read again. */
export type ChatChange =
  | { readonly type: 'event'; readonly event: ConversationEvent }
  /** `isShown` is true if its newest turns are shown already. */
  | { readonly type: 'replace'; readonly isShown: boolean };

/**
 * Access of this window to a conversation: it may write it, only end its own turns, or only show the
 * turns that another window writes.
 */
export type ChatAccess = 'write' | 'leave' | 'read';

/** One conversation and its running turns: several while replies are compared. */
export class Chat implements Disposable {
  readonly #options: ChatOptions;
  readonly #changed = new Emitter<ChatChange>();
  readonly #waitingChanged = new Emitter<number>();
  readonly #closing = new AbortController();
  readonly #restoration = new Restoration({
    enqueue: (work) => this.#append(work),
    open: (conversation, isShown) => this.#open(conversation, isShown),
  });
  #conversation: Conversation;
  /** Keyed by turn id. */
  readonly #runs = new Map<string, TurnRun>();
  readonly #tasks = new TaskQueue();
  #waiting = 0;
  /** Messages that are being sent, and whose turns have not started. */
  readonly #unstarted = new Set<UserMessage>();
  readonly #withdrawn = new WeakSet<UserMessage>();
  #definitions: readonly ToolDefinition[] | undefined;
  #sent: SentWith | undefined;
  #readNewer: (() => Promise<Conversation | undefined>) | undefined;
  #access: ChatAccess = 'write';
  /** Reason that the person reads when the chat may not be changed. */
  #reason = '';

  readonly onDidChange = this.#changed.event;
  /** Fires when the conversation was read: from disk, or after another window wrote it. */
  readonly onDidReplace: Event<unknown> = (listener) =>
    this.onDidChange((change) => {
      if (change.type === 'replace') listener(undefined);
    });

  /** Fires when a message is queued, or leaves the queue. */
  readonly onDidWait = this.#waitingChanged.event;

  constructor(options: ChatOptions, conversation?: Conversation) {
    this.#options = options;
    this.#conversation = conversation ?? emptyConversation(newId());
  }

  get conversation(): Conversation {
    return this.#conversation;
  }

  /** Whether a turn runs in this window. */
  get isRunning(): boolean {
    return runningTurns(this.#conversation).length > 0 && !this.isReadOnly;
  }

  /** Whether another window writes the conversation. */
  get isReadOnly(): boolean {
    return this.#access === 'read';
  }

  /** Whether a turn runs, or a message is being sent. */
  get isBusy(): boolean {
    return this.isRunning || this.#unstarted.size > 0;
  }

  /** @param reason message for a person who tries to change the chat */
  setAccess(access: ChatAccess, reason = ''): void {
    this.#access = access;
    this.#reason = reason;
  }

  /** Aborted once the chat is closed: it sends and changes nothing more. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Whether this window may change the conversation. */
  get mayWrite(): boolean {
    return this.#access === 'write' && !this.closed.aborted;
  }

  /**
   * Every effect of a message or a button comes right after this, with no other work between.
   * @throws {UserError} if this window may not change the conversation
   * @throws {DOMException} an `AbortError`, which isn't shown, once the chat is closed
   */
  requireWrite(): void {
    this.closed.throwIfAborted();
    if (!this.mayWrite) throw new UserError(this.#reason);
  }

  /** True if nothing was sent or set in the chat. False until it is restored. */
  get isBlank(): boolean {
    const { turns, options, partChoices, preset } = this.#conversation;
    const isChosen = partChoices !== undefined || preset !== undefined;
    const isSet = Object.keys(options).length > 0 || isChosen;
    const isEmpty = turns.length === 0 && !isSet;
    return isEmpty && !this.isBusy && this.#restoration.isComplete;
  }

  /** True if the turn is on the visible path, or can be chosen for it. */
  hasTurn(id: string): boolean {
    return shownTurn(this.#conversation, id) !== undefined;
  }

  /** True if the turn belongs to this chat, including replaced versions. */
  ownsTurn(id: string): boolean {
    return turnsOfAllPaths(this.#conversation).some((turn) => turn.id === id);
  }

  /** Number of messages waiting for the running turn to end. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Rejects with a message for the person if a message must not be sent, or one of the models can't
   * take it.
   */
  checkMessage(message: UserMessage, models: readonly string[] = []): Promise<void> {
    return this.#options.checkMessage(message, models);
  }

  /**
   * The tool definitions of the last request that may have some; undefined before the first was sent
   * or planned.
   */
  get definitions(): readonly ToolDefinition[] | undefined {
    return this.#definitions;
  }

  /** The turn that a message would start, after all current turns or instead of one. */
  preview(message: UserMessage, model: string, replaced?: string): TurnPreview {
    const { turns } = this.#conversation;
    const index = turns.findIndex(({ id }) => id === replaced);
    const now =
      index < 0
        ? this.#conversation
        : { ...this.#conversation, turns: turns.slice(0, index), running: undefined };
    return previewTurn(message, model, now, this.#options);
  }

  /** The request that a message would be sent as, with its parts. Sends nothing. */
  async planRequest(message: UserMessage, model: string): Promise<RequestPlan> {
    await this.restored();
    const next = this.preview(message, model);
    await this.#options.prepare?.(pathsOfTurns(next.conversation, next.turn));
    const { conversation, turn, settings: known } = this.preview(message, model);
    const settings = await this.#withImages(known, conversation, turn);
    const tools = await this.#options.tools(turn);
    const definitions = tools?.toolbox.definitions ?? [];
    if (tools !== undefined) this.#definitions ??= definitions;
    const built = buildRequest(conversation, turn, settings, definitions);
    const request = this.#options.asSent?.(built) ?? built;
    const parts = partsOfTurn(request, conversation, turn, settings);
    const { listParts, possibleParts } = await import('../../core/turn/listedParts.ts');
    // An image that is not sent is listed by its outline.
    const sent = new Set(sentImages(conversation, turn));
    const images = known.images && {
      images: (image: Attachment) => (sent.has(image) ? settings : known).images?.(image),
    };
    const possible = possibleParts(conversation, turn, { ...settings, ...images }, definitions);
    return {
      request,
      parts,
      listed: listParts(parts, possible, turn),
      turn: turn.id,
      room: tokensOfPrompt(settings, conversation.options),
      last: lastRequest(conversation, this.#sent, { settings, definitions }),
    };
  }

  /** Whether {@link checkMessage} accepts a text. */
  maySend(text: string): Promise<boolean> {
    return this.checkMessage({ text, attachments: [] }).then(
      () => true,
      () => false,
    );
  }

  /** Sends a message after all queued ones. Resolves with the turn when it has ended. */
  send(message: UserMessage, model: string): Promise<Turn> {
    return this.#sending(message, [model], () => {
      if (this.#withdrawn.has(message)) throw takenBack();
      this.#choose();
      return this.#start(message, model);
    });
  }

  /**
   * Sends a message to several models at once, after all queued ones. Resolves with their turns, in
   * the order of the models, when all have ended. They get only tools that read.
   * @param models at least two
   * @param instead the turn whose message it is, which stays as another version
   * @param onStart called when the turns start
   */
  compare(
    message: UserMessage,
    models: readonly string[],
    instead?: string,
    onStart?: () => void,
  ): Promise<readonly Turn[]> {
    return this.#sending(message, models, () => {
      if (instead !== undefined && shownTurn(this.#conversation, instead) === undefined)
        throw new Error('This turn no longer exists.');
      this.#choose(instead);
      if (instead !== undefined) this.#dispatch({ type: 'turn-remove', id: instead });
      return this.#startCompared(message, models, onStart);
    });
  }

  /**
   * Takes a message back that was sent, together with its turn, which is stopped and removed. False
   * if its turn has ended, or it is not of this chat.
   */
  withdraw(message: UserMessage): boolean {
    const isRunning = this.#conversation.running?.question === message;
    if (!isRunning && !this.#unstarted.has(message)) return false;
    this.#withdrawn.add(message);
    this.#unstarted.delete(message);
    if (isRunning) this.stop();
    return true;
  }

  /**
   * Sends the message of a turn again. That turn and all later ones stay as another version. A turn
   * that is compared is replaced among those to choose from, if its message stays the same.
   */
  resend(id: string, change: ResendOptions): Promise<Turn> {
    return this.#enqueue(async () => {
      await this.#prepareWrite();
      const turn = shownTurn(this.#conversation, id);
      if (turn === undefined) throw new Error('This turn no longer exists.');
      const { text = turn.question.text, attachments = turn.question.attachments } = change;
      const isSame = text === turn.question.text && attachments === turn.question.attachments;
      if (isCompared(this.#conversation, id) && isSame) return this.#resendCompared(turn, change);
      const message = { text, attachments };
      await this.checkMessage(message, [change.model ?? turn.model]);
      this.requireWrite();
      this.#choose(id);
      this.#dispatch({ type: 'turn-remove', id });
      return this.#start(message, change.model ?? turn.model, change);
    });
  }

  /** Shows another version of a message or a reply, and the turns that followed it. */
  selectVersion(turn: string): Promise<void> {
    return this.#changeBetweenTurns({ type: 'version-select', turn });
  }

  /** Adds a summary that is sent instead of turns, or the usage of a request for one. */
  shorten(event: ChatShorten | ChatUsage): Promise<void> {
    return this.#changeBetweenTurns(event);
  }

  /** Lets a summary be sent, or the messages in its place. */
  useSummary(summary: string, used: boolean): Promise<void> {
    return this.#changeBetweenTurns({ type: 'summary-use', summary, used });
  }

  /** Changes the content of requests, which must stay the same while a turn runs. */
  #changeBetweenTurns(event: ConversationEvent): Promise<void> {
    return this.#enqueue(async () => {
      await this.#prepareWrite();
      // An event without effect is not written.
      if (reduce(this.#conversation, event) !== this.#conversation) this.#dispatch(event);
    });
  }

  /**
   * Continues the newest turn, which ended early. Resolves when it has ended.
   * @param onStart called when it goes on
   */
  continue(onStart?: () => void): Promise<Turn> {
    return this.#enqueue(async () => {
      const { turns } = this.#conversation;
      await this.#prepareWrite();
      if (this.#conversation.turns.at(-1)?.id !== turns.at(-1)?.id)
        throw new Error('This turn is no longer the newest.');
      this.#dispatch({ type: 'turn-continue', at: this.#options.clock.wall() });
      onStart?.();
      return this.#run();
    });
  }

  /**
   * Aborts the requests of all running turns, or of one. The text received so far is kept.
   * @param turn the only one to stop
   */
  stop(turn?: string): void {
    for (const [id, { abort }] of this.#runs) if (turn === undefined || turn === id) abort.abort();
  }

  /** Stops all running turns, and resolves when they have ended. */
  async end(): Promise<void> {
    this.stop();
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
  }

  /** Ends all running turns and all waiting work for good. */
  close(): Promise<void> {
    this.#closing.abort();
    return this.end();
  }

  /** Resumes a running turn if it is paused at a limit. */
  resume(turn = this.#conversation.running?.id ?? ''): void {
    if (shownTurn(this.#conversation, turn)?.status === 'paused') this.#runs.get(turn)?.resume?.();
  }

  /** Records the files that a turn changed, and their status. */
  setChanges(turn: string, changes: readonly FileChange[]): void {
    // Another window records its own changes of the files.
    if (this.isReadOnly || this.closed.aborted) return;
    this.#dispatch({ type: 'files-change', turn, changes });
  }

  /** Records the files that were restored before the message of a turn was sent again. */
  setFileRestore(turn: string, restore: FileRestore): void {
    this.#dispatch({ type: 'files-restore', turn, restore });
  }

  /** An empty title stands for the first line of the chat. */
  setTitle(title: string): void {
    this.requireWrite();
    this.#dispatch({ type: 'title-change', title });
  }

  setPinned(pinned: boolean): void {
    this.requireWrite();
    this.#dispatch({ type: 'pin-change', pinned });
  }

  setOptions(options: RequestOptions): void {
    this.requireWrite();
    this.#dispatch({ type: 'options-change', options });
  }

  /** Chooses a preset for the next messages; undefined takes it off. */
  setPreset(preset: ChosenPreset | undefined): void {
    this.requireWrite();
    this.#dispatch({ type: 'preset-change', ...(preset && { preset }) });
  }

  /**
   * Excludes parts from the next request, or pins them. A running turn isn't affected.
   * @param parts their keys
   * @param choice undefined takes the choice back
   */
  chooseParts(parts: readonly string[], choice: PartChoice | undefined): void {
    this.requireWrite();
    const event = { type: 'part-choice', parts, ...(choice && { choice }) } as const;
    // An unchanged choice is not written.
    if (reduce(this.#conversation, event) !== this.#conversation) this.#dispatch(event);
  }

  /** Adds events that another window has written. */
  show(events: readonly ConversationEvent[]): void {
    for (const event of events) this.#dispatch(event);
  }

  /** Sets how to read the conversation to restore, which is done when it is first needed. */
  restoreWith(read: ReadConversation): void {
    this.#restoration.readWith(read);
  }

  /** Sets the function that reads the additions of other windows, which runs before each turn. */
  refreshWith(read: () => Promise<Conversation | undefined>): void {
    this.#readNewer = read;
  }

  /** Resolves when there is something to show of the restored conversation. */
  begun(): Promise<void> {
    return this.#restoration.begun();
  }

  /** Resolves when the conversation is restored. Messages are sent only after that. */
  restored(): Promise<void> {
    return this.#restoration.restored();
  }

  /** The turns to show: those around the given turn, or the newest. */
  windowAround(id?: string): ConversationWindow {
    return this.#restoration.newest ?? windowAround(this.#conversation, id);
  }

  dispose(): void {
    this.#closing.abort();
    this.stop();
    this.#changed.dispose();
    this.#waitingChanged.dispose();
  }

  #open(conversation: Conversation | undefined, isShown = false): void {
    this.#conversation = conversation ?? emptyConversation(newId());
    this.#changed.fire({ type: 'replace', isShown });
  }

  /** Sends a message after all queued ones; `start` is called when it is its turn. */
  async #sending<T>(
    message: UserMessage,
    models: readonly string[],
    start: () => Promise<T>,
  ): Promise<T> {
    this.#unstarted.add(message);
    try {
      await this.checkMessage(message, models);
      return await this.#enqueue(async () => {
        await this.#prepareWrite();
        this.#unstarted.delete(message);
        return start();
      });
    } finally {
      this.#unstarted.delete(message);
    }
  }

  /** Adds the events of other windows before this one continues. */
  async #prepareWrite(): Promise<void> {
    this.closed.throwIfAborted();
    const newer = await this.#readNewer?.();
    if (newer !== undefined) this.#open(newer);
    this.requireWrite();
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    if (!this.closed.aborted) background(this.restored());
    return this.#append(work);
  }

  #append<T>(work: () => Promise<T>): Promise<T> {
    this.#updateWaiting(1);
    return this.#tasks.run(() => {
      this.#updateWaiting(-1);
      return work();
    });
  }

  #updateWaiting(change: number): void {
    this.#waiting += change;
    // While no turn runs, queued work starts at once and is not reported as waiting.
    if (this.isRunning) this.#waitingChanged.fire(this.#waiting);
  }

  async #start(message: UserMessage, model: string, change: ResendOptions = {}): Promise<Turn> {
    const { withoutTools, fileRestore, onStart } = change;
    const start = turnStart(message, model, this.#conversation, this.#options);
    this.#dispatch({ ...start, ...(withoutTools === true ? { withoutTools } : {}) });
    if (fileRestore !== undefined) this.setFileRestore(start.id, fileRestore);
    onStart?.();
    return this.#noteTools(await this.#run(), withoutTools);
  }

  /** @param wereRefused whether a request with tools was refused before */
  #noteTools(ended: Turn, wereRefused = false): Turn {
    if (wereRefused && ended.status === 'finished') this.#options.onToolsRefused(ended.model);
    return ended;
  }

  /**
   * Chooses one of the compared turns if the person chose none: the turn with this id, or the
   * default if the id is of another turn.
   */
  #choose(id = ''): void {
    const turns = comparedTurns(this.#conversation);
    const turn =
      turns.find((candidate) => candidate.id === id) ?? defaultChoice(this.#conversation);
    if (turn !== undefined) this.#dispatch({ type: 'version-select', turn: turn.id });
  }

  #startCompared(
    message: UserMessage,
    models: readonly string[],
    onStart?: () => void,
  ): Promise<readonly Turn[]> {
    const [first, ...others] = models.map((model) =>
      turnStart(message, model, this.#conversation, this.#options),
    );
    if (first === undefined) throw new Error('There is no model to compare.');
    for (const event of [first, ...others.map((start) => comparedTurnStart(start))])
      this.#dispatch(event);
    onStart?.();
    return Promise.all([first, ...others].map(({ id }) => this.#run(id)));
  }

  async #resendCompared(
    turn: Turn,
    { model = turn.model, withoutTools, onStart }: ResendOptions,
  ): Promise<Turn> {
    const before = conversationOf(this.#conversation, turn.id);
    const start = turnStart(turn.question, model, before, this.#options);
    this.#dispatch({
      ...comparedTurnStart(start, turn.id),
      ...(withoutTools === true ? { withoutTools } : {}),
    });
    onStart?.();
    return this.#noteTools(await this.#run(start.id), withoutTools);
  }

  async #run(id = runningTurn(this.#conversation).id): Promise<Turn> {
    const abort = new AbortController();
    const now = monotonicWallClock(this.#options.clock);
    const run: TurnRun = { abort, now, ended: Promise.resolve() };
    this.#runs.set(id, run);
    if (this.closed.aborted) this.stop();
    const turn = runningTurn(this.#seenBy(id));
    run.ended = this.#runTurn(turn, run)
      .catch((error: unknown) => this.#end(turn, now(), abort.signal.aborted ? undefined : error))
      .finally(() => this.#runs.delete(id));
    await run.ended;
    if (this.#withdrawn.has(turn.question)) {
      this.#dispatch({ type: 'turn-remove', id, moved: true });
      throw takenBack();
    }
    const ended = shownTurn(this.#conversation, id);
    if (ended === undefined) throw new Error('This turn no longer exists.');
    return ended;
  }

  async #runTurn(turn: Turn, run: TurnRun): Promise<void> {
    const { signal } = run.abort;
    const { connect, clock, meter, describe, settings, prepare, tools } = this.#options;
    const compared = isCompared(this.#conversation, turn.id);
    const connecting = connect(compared ? 'compare' : 'chat', turn.model);
    const { client, demo } = await raceAbort(connecting, signal);
    if (turn.model === '') throw new ServiceError('missing-model', 'No model is chosen');
    const about = pathsOfTurns(this.#seenBy(turn.id), turn);
    await raceAbort(prepare?.(about) ?? Promise.resolve(), signal);
    const wanted = turn.withoutTools === true ? Promise.resolve(undefined) : tools(turn);
    const all = await raceAbort(wanted, signal);
    const usable = all && compared ? { ...all, toolbox: all.toolbox.reading } : all;
    if (turn.withoutTools !== true) this.#definitions = all?.toolbox.definitions ?? [];
    const { summaries } = this.#conversation;
    const tokensOf = (length: number): number => meter.estimate(turn.model, length, 'prompt');
    const known = settings(turn.model);
    const images = this.#withImages(known, this.#seenBy(turn.id), turn);
    const prompt = await raceAbort(images, signal);
    const room = requestRoom(this.#conversation, prompt, tokensOf);
    const sent = { turn: turn.id, settings: { ...prompt, room }, summaries };
    this.#sent = { ...sent, definitions: usable?.toolbox.definitions ?? [] };
    const events = runTurn(() => this.#seenBy(turn.id), {
      client,
      clock,
      now: run.now,
      meter,
      signal,
      settings: sent.settings,
      describe: (error) => describe(error, turn.model),
      tools: usable && { ...usable, resumed: () => resumed(run) },
    });
    for await (const event of events) {
      if (event.type === 'usage' && this.#sent.turn === turn.id)
        this.#sent = { ...this.#sent, usage: event.usage };
      const isUsage = event.type === 'usage' || event.type === 'request-sent';
      this.#dispatchIn(turn.id, isUsage && demo ? { ...event, demo } : event);
    }
  }

  /** The settings with the images that are sent, in place of their outlines. */
  async #withImages(
    settings: PromptSettings,
    conversation: Conversation,
    turn: Turn,
  ): Promise<PromptSettings> {
    const { loadImages } = this.#options;
    if (settings.images === undefined || loadImages === undefined) return settings;
    return { ...settings, images: await loadImages(sentImages(conversation, turn)) };
  }

  /** The conversation as a running turn sees it: without those that it is compared with. */
  #seenBy(turn: string): Conversation {
    return conversationOf(this.#conversation, turn);
  }

  #dispatchIn(turn: string, event: TurnEvent): void {
    const isNewest = this.#conversation.running?.id === turn;
    this.#dispatch(isNewest ? event : { type: 'compared-turn-event', turn, event });
  }

  /** Ends a turn whose request was never sent, because of an error or Stop. */
  #end(turn: Turn, at: number, error: unknown): void {
    const { describe } = this.#options;
    if (error === undefined) {
      this.#dispatchIn(turn.id, { type: 'turn-end', status: 'stopped', at });
      return;
    }
    const status = turn.parts.length === 0 ? 'failed' : 'cut';
    const failure = describe(error, turn.model);
    this.#dispatchIn(turn.id, { type: 'turn-end', status, error: failure, at });
  }

  #dispatch(event: ConversationEvent): void {
    this.#conversation = reduce(this.#conversation, event);
    this.#changed.fire({ type: 'event', event });
  }
}

/** The error of a message that the person moves: work that was stopped, so no error is shown or logged. */
function takenBack(): Error {
  return new DOMException('This message was taken back.', 'AbortError');
}

function isCompared(conversation: Conversation, id: string): boolean {
  return comparedTurns(conversation).some((turn) => turn.id === id);
}

/** Resolves when the person continues the turn. */
function resumed(run: TurnRun): Promise<void> {
  return new Promise((resolve) => (run.resume = resolve));
}

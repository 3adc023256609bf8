import { runningTurns, shownTurn } from '../../core/conversation/comparison.ts';
import {
  emptyConversation,
  type ChosenPreset,
  type Conversation,
  type FileChange,
  type FileRestore,
  type UserMessage,
  type RequestOptions,
  type Turn,
} from '../../core/conversation/conversation.ts';
import type { ChatShorten, ChatUsage, ConversationEvent } from '../../core/conversation/events.ts';
import type { ChatMode } from '../../core/conversation/mode.ts';
import { LiveConversation, type ChatChange } from '../../core/conversation/liveConversation.ts';
import type { PartChoice } from '../../core/conversation/partChoices.ts';
import { turnsOfAllPaths } from '../../core/conversation/paths.ts';
import { Restoration, type ReadConversation } from '../../core/conversation/restoration.ts';
import { windowAround, type ConversationWindow } from '../../core/conversation/window.ts';
import { background } from '../../core/support/background.ts';
import type { Disposable, Event } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import { ChatTurns, type ChatTurnsOptions, type ResendOptions } from '../../core/turn/chatTurns.ts';
import type { RequestPlan, TurnPreview } from '../../core/turn/nextTurn.ts';
import { RequestPlanner, type RequestPlannerOptions } from '../../core/turn/requestPlanner.ts';
import { TurnQueue } from '../../core/turn/turnQueue.ts';
import { UserError } from '../errors.ts';
import type { ChatAccess, StoredChat } from '../journal/conversationStore.ts';

export interface ChatOptions
  extends ChatTurnsOptions, Pick<RequestPlannerOptions, 'loadImages' | 'asSent'> {
  /** Rejects if a message must not be sent, or one of the models can't take it. */
  readonly checkMessage: (message: UserMessage, models: readonly string[]) => Promise<void>;
  /** The mode of chats that have none yet; Agent if absent. */
  readonly proposedMode?: (() => ChatMode) | undefined;
}

/** One conversation and its running turns: several while replies are compared. */
export class Chat implements StoredChat, Disposable {
  readonly #conversation: LiveConversation;
  readonly #planner: RequestPlanner;
  readonly #turns: ChatTurns;
  readonly #queue: TurnQueue;
  readonly #restoration: Restoration;
  readonly #closing = new AbortController();
  readonly #proposedMode: () => ChatMode;
  #readNewer: (() => Promise<Conversation | undefined>) | undefined;
  #access: ChatAccess = 'write';
  /** Reason that the person reads when the chat may not be changed. */
  #reason = '';

  readonly onDidChange: Event<ChatChange>;
  /** Fires when a message is queued, or leaves the queue. */
  readonly onDidWait: Event<number>;
  /**
   * Rejects with a message for the person if a message must not be sent, or one of the models can't
   * take it.
   */
  readonly checkMessage: (message: UserMessage, models?: readonly string[]) => Promise<void>;

  constructor(options: ChatOptions, conversation = emptyConversation(newId())) {
    const { checkMessage } = options;
    const live = new LiveConversation(conversation);
    this.#conversation = live;
    this.#planner = new RequestPlanner(live, options);
    this.#turns = new ChatTurns(live, this.#planner, options);
    this.#queue = new TurnQueue({ isRunning: () => this.isRunning, checkMessage });
    this.#restoration = new Restoration({
      enqueue: (work) => this.#queue.run(work),
      open: (restored, isShown) => this.#replace(restored, isShown),
    });
    this.#proposedMode = options.proposedMode ?? ((): ChatMode => 'agent');
    this.checkMessage = (message, models = []) => checkMessage(message, models);
    this.onDidChange = live.onDidChange;
    this.onDidWait = this.#queue.onDidChange;
  }

  get conversation(): Conversation {
    return this.#conversation.current;
  }

  /** Fires when the conversation was read: from disk, or after another window wrote it. */
  readonly onDidReplace: Event<unknown> = (listener) =>
    this.onDidChange((change) => {
      if (change.type === 'replace') listener(undefined);
    });

  /** True if a turn runs in this window. */
  get isRunning(): boolean {
    return runningTurns(this.conversation).length > 0 && !this.isReadOnly;
  }

  /** True if another window writes the conversation. */
  get isReadOnly(): boolean {
    return this.#access === 'read';
  }

  /** True if a turn runs, or a message is being sent. */
  get isBusy(): boolean {
    return this.isRunning || this.#queue.isSending;
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

  /** True if this window may change the conversation. */
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
    const { turns, options, partChoices, preset } = this.conversation;
    const isChosen = partChoices !== undefined || preset !== undefined;
    const isSet = turns.length > 0 || Object.keys(options).length > 0 || isChosen;
    return !isSet && !this.isBusy && this.#restoration.isComplete;
  }

  /** True if the turn is on the visible path, or can be chosen for it. */
  hasTurn(id: string): boolean {
    return shownTurn(this.conversation, id) !== undefined;
  }

  /** True if the turn belongs to this chat, including replaced versions. */
  ownsTurn(id: string): boolean {
    return turnsOfAllPaths(this.conversation).some((turn) => turn.id === id);
  }

  /** Number of messages waiting for the running turn to end. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** True if {@link checkMessage} accepts a text. */
  maySend(text: string): Promise<boolean> {
    return this.checkMessage({ text, attachments: [] }).then(
      () => true,
      () => false,
    );
  }

  /** See {@link RequestPlanner.definitions}. */
  get definitions(): readonly ToolDefinition[] | undefined {
    return this.#planner.definitions;
  }

  /** The turn that a message would start, after all current turns or instead of one. */
  preview(message: UserMessage, model: string, replaced?: string): TurnPreview {
    return this.#planner.preview(message, model, replaced);
  }

  /** The request that a message would be sent as, with its parts. Sends nothing. */
  async planRequest(message: UserMessage, model: string): Promise<RequestPlan> {
    await this.restored();
    return this.#planner.plan(message, model);
  }

  /** Sends a message after all queued ones. Resolves with the turn when it has ended. */
  send(message: UserMessage, model: string): Promise<Turn> {
    return this.#send(message, [model], () => {
      this.#fixMode();
      this.#turns.choose();
      return this.#turns.start(message, model);
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
    return this.#send(message, models, () => {
      if (instead !== undefined && !this.hasTurn(instead))
        throw new Error('This turn no longer exists.');
      this.#fixMode();
      this.#turns.choose(instead);
      if (instead !== undefined) this.#conversation.apply({ type: 'turn-remove', id: instead });
      return this.#turns.compare(message, models, onStart);
    });
  }

  /**
   * Takes a message back that was sent, together with its turn, which is stopped and removed. False
   * if its turn has ended, or it is not of this chat.
   */
  withdraw(message: UserMessage): boolean {
    return this.#turns.withdraw(message) || this.#queue.withdraw(message);
  }

  /**
   * Sends the message of a turn again. That turn and all later ones stay as another version. A turn
   * that is compared is replaced among those to choose from, if its message stays the same.
   */
  resend(id: string, change: ResendOptions): Promise<Turn> {
    return this.#enqueueWrite(async () => {
      const turn = shownTurn(this.conversation, id);
      if (turn === undefined) throw new Error('This turn no longer exists.');
      const { text = turn.question.text, attachments = turn.question.attachments } = change;
      const message = { text, attachments };
      await this.checkMessage(message, [change.model ?? turn.model]);
      this.requireWrite();
      return this.#turns.resend(turn, message, change);
    });
  }

  /**
   * Continues the newest turn, which ended early. Resolves when it has ended.
   * @param onStart called when it goes on
   */
  continue(onStart?: () => void): Promise<Turn> {
    return this.#enqueue(async () => {
      const newest = this.conversation.turns.at(-1)?.id;
      await this.#addNewer();
      this.requireWrite();
      if (this.conversation.turns.at(-1)?.id !== newest)
        throw new Error('This turn is no longer the newest.');
      return this.#turns.continue(onStart);
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
    return this.#enqueueWrite(() => this.#conversation.applyChange(event));
  }

  /**
   * Aborts the requests of all running turns, or of one. The text received so far is kept.
   * @param turn the only one to stop
   */
  stop(turn?: string): void {
    this.#turns.stop(turn);
  }

  /** Stops all running turns, and resolves when they have ended. */
  end(): Promise<void> {
    return this.#turns.end();
  }

  /** Ends all running turns and all waiting work for good. */
  close(): Promise<void> {
    this.#closing.abort();
    return this.#turns.close();
  }

  /** Resumes a running turn if it is paused at a limit. */
  resume(turn?: string): void {
    this.#turns.resume(turn);
  }

  /** Records the files that a turn changed, and their status. */
  setChanges(turn: string, changes: readonly FileChange[]): void {
    // Another window records its own changes of the files.
    if (this.isReadOnly || this.closed.aborted) return;
    this.#conversation.apply({ type: 'files-change', turn, changes });
  }

  /** Records the files that were restored before the message of a turn was sent again. */
  setFileRestore(turn: string, restore: FileRestore): void {
    this.#conversation.apply({ type: 'files-restore', turn, restore });
  }

  /** An empty title stands for the first line of the chat. */
  setTitle(title: string): void {
    this.#change({ type: 'title-change', title });
  }

  setPinned(pinned: boolean): void {
    this.#change({ type: 'pin-change', pinned });
  }

  /** Changes the options but for the mode. */
  setOptions(options: RequestOptions): void {
    const { mode } = this.conversation.options;
    this.#change({ type: 'options-change', options: { ...options, ...(mode && { mode }) } });
  }

  /** Which tools the model gets. The proposed mode is that of a chat without turns. */
  get mode(): ChatMode {
    const { options, turns, running } = this.conversation;
    const isNew = turns.length === 0 && running === undefined;
    return options.mode ?? (isNew ? this.#proposedMode() : 'agent');
  }

  setMode(mode: ChatMode): void {
    this.#change({ type: 'options-change', options: { ...this.conversation.options, mode } });
  }

  /** A chat keeps the mode that it began with, whatever is proposed later. */
  #fixMode(): void {
    const { mode } = this;
    if (this.conversation.options.mode === undefined && mode !== 'agent') this.setMode(mode);
  }

  /** Chooses a preset for the next messages; undefined takes it off. */
  setPreset(preset: ChosenPreset | undefined): void {
    this.#change({ type: 'preset-change', ...(preset && { preset }) });
  }

  /**
   * Excludes parts from the next request, or pins them. A running turn isn't affected.
   * @param parts their keys
   * @param choice undefined takes the choice back
   */
  chooseParts(parts: readonly string[], choice: PartChoice | undefined): void {
    this.requireWrite();
    this.#conversation.applyChange({ type: 'part-choice', parts, ...(choice && { choice }) });
  }

  #change(event: ConversationEvent): void {
    this.requireWrite();
    this.#conversation.apply(event);
  }

  /** Adds events that another window has written. */
  show(events: readonly ConversationEvent[]): void {
    for (const event of events) this.#conversation.apply(event);
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
    return this.#restoration.newest ?? windowAround(this.conversation, id);
  }

  dispose(): void {
    background(this.close());
    this.#conversation.dispose();
    this.#queue.dispose();
  }

  /** A conversation that is read after the end of the chat changes nothing. */
  #replace(conversation = emptyConversation(newId()), isShown = false): void {
    if (!this.closed.aborted) this.#conversation.replace(conversation, isShown);
  }

  #send<T>(message: UserMessage, models: readonly string[], start: () => Promise<T>): Promise<T> {
    return this.#queue.send(message, models, (task) => this.#enqueueWrite(task), start);
  }

  #enqueueWrite<T>(task: () => T | Promise<T>): Promise<T> {
    return this.#enqueue(async () => {
      await this.#addNewer();
      this.requireWrite();
      return task();
    });
  }

  /** Adds the events of other windows before this one continues. */
  async #addNewer(): Promise<void> {
    this.closed.throwIfAborted();
    const newer = await this.#readNewer?.();
    if (newer !== undefined) this.#replace(newer);
  }

  #enqueue<T>(task: () => Promise<T>): Promise<T> {
    if (!this.closed.aborted) background(this.restored());
    return this.#queue.run(task);
  }
}

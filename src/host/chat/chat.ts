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
import { modeOfMessage, type ChatMode } from '../../core/conversation/mode.ts';
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

export interface ChatOptions extends ChatTurnsOptions, RequestPlannerOptions {
  readonly checkMessage: (message: UserMessage, models: readonly string[]) => Promise<void>;
  /** The mode of chats that haven't got one; Agent if absent. */
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
  #reason = '';

  readonly onDidChange: Event<ChatChange>;
  readonly onDidWait: Event<number>;
  /**
   * Rejects with an error for the person if a message must not be sent, or one of the models can't
   * receive it.
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

  /** Fires when the conversation was read, from disk or after another window wrote it. */
  readonly onDidReplace: Event<unknown> = (listener) =>
    this.onDidChange((change) => {
      if (change.type === 'replace') listener(undefined);
    });

  get isRunning(): boolean {
    return runningTurns(this.conversation).length > 0 && !this.isReadOnly;
  }

  get isReadOnly(): boolean {
    return this.#access === 'read';
  }

  get isBusy(): boolean {
    return this.isRunning || this.#queue.isSending;
  }

  /** @param reason error message for attempts to change the chat */
  setAccess(access: ChatAccess, reason = ''): void {
    this.#access = access;
    this.#reason = reason;
  }

  /** Aborted when the chat is closed: it no longer sends or changes anything. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** True if this window may change the conversation. */
  get mayWrite(): boolean {
    return this.#access === 'write' && !this.closed.aborted;
  }

  /**
   * Must be called right before every effect of a message or a button, with no other work between.
   *
   * @throws {UserError} if this window may not change the conversation
   * @throws {DOMException} an `AbortError`, which isn't shown, if the chat is closed
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

  hasTurn(id: string): boolean {
    return shownTurn(this.conversation, id) !== undefined;
  }

  ownsTurn(id: string): boolean {
    return turnsOfAllPaths(this.conversation).some((turn) => turn.id === id);
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

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

  preview(message: UserMessage, model: string, replaced?: string): TurnPreview {
    return this.#planner.preview(message, model, replaced);
  }

  async planRequest(message: UserMessage, model: string): Promise<RequestPlan> {
    await this.restored();
    return this.#planner.plan(message, model);
  }

  send(message: UserMessage, model: string): Promise<Turn> {
    return this.#send(message, [model], () => {
      this.#fixMode(message);
      this.#turns.choose();
      return this.#turns.start(message, model);
    });
  }

  /**
   * Sends a message to several models at once, after all queued ones. Resolves with their turns, in
   * the order of the models, when all have ended. They get only read-only tools.
   *
   * @param models at least two
   * @param instead turn whose message it is; it becomes another version
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
      this.#fixMode(message);
      this.#turns.choose(instead);
      if (instead !== undefined) this.#conversation.apply({ type: 'turn-remove', id: instead });
      return this.#turns.compare(message, models, onStart);
    });
  }

  /**
   * Removes a message that was sent, and stops and removes its turn. False if its turn has ended,
   * or it isn't part of this chat.
   */
  withdraw(message: UserMessage): boolean {
    return this.#turns.withdraw(message) || this.#queue.withdraw(message);
  }

  /**
   * Sends the message of a turn again. That turn and all later ones become another version. A
   * compared turn is replaced within its comparison if its message stays the same.
   */
  resend(id: string, change: ResendOptions): Promise<Turn> {
    return this.#enqueueWrite(async () => {
      const turn = shownTurn(this.conversation, id);
      if (turn === undefined) throw new Error('This turn no longer exists.');
      const { text = turn.question.text, attachments = turn.question.attachments } = change;
      const message = { ...turn.question, text, attachments };
      await this.checkMessage(message, [change.model ?? turn.model]);
      this.requireWrite();
      this.#fixMode(message);
      return this.#turns.resend(turn, message, change);
    });
  }

  /**
   * Continues the newest turn, which ended early. Resolves when it has ended.
   *
   * @param onStart called when it continues
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

  selectVersion(turn: string): Promise<void> {
    return this.#changeBetweenTurns({ type: 'version-select', turn });
  }

  /** Adds a summary, or the usage of a request for one. */
  shorten(event: ChatShorten | ChatUsage): Promise<void> {
    return this.#changeBetweenTurns(event);
  }

  useSummary(summary: string, used: boolean): Promise<void> {
    return this.#changeBetweenTurns({ type: 'summary-use', summary, used });
  }

  /**
   * Applies changes that affect requests between turns, since a running turn's requests must stay
   * the same.
   */
  #changeBetweenTurns(event: ConversationEvent): Promise<void> {
    return this.#enqueueWrite(() => this.#conversation.applyChange(event));
  }

  /**
   * Aborts the requests of all running turns, or of one. The text received so far stays.
   *
   * @param turn the only one to stop
   */
  stop(turn?: string): void {
    this.#turns.stop(turn);
  }

  end(): Promise<void> {
    return this.#turns.end();
  }

  /** Ends all running turns and all waiting work permanently. */
  close(): Promise<void> {
    this.#closing.abort();
    return this.#turns.close();
  }

  resume(turn?: string): void {
    this.#turns.resume(turn);
  }

  setChanges(turn: string, changes: readonly FileChange[]): void {
    // Another window records its own file changes.
    if (this.isReadOnly || this.closed.aborted) return;
    this.#conversation.apply({ type: 'files-change', turn, changes });
  }

  setFileRestore(turn: string, restore: FileRestore): void {
    this.#conversation.apply({ type: 'files-restore', turn, restore });
  }

  /** An empty title restores the default, the first line of the chat. */
  setTitle(title: string): void {
    this.#change({ type: 'title-change', title });
  }

  setPinned(pinned: boolean): void {
    this.#change({ type: 'pin-change', pinned });
  }

  /** Sets the options, except the mode. */
  setOptions(options: RequestOptions): void {
    const { mode } = this.conversation.options;
    this.#change({ type: 'options-change', options: { ...options, ...(mode && { mode }) } });
  }

  /** The mode, which selects the tools. A chat without turns has the proposed mode. */
  get mode(): ChatMode {
    const { options, turns, running } = this.conversation;
    const isNew = turns.length === 0 && running === undefined;
    return options.mode ?? (isNew ? this.#proposedMode() : 'agent');
  }

  setMode(mode: ChatMode): void {
    this.#change({ type: 'options-change', options: { ...this.conversation.options, mode } });
  }

  /** A chat keeps its initial mode, even if another one is proposed later. A plan lowers it. */
  #fixMode(message: UserMessage): void {
    const mode = modeOfMessage(message, this.mode);
    if (mode !== (this.conversation.options.mode ?? 'agent')) this.setMode(mode);
  }

  /** Sets the preset for the next messages; undefined removes it. */
  setPreset(preset: ChosenPreset | undefined): void {
    this.#change({ type: 'preset-change', ...(preset && { preset }) });
  }

  /**
   * Excludes or pins parts of the next request. A running turn isn't affected.
   *
   * @param parts keys of the parts
   * @param choice undefined removes the choice
   */
  chooseParts(parts: readonly string[], choice: PartChoice | undefined): void {
    this.requireWrite();
    this.#conversation.applyChange({ type: 'part-choice', parts, ...(choice && { choice }) });
  }

  #change(event: ConversationEvent): void {
    this.requireWrite();
    this.#conversation.apply(event);
  }

  show(events: readonly ConversationEvent[]): void {
    for (const event of events) this.#conversation.apply(event);
  }

  /** Sets how to read the conversation, which is done on first use. */
  restoreWith(read: ReadConversation): void {
    this.#restoration.readWith(read);
  }

  /** Sets the function that reads additions of other windows before each turn. */
  refreshWith(read: () => Promise<Conversation | undefined>): void {
    this.#readNewer = read;
  }

  begun(): Promise<void> {
    return this.#restoration.begun();
  }

  restored(): Promise<void> {
    return this.#restoration.restored();
  }

  /** The visible turns: those around the turn with this id, or the newest. */
  windowAround(id?: string): ConversationWindow {
    return this.#restoration.newest ?? windowAround(this.conversation, id);
  }

  dispose(): void {
    background(this.close());
    this.#conversation.dispose();
    this.#queue.dispose();
  }

  /** A conversation that is read after the chat was closed is ignored. */
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

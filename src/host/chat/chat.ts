import {
  emptyConversation,
  type ChosenPreset,
  type Conversation,
  type FileChange,
  type FileRestore,
  type RunningProcess,
  type UserMessage,
  type RequestOptions,
  type Turn,
} from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { modeOfMessage, type ChatMode } from '../../core/conversation/mode.ts';
import { LiveConversation, type ChatChange } from '../../core/conversation/liveConversation.ts';
import type { PartChoice } from '../../core/conversation/partChoices.ts';
import { turnOfPath } from '../../core/conversation/paths.ts';
import { Restoration, type ReadConversation } from '../../core/conversation/restoration.ts';
import { windowAround, type ConversationWindow } from '../../core/conversation/window.ts';
import { background } from '../../core/support/background.ts';
import type { Disposable, Event } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import {
  ChatTurns,
  type ResendOptions,
  type TurnRunnerOptions,
} from '../../core/turn/chatTurns.ts';
import type { RequestPlan, TurnPreview } from '../../core/turn/nextTurn.ts';
import { RequestPlanner, type RequestPlannerOptions } from '../../core/turn/requestPlanner.ts';
import { TurnQueue } from '../../core/turn/turnQueue.ts';
import type { StoredChat } from '../journal/conversationStore.ts';
import { WriteAccess } from '../journal/writeAccess.ts';

export interface ChatOptions extends TurnRunnerOptions, RequestPlannerOptions {
  readonly checkMessage: (message: UserMessage, models: readonly string[]) => Promise<void>;
  /** The mode of chats that haven't got one; Agent if absent. */
  readonly proposedMode?: (() => ChatMode) | undefined;
}

type ChangeBetweenTurns = Extract<
  ConversationEvent,
  { type: 'version-select' | 'summary-use' | 'chat-shorten' | 'chat-usage' }
>;

/** An empty title restores the default, the first line of the chat. */
type ChatChangeByPerson = Extract<
  ConversationEvent,
  { type: 'title-change' | 'pin-change' | 'options-change' | 'preset-change' }
>;

/** One conversation and its running turn. */
export class Chat implements StoredChat, Disposable {
  readonly access = new WriteAccess();
  readonly #conversation: LiveConversation;
  readonly #planner: RequestPlanner;
  readonly #turns: ChatTurns;
  readonly #queue: TurnQueue;
  readonly #restoration: Restoration;
  readonly #proposedMode: () => ChatMode;

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

  /** Fires when the conversation was read. */
  readonly onDidReplace: Event<unknown> = (listener) =>
    this.onDidChange((change) => {
      if (change.type === 'replace') listener(undefined);
    });

  get isRunning(): boolean {
    return this.conversation.running !== undefined && !this.access.isReadOnly;
  }

  get isBusy(): boolean {
    return this.isRunning || this.#queue.isSending;
  }

  /** True if nothing was sent or set in the chat. False until it is restored. */
  get isBlank(): boolean {
    const { turns, options, partChoices, preset } = this.conversation;
    const isChosen = partChoices !== undefined || preset !== undefined;
    const isSet = turns.length > 0 || Object.keys(options).length > 0 || isChosen;
    return !isSet && !this.isBusy && this.#restoration.isComplete;
  }

  hasTurn(id: string): boolean {
    return turnOfPath(this.conversation, id) !== undefined;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** See {@link RequestPlanner.definitions}. */
  get definitions(): readonly ToolDefinition[] | undefined {
    return this.#planner.definitions;
  }

  preview(message: UserMessage, model: string, replaced?: string): TurnPreview {
    return this.#planner.preview(message, model, replaced);
  }

  async planRequest(message: UserMessage, model: string, replaced?: string): Promise<RequestPlan> {
    await this.restored();
    return this.#planner.plan(message, model, replaced);
  }

  send(message: UserMessage, model: string): Promise<Turn> {
    const enqueue = (task: () => Promise<Turn>): Promise<Turn> => this.#enqueueWrite(task);
    return this.#queue.send(message, model, enqueue, () => {
      this.#fixMode(message);
      return this.#turns.start(message, model);
    });
  }

  /** Sends the message of a turn again. That turn and all later ones become another version. */
  resend(id: string, change: ResendOptions): Promise<Turn> {
    return this.#enqueueWrite(async () => {
      const turn = turnOfPath(this.conversation, id);
      if (turn === undefined) throw new Error('This turn no longer exists.');
      const { text = turn.question.text, attachments = turn.question.attachments } = change;
      const message = { ...turn.question, text, attachments };
      await this.checkMessage(message, [change.model ?? turn.model]);
      this.access.requireWrite();
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
      this.access.requireWrite();
      return this.#turns.continue(onStart);
    });
  }

  /**
   * Applies a change that affects requests between turns, since a running turn's requests must stay
   * the same.
   */
  changeBetweenTurns(event: ChangeBetweenTurns): Promise<void> {
    return this.#enqueueWrite(() => this.#conversation.applyChange(event));
  }

  /** Aborts the requests of the running turn. The text received so far stays. */
  stop(): void {
    this.#turns.stop();
  }

  end(): Promise<void> {
    return this.#turns.end();
  }

  /** Ends the running turn and all waiting work permanently. */
  close(): Promise<void> {
    this.access.close();
    return this.#turns.close();
  }

  resume(): void {
    this.#turns.resume();
  }

  setChanges(turn: string, changes: readonly FileChange[]): void {
    // Another window records its own file changes.
    if (this.access.isReadOnly || this.access.closed.aborted) return;
    this.#conversation.apply({ type: 'files-change', turn, changes });
  }

  setLeftRunning(turn: string, call: string, processes: readonly RunningProcess[]): void {
    if (this.access.isReadOnly || this.access.closed.aborted) return;
    this.#conversation.apply({ type: 'processes-change', turn, call, processes });
  }

  setFileRestore(turn: string, restore: FileRestore): void {
    this.#conversation.apply({ type: 'files-restore', turn, restore });
  }

  change(event: ChatChangeByPerson): void {
    this.access.requireWrite();
    this.#conversation.apply(event);
  }

  /** Sets the preset for the next messages; undefined removes it. */
  setPreset(preset: ChosenPreset | undefined): void {
    this.change({ type: 'preset-change', ...(preset && { preset }) });
  }

  /** Sets the options, except the mode. */
  setOptions(options: RequestOptions): void {
    const { mode } = this.conversation.options;
    this.change({ type: 'options-change', options: { ...options, ...(mode && { mode }) } });
  }

  /** The mode, which selects the tools. A chat without turns of its own has the proposed mode. */
  get mode(): ChatMode {
    const { options, turns, running } = this.conversation;
    const isNew = turns.every(({ imported }) => imported === true) && running === undefined;
    return options.mode ?? (isNew ? this.#proposedMode() : 'agent');
  }

  setMode(mode: ChatMode): void {
    this.change({ type: 'options-change', options: { ...this.conversation.options, mode } });
  }

  /** A chat keeps its initial mode, even if another one is proposed later. A plan lowers it. */
  #fixMode(message: UserMessage): void {
    const mode = modeOfMessage(message, this.mode);
    if (mode !== (this.conversation.options.mode ?? 'agent')) this.setMode(mode);
  }

  /**
   * Excludes or pins parts of the next request. A running turn isn't affected.
   *
   * @param parts keys of the parts
   * @param choice undefined removes the choice
   */
  chooseParts(parts: readonly string[], choice: PartChoice | undefined): void {
    this.access.requireWrite();
    this.#conversation.applyChange({ type: 'part-choice', parts, ...(choice && { choice }) });
  }

  show(events: readonly ConversationEvent[]): void {
    for (const event of events) this.#conversation.apply(event);
  }

  /** Sets how to read the conversation, which is done on first use. */
  restoreWith(read: ReadConversation): void {
    this.#restoration.readWith(read);
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
    if (!this.access.closed.aborted) this.#conversation.replace(conversation, isShown);
  }

  #enqueueWrite<T>(task: () => T | Promise<T>): Promise<T> {
    return this.#enqueue(async () => {
      this.access.requireWrite();
      return task();
    });
  }

  #enqueue<T>(task: () => Promise<T>): Promise<T> {
    if (!this.access.closed.aborted) background(this.restored());
    return this.#queue.run(task);
  }
}

import {
  emptyConversation,
  lastTurn,
  mayHaveTools,
  runningTurn,
  type AttachedImage,
  type Attachment,
  type ChosenPreset,
  type Conversation,
  type FileRestore,
  type RequestOptions,
  type Turn,
  type UserMessage,
} from '../../core/conversation/conversation.ts';
import { imagesIn, imagesOfChat } from '../../core/conversation/attachedImage.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import type { ChatChange, LiveConversation } from '../../core/conversation/liveConversation.ts';
import { modeOfMessage, type ChatMode } from '../../core/conversation/mode.ts';
import type { PartChoice } from '../../core/conversation/partChoices.ts';
import { turnOfPath } from '../../core/conversation/paths.ts';
import { Restoration, type ReadConversation } from '../../core/conversation/restoration.ts';
import { windowAround, type ConversationWindow } from '../../core/conversation/window.ts';
import { TaskQueue } from '../../core/support/async.ts';
import { background, orUndefined } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { type Disposable, disposeAll, Emitter, type Event } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import {
  RequestPlanner,
  turnStart,
  type RequestPlan,
  type TurnHost,
  type TurnPreview,
} from '../../core/turn/nextTurn.ts';
import { runTurn, TurnControl } from '../../core/turn/runTurn.ts';
import { handle } from '../../protocol/call.ts';
import type { Call, Handlers, CallName, CallParameters, CallResults } from '../../protocol/rpc.ts';
import { Composer } from '../attachments/composer.ts';
import { UserError } from '../platform/errors.ts';
import {
  ConversationStore,
  type ChatOrigin,
  type ConversationStoreOptions,
} from './conversationStore.ts';
import { WriteAccess } from './writeAccess.ts';
import type { ChatPreset } from '../context/chatPreset.ts';
import type { ChatAccount } from '../usage/requestAdmission.ts';
import { paidUsage } from '../usage/usageByModel.ts';
import { changesChat, onlyReads } from './chatHandlers.ts';
import { ChatMemento } from './chatMemento.ts';
import { EditedMessages } from './editedMessages.ts';
import { ChatImages, type ImageFiles } from './imageFiles.ts';
import type { MessageModels } from './messageModels.ts';
import { MessageQueue, type WaitingCaller, type WaitingMessage } from './messageQueue.ts';
import { PanelStateSource, type PanelWindow } from './panelState.ts';
import { SideChat } from './sideChat.ts';

export interface ChatStart {
  readonly id: string;
  readonly origin: ChatOrigin;
  /** True for the first chat of a window, which adopts state of versions with a single chat. */
  readonly isFirst?: boolean;
}

/** What a chat needs of its window to send messages. */
export interface ChatHost extends TurnHost {
  /** Rejects if a message must not be sent, or one of the models can't receive it. */
  checkMessage(message: UserMessage, models: readonly string[]): Promise<void>;
  /** The mode of chats that haven't got one; Agent if absent. */
  readonly proposedMode?: ChatMode | undefined;
}

export interface ChatOptions {
  readonly start: ChatStart;
  /** Empty until it is read. */
  readonly conversation: LiveConversation;
  readonly host: (chat: Chat) => ChatHost;
  readonly preset: ChatPreset;
  readonly models: (chat: Chat) => MessageModels;
  readonly storing: Omit<ConversationStoreOptions, 'chat' | 'origin'>;
  readonly images: ImageFiles;
  readonly window: PanelWindow;
  /** The handlers of the calls of pages that show the chat. */
  readonly calls: (chat: Chat) => Handlers<ChatCallName>;
}

/** Calls that are handled by the chat rather than its page. */
export type ChatCallName = Exclude<CallName, 'draft' | 'find-references'>;

export interface ResendOptions {
  readonly text?: string;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly model?: string;
  readonly withoutTools?: boolean;
  /** Files that were restored before the message is sent again. */
  readonly fileRestore?: FileRestore | undefined;
  readonly onStart?: () => void;
}

type ChangeBetweenTurns = Extract<
  ConversationEvent,
  { type: 'version-select' | 'summary-use' | 'chat-shorten' | 'chat-usage' }
>;

/** What turns did outside the conversation. */
type TurnRecord = Extract<
  ConversationEvent,
  { type: 'files-change' | 'processes-change' | 'files-restore' }
>;

/** An empty title restores the default, the first line of the chat. */
type ChatChangeByPerson = Extract<
  ConversationEvent,
  { type: 'title-change' | 'pin-change' | 'options-change' | 'preset-change' }
>;

/** A conversation that is open in this window, with its journal, its queue and its running turn. */
export class Chat implements Disposable {
  readonly access = new WriteAccess();
  readonly composer: Composer;
  readonly queue: MessageQueue;
  readonly edits = new EditedMessages();
  readonly store: ConversationStore;
  readonly images: ChatImages;
  readonly side: SideChat;
  readonly preset: ChatPreset;
  readonly models: MessageModels;
  readonly panel: PanelStateSource;
  /** Its usage so far, for the budgets that its requests count in. */
  readonly account: ChatAccount = {
    id: () => this.conversation.id,
    turn: () => this.conversation.running?.id,
    usage: () => paidUsage(this.conversation),
    saved: () => this.store.flush(),
  };
  readonly #live: LiveConversation;
  readonly #host: ChatHost;
  readonly #planner: RequestPlanner;
  readonly #restoration: Restoration;
  /** Runs one thing at a time: a turn to its end, or a change between two turns. */
  readonly #tasks = new TaskQueue();
  readonly #refused = new Emitter<unknown>();
  readonly #disposables: Disposable[];
  readonly #calls: Handlers<ChatCallName>;
  #control: TurnControl | undefined;
  #turnEnd: Promise<unknown> = Promise.resolve();
  /** Number of turns that were asked for, but have not begun. */
  #starting = 0;
  /** Number of calls being handled, except those that only read. */
  #handled = 0;

  readonly onDidChange: Event<ChatChange>;
  /** Fires with the error if a message of the person could not be sent. It is queued again. */
  readonly onDidRefuse = this.#refused.event;

  constructor(options: ChatOptions) {
    const { start, conversation, host, preset, models, storing, images, window, calls } = options;
    this.#live = conversation;
    this.preset = preset;
    this.models = models(this);
    this.onDidChange = conversation.onDidChange;
    this.#host = host(this);
    this.images = new ChatImages(images, this);
    this.#planner = new RequestPlanner(conversation, this.#host, this.images);
    this.store = new ConversationStore({ ...storing, chat: this, origin: start.origin });
    const state = new ChatMemento(storing.state, () => this.store.id, start.isFirst);
    this.composer = new Composer(state, (text) =>
      this.checkMessage({ text, attachments: [] }).then(
        () => true,
        () => false,
      ),
    );
    this.queue = new MessageQueue(start.id, this.composer, state);
    this.#restoration = new Restoration(this.#tasks, (read, isShown) => {
      // A conversation that is read after the chat was closed is ignored.
      if (!this.access.closed.aborted)
        conversation.replace(read ?? emptyConversation(newId()), isShown);
    });
    if (start.origin !== 'new') this.restoreWith((show, needed) => this.store.read(show, needed));
    // The first listener, so that others find the journal, the access and the queue of a chat that was
    // read.
    const saving = conversation.onDidChange((change) => {
      if (change.type === 'event') {
        this.store.append(change.event);
        return;
      }
      this.store.enter();
      this.queue.follow(this.conversation.id);
      if (!this.access.mayWrite) this.queue.dismissCallers();
    });
    this.side = new SideChat(this);
    this.panel = new PanelStateSource(this, window);
    this.#calls = calls(this);
    let storedBefore = this.id;
    this.#disposables = [
      saving,
      this.store.onDidMove((id) => {
        this.composer.move(id !== this.conversation.id);
        this.queue.moveAll();
        this.images
          .takeFrom(storedBefore)
          .catch((error: unknown) => storing.onError('Copying images', error));
        storedBefore = id;
      }),
      this.panel,
      this.edits,
      this.queue,
      this.composer,
      this.store,
      this.side,
      this.#refused,
      conversation,
    ];
  }

  /** The id of the stored chat, which is that of its conversation once it was read. */
  get id(): string {
    return this.store.id;
  }

  get conversation(): Conversation {
    return this.#live.current;
  }

  get isRunning(): boolean {
    return this.conversation.running !== undefined && !this.access.isReadOnly;
  }

  /** True while a turn runs, or is about to. */
  get isBusy(): boolean {
    return this.isRunning || this.#starting > 0;
  }

  /** True if work is in progress, or closing the chat would lose something. */
  get isInUse(): boolean {
    const isAsked = !this.queue.isEmpty || this.#handled > 0;
    return this.isBusy || isAsked || !this.store.isSaved || !this.composer.isKept;
  }

  /** True if it has turns that can be read from disk. */
  get isStored(): boolean {
    const { id, turns } = this.conversation;
    return turns.length > 0 && id === this.id;
  }

  get isEmpty(): boolean {
    return lastTurn(this.conversation) === undefined;
  }

  /** True if nothing was sent or set in the chat. False until it is restored. */
  get isBlank(): boolean {
    const { turns, options, partChoices, preset } = this.conversation;
    const isChosen = partChoices !== undefined || preset !== undefined;
    const isSet = turns.length > 0 || Object.keys(options).length > 0 || isChosen;
    return !isSet && !this.isBusy && this.#restoration.isComplete;
  }

  /** The images of its messages, and of unsent ones. */
  get usedImages(): readonly AttachedImage[] {
    const { composer, queue, edits } = this;
    const lent = composer.lent === undefined ? [] : [composer.lent];
    const unsent = [composer, ...queue.unsent, ...edits.messages, ...lent];
    return [...imagesOfChat(this.conversation), ...imagesIn(unsent)];
  }

  /** See {@link RequestPlanner.definitions}. */
  get definitions(): RequestPlanner['definitions'] {
    return this.#planner.definitions;
  }

  preview(message: UserMessage, model: string, replaced?: string): TurnPreview {
    return this.#planner.preview(message, model, replaced);
  }

  async planRequest(message: UserMessage, model: string, replaced?: string): Promise<RequestPlan> {
    await this.allRead();
    return this.#planner.plan(message, model, replaced);
  }

  get clock(): Clock {
    return this.#host.clock;
  }

  /** Estimates the prompt tokens of a number of characters. */
  tokensOf(model: string, characters: number): number {
    return this.#host.meter.estimate(model, characters, 'prompt');
  }

  /**
   * Rejects with an error for the person if a message must not be sent, or one of the models can't
   * receive it.
   */
  checkMessage(message: UserMessage, models: readonly string[] = []): Promise<void> {
    return this.#host.checkMessage(message, models);
  }

  /**
   * Sends a checked message of the person after those before it. One that can't be sent is queued
   * again, and {@link onDidRefuse} fires.
   */
  post(message: UserMessage, model: string): void {
    this.#submit({ id: newId(), message, model });
  }

  /** The running turn if messages can go in with its next request: without tools it has none. */
  get turnToJoin(): Turn | undefined {
    const { running } = this.conversation;
    if (running === undefined || !this.isRunning || !mayHaveTools(running)) return undefined;
    return this.#control?.hasTools === false ? undefined : running;
  }

  /**
   * Lets a checked message of the person go in with the next request of the running turn. If the
   * turn finishes before, it is the first of the queue. Without a turn to join, it is like `post`.
   */
  postNow(message: UserMessage, model: string): void {
    if (this.turnToJoin === undefined) {
      this.post(message, model);
      return;
    }
    const id = newId();
    this.queue.add({ id, message, model }, this.conversation.id);
    this.queue.setNow(id);
  }

  /**
   * Sends a message after those before it, for code that waits for its turn. Resolves when the turn
   * has ended, and rejects if the message can't be sent.
   */
  async send(message: UserMessage, model: string): Promise<Turn> {
    this.#starting += 1;
    try {
      // A message that must not be sent must not be stored in the queue either.
      await this.checkMessage(message, [model]);
    } finally {
      this.#starting -= 1;
      this.sendNext();
    }
    this.access.requireWrite();
    return new Promise((resolve, reject) =>
      this.#submit({ id: newId(), message, model }, { resolve, reject }),
    );
  }

  /** Sends the messages of the queue, even if they were held. */
  sendQueued(): void {
    this.queue.open();
    this.sendNext();
  }

  /** Sends the next message of the queue, if no turn runs and nothing holds it. */
  sendNext(): void {
    if (this.isBusy || !this.access.mayWrite) return;
    const next = this.queue.take();
    if (next !== undefined) background(this.#start(next));
  }

  /** Sends the message of a turn again. That turn and all later ones become another version. */
  resend(id: string, change: ResendOptions): Promise<Turn> {
    const turn = this.#enqueueTurn(async () => {
      this.access.requireWrite();
      const turn = turnOfPath(this.conversation, id);
      if (turn === undefined) throw new Error('This turn no longer exists.');
      const { question } = turn;
      const { text = question.text, attachments = question.attachments } = change;
      const message = { ...question, text, attachments };
      const { model = turn.model, withoutTools, fileRestore } = change;
      await this.checkMessage(message, [model]);
      this.access.requireWrite();
      this.#fixMode(message);
      this.#live.apply({ type: 'turn-remove', id });
      const start = turnStart(message, model, this.conversation, this.#host);
      this.#live.apply({ ...start, ...(withoutTools === true && { withoutTools }) });
      // The same message again takes along those that were added to its turn.
      const added =
        change.text === undefined ? turn.parts.filter((part) => part.type === 'message') : [];
      for (const { id: of, message: later, at } of added)
        this.#live.apply({ type: 'turn-message', id: of, message: later, at });
      if (fileRestore !== undefined)
        this.record({ type: 'files-restore', turn: start.id, restore: fileRestore });
      change.onStart?.();
    });
    // If it is refused, a message may have been queued meanwhile.
    return turn.finally(() => this.sendNext());
  }

  /**
   * Continues the newest turn, which ended early. Resolves when it has ended.
   *
   * @param onStart called when it continues
   * @param answer to the question that was open when the window closed
   */
  continue(
    onStart?: () => void,
    answer?: { readonly call: string; readonly result: string },
  ): Promise<Turn> {
    const turn = this.#enqueueTurn(() => {
      this.access.requireWrite();
      const at = this.#host.clock.wall();
      this.#live.apply({ type: 'turn-continue', at, ...(answer && { answer }) });
      onStart?.();
    });
    return turn.finally(() => this.sendNext());
  }

  /**
   * Applies a change that affects requests between turns, since a running turn's requests must stay
   * the same.
   */
  changeBetweenTurns(event: ChangeBetweenTurns): Promise<void> {
    return this.#enqueue(() => {
      this.access.requireWrite();
      this.#live.applyChange(event);
    });
  }

  /** Aborts the requests of the running turn. The text received so far stays. */
  stop(): void {
    this.#control?.stop();
  }

  /** Stops the running turn. Resolves when all of its work has ended. */
  async end(): Promise<void> {
    this.stop();
    await this.#turnEnd;
  }

  /** Ends the running turn and all waiting work permanently. */
  close(): Promise<void> {
    this.access.close();
    return this.end();
  }

  /** Resumes the running turn if it is paused at a limit. */
  resume(): void {
    if (this.conversation.running?.status === 'paused') this.#control?.resume();
  }

  /** Records what a turn left in files and processes. Another window records its own. */
  record(event: TurnRecord): void {
    if (this.access.isReadOnly || this.access.closed.aborted) return;
    this.#live.apply(event);
  }

  change(event: ChatChangeByPerson): void {
    this.access.requireWrite();
    this.#live.apply(event);
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

  /** The mode, which selects the tools. */
  get mode(): ChatMode {
    return modeOfChat(this.conversation, this.#host.proposedMode);
  }

  setMode(mode: ChatMode): void {
    this.change({ type: 'options-change', options: { ...this.conversation.options, mode } });
  }

  /**
   * Excludes or pins parts of the next request. A running turn isn't affected.
   *
   * @param parts keys of the parts
   * @param choice undefined removes the choice
   */
  chooseParts(parts: readonly string[], choice: PartChoice | undefined): void {
    this.access.requireWrite();
    this.#live.applyChange({ type: 'part-choice', parts, ...(choice && { choice }) });
  }

  show(events: readonly ConversationEvent[]): void {
    for (const event of events) this.#live.apply(event);
  }

  /** Sets how to read the conversation, which is done on first use. */
  restoreWith(read: ReadConversation): void {
    this.#restoration.readWith(read);
  }

  /** Reads the chat if it isn't read yet. Resolves when its newest turns are known. */
  newestRead(): Promise<void> {
    return this.#restoration.newestRead();
  }

  /** Reads the chat if it isn't read yet. Resolves when all of it is. */
  allRead(): Promise<void> {
    return this.#restoration.allRead();
  }

  /** The visible turns: those around the turn with this id, or the newest. */
  windowAround(id?: string): ConversationWindow {
    return this.#restoration.newest ?? windowAround(this.conversation, id);
  }

  /** Handles a call of a page that shows this chat; rejects if it is refused. */
  async request(call: Call<ChatCallName>): Promise<CallResults[ChatCallName]> {
    const count = onlyReads(call) ? 0 : 1;
    this.#handled += count;
    try {
      if (changesChat(call)) this.access.requireWrite();
      return await handle<CallParameters, CallResults, ChatCallName>(this.#calls, call);
    } catch (error) {
      // The page shows another chat now, so no error is shown there.
      if (this.access.closed.aborted) throw new UserError('');
      throw error;
    } finally {
      this.#handled -= count;
    }
  }

  dispose(): void {
    background(this.close());
    disposeAll(this.#disposables);
  }

  #submit(waiting: WaitingMessage, caller?: WaitingCaller): void {
    if (this.queue.isEmpty && !this.isBusy) {
      background(this.#start(waiting, caller));
      return;
    }
    // A message of the person also sends those that were held.
    if (caller === undefined && !this.isRunning) this.queue.open();
    this.queue.add(waiting, this.conversation.id, caller);
    this.sendNext();
  }

  /** Sends a message now. One of the person that is refused is queued again. */
  async #start(waiting: WaitingMessage, caller?: WaitingCaller): Promise<void> {
    const { message, model } = waiting;
    this.queue.sending(waiting, caller);
    try {
      const turn = await this.#enqueueTurn(async () => {
        this.access.requireWrite();
        await this.checkMessage(message, [model]);
        this.access.requireWrite();
        this.#fixMode(message);
        this.#live.apply(turnStart(message, model, this.conversation, this.#host));
        this.queue.sent(waiting.id);
      });
      this.queue.ended(waiting, turn);
    } catch (error) {
      if (this.queue.refuse(waiting, error) && this.access.mayWrite) this.#refused.fire(error);
      this.sendNext();
    }
  }

  /**
   * Runs a turn after all earlier tasks.
   *
   * @param begin adds the turn to the conversation; rejects if it may not begin
   */
  async #enqueueTurn(begin: () => void | Promise<void>): Promise<Turn> {
    this.#starting += 1;
    let isStarting = true;
    const setStarted = (): void => {
      if (isStarting) this.#starting -= 1;
      isStarting = false;
    };
    try {
      return await this.#enqueue(async () => {
        await begin();
        setStarted();
        return this.#run();
      });
    } finally {
      setStarted();
    }
  }

  /** Runs the conversation's running turn to its end. */
  async #run(): Promise<Turn> {
    const { id } = runningTurn(this.conversation);
    const control = new TurnControl(() => this.queue.takeNow());
    this.#control = control;
    if (this.access.closed.aborted) control.stop();
    const play = async (): Promise<void> => {
      for await (const event of runTurn(this.#planner, control)) {
        this.#live.apply(event);
        if (event.type === 'turn-message') this.queue.sent(event.id);
      }
    };
    const ended = play().finally(() => (this.#control = undefined));
    this.#turnEnd = orUndefined(ended);
    await ended;
    const turn = turnOfPath(this.conversation, id);
    if (turn === undefined) throw new Error('This turn no longer exists.');
    if (turn.status === 'finished') this.queue.open();
    else this.queue.hold();
    this.sendNext();
    return turn;
  }

  /** A chat keeps its initial mode, even if another one is proposed later. A plan lowers it. */
  #fixMode(message: UserMessage): void {
    const mode = modeOfMessage(message, this.mode);
    if (mode !== (this.conversation.options.mode ?? 'agent')) this.setMode(mode);
  }

  #enqueue<T>(task: () => T | Promise<T>): Promise<T> {
    if (!this.access.closed.aborted) background(this.allRead());
    return this.#tasks.run(() => Promise.resolve().then(task));
  }
}

/** The mode of a chat. One without turns of its own has the proposed mode. */
export function modeOfChat(
  { options, turns, running }: Conversation,
  proposed: ChatMode = 'agent',
): ChatMode {
  const isNew = turns.every(({ imported }) => imported === true) && running === undefined;
  return options.mode ?? (isNew ? proposed : 'agent');
}

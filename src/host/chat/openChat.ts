import {
  type AttachedImage,
  emptyConversation,
  lastTurn,
  type Turn,
} from '../../core/conversation/conversation.ts';
import { imagesIn, imagesOfChat } from '../../core/conversation/attachedImage.ts';
import { pathOf, turnOfPath } from '../../core/conversation/paths.ts';
import { versionsOf } from '../../core/conversation/versions.ts';
import { adjacentTurns, type WindowSide } from '../../core/conversation/window.ts';
import { background } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { type Disposable, disposeAll, Emitter, type Event } from '../../core/support/event.ts';
import type { HostHandlers } from '../../protocol/hostChannel.ts';
import type {
  ConnectionState,
  ModelState,
  PanelState,
  Snapshot,
  StarterFacts,
} from '../../protocol/messages.ts';
import { handle } from '../../protocol/call.ts';
import type { ReplyCost } from '../../protocol/usageMessages.ts';
import type { Call, Handlers, CallName, CallParameters, CallResults } from '../../protocol/rpc.ts';
import { Composer } from '../attachments/composer.ts';
import type { ReplyActions } from '../code/replyActions.ts';
import { raiseBudget } from '../errorText.ts';
import { openLink } from '../workspace/editorActions.ts';
import * as vscode from 'vscode';
import { UserError } from '../errors.ts';
import { type AsideActions, OpenAside } from './aside.ts';
import { Chat, type ChatOptions } from './chat.ts';
import type { ChatPreset } from '../presets/chatPreset.ts';
import { ChatFinder } from './chatFinder.ts';
import { ChatMemento } from './chatMemento.ts';
import {
  changesChat,
  chatRequests,
  type ChatRequestsOptions,
  type ToolActions,
} from './chatRequests.ts';
import { type ComposerActions, ComposerRequests } from './composerRequests.ts';
import {
  type ChatOrigin,
  ConversationStore,
  type ConversationStoreOptions,
} from '../journal/conversationStore.ts';
import { EditedMessages } from './editedMessages.ts';
import { ChatImages, type ImageFiles } from './imageFiles.ts';
import { FileRestores, type RestoreFiles } from './fileRestores.ts';
import { MessageQueue } from './messageQueue.ts';
import { messageIsGone } from './storeMessages.ts';
import type { RecentChats } from './recentChats.ts';
import { type CostSources, SendCostEstimator } from './sendCostEstimator.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { openPlan } from '../../core/conversation/mode.ts';
import type { ToolAccess } from '../connection/models.ts';
import type { CurrentSettings } from '../settings.ts';
import type { WindowFocus } from '../windowFocus.ts';

export interface ChatStart {
  readonly id: string;
  readonly origin: ChatOrigin;
  readonly isFirst?: boolean;
}

export interface OpenChatOptions
  extends
    PanelSources,
    Omit<CostSources, 'toolAccess'>,
    ComposerActions,
    Pick<ChatRequestsOptions, 'pickModel'>,
    Omit<ConversationStoreOptions, 'chat' | 'origin'> {
  readonly start: ChatStart;
  readonly chat: ChatOptions;
  readonly settings: PanelSources['settings'] & {
    setEffort(model: string, effort: string | undefined): Promise<void>;
  };
  readonly model: PanelSources['model'];
  readonly tools: ToolActions;
  readonly replies: Omit<ReplyActions, 'dispose'>;
  readonly restores: RestoreFiles;
  readonly asides: AsideActions<OpenChat>;
  readonly preset: ChatPreset;
  readonly costOf: (turn: Turn, chat: string) => Promise<ReplyCost>;
  /** Called with the error if a message could not be sent. */
  readonly onRefused: (error: unknown) => void;
  readonly imageFiles: ImageFiles;
  readonly clock: Clock;
}

/** Requests that are handled by the chat rather than its page. */
export type OpenChatRequestName = Exclude<CallName, 'draft' | 'find-references'>;

/** Read-only requests. Nothing is lost if the chat is closed meanwhile. */
const reading: readonly CallName[] = [
  'find',
  'find-restorable',
  'reply-cost',
  'complete',
  'more-completions',
  'read-image',
  'read-attachment',
];

/** A chat that is open in this window, with everything that belongs to it. */
export class OpenChat implements Disposable {
  readonly chat: Chat;
  readonly composer: Composer;
  readonly queue: MessageQueue;
  readonly edits: EditedMessages;
  readonly store: ConversationStore;
  readonly state: PanelStateSource;
  readonly images: ChatImages;
  readonly aside: OpenAside<OpenChat>;
  readonly preset: ChatPreset;
  readonly costs: SendCostEstimator;
  /** See {@link ComposerRequests.prepare}. */
  readonly prepare: ComposerRequests['prepare'];
  /** Resolves when a page requests the chat for the first time. */
  readonly drawn: Promise<void>;
  #draw: () => void = () => undefined;
  readonly #clock: Clock;
  readonly #handlers: Handlers<OpenChatRequestName>;
  readonly #recent: RecentChats;
  readonly #disposables: Disposable[];
  /** Number of requests being handled, except read-only ones. */
  #handled = 0;

  constructor(options: OpenChatOptions) {
    const { start, clock, recent, replies, tools } = options;
    const chat = new Chat(options.chat, emptyConversation(start.id));
    this.chat = chat;
    this.drawn = new Promise((resolve) => (this.#draw = resolve));
    this.preset = options.preset;
    this.#clock = clock;
    this.#recent = recent;
    this.store = new ConversationStore({ ...options, chat, origin: start.origin });
    const state = new ChatMemento({
      state: options.state,
      id: () => this.store.id,
      takesOld: start.isFirst,
    });
    this.composer = new Composer(state, (text) =>
      chat.checkMessage({ text, attachments: [] }).then(
        () => true,
        () => false,
      ),
    );
    this.queue = new MessageQueue({
      chat,
      composer: this.composer,
      restoreToDraft: (text) => {
        const { draft } = this.composer;
        background(this.composer.setDraft(draft === '' ? text : `${draft}\n\n${text}`));
      },
      onRefused: options.onRefused,
      state,
    });
    const { composer, queue, store } = this;
    const costs = new SendCostEstimator({ ...options, chat, composer });
    this.costs = costs;
    const aside = new OpenAside<OpenChat>({ ...options.asides, chat, id: () => this.id });
    this.aside = aside;
    const asideCosts = this.#asideCosts(options);
    const edits = new EditedMessages(
      (message, turn) => new SendCostEstimator({ ...options, chat, composer: message, turn }),
    );
    this.edits = edits;
    this.state = new PanelStateSource(options, this, asideCosts);
    const restores = new FileRestores({ ...options, chat, isWriter: () => store.isWriter });
    const files = options.imageFiles;
    this.images = new ChatImages({ files, id: () => this.id, used: () => this.#usedImages() });
    const finder = new ChatFinder(() => chat.conversation, clock);
    const ofStore = { store, restores, finder, images: this.images };
    const parts = { chat, composer, queue, edits, aside, ...ofStore };
    const ofComposer = new ComposerRequests({ ...options, ...parts });
    this.prepare = (text) => ofComposer.prepare(text);
    this.#handlers = {
      ...chatRequests({ ...options, ...parts }),
      ...ofComposer.handlers,
      // The only approval among these is a click on an edit that waits for it in the panel.
      'end-processes': ({ turn, call }) => tools.endProcesses(turn, call),
      async decide({ turn, call, decision, reason }) {
        if (await tools.decide(turn, call, decision, reason)) return;
        throw new UserError(vscode.l10n.t('This call is no longer waiting for approval.'));
      },
      review: ({ turn, call, path }) => tools.review(turn, call, path),
      changes: ({ turn, change, action }) => tools.change(turn, change, action),
      async 'reply-cost'({ turn: id }) {
        const turn = turnOfPath(chat.conversation, id);
        if (turn === undefined) throw messageIsGone();
        return options.costOf(turn, store.id);
      },
      copy: async ({ text }) => vscode.env.clipboard.writeText(text),
      'open-link': ({ href, label }) => openLink(href, label),
      'insert-at-cursor': ({ text }) => replies.insert(text),
      'new-file': (code) => replies.newFile(code),
      'apply-to-file': (code) => replies.apply(code),
      'run-in-terminal': ({ text }) => replies.runInTerminal(text),
      'open-preview': ({ text }) => replies.preview(text),
      'open-file': ({ path, line }) => replies.open(path, line),
      'raise-budget': () => raiseBudget(),
      'try-tools': () => options.toolAccess.tryAgain(options.model.current().id),
      'set-effort': ({ effort }) => options.settings.setEffort(options.model.current().id, effort),
    };
    let storedBefore = this.id;
    const moving = store.onDidMove((id) => {
      composer.move(id !== chat.conversation.id);
      queue.moveAll();
      const onError = (error: unknown): void => options.onError('Copying images', error);
      this.images.takeFrom(storedBefore).catch(onError);
      storedBefore = id;
    });
    this.#disposables = [aside, store, chat, composer, queue, edits, this.state, moving];
  }

  get id(): string {
    return this.store.id;
  }

  /** True if work is in progress, or closing the chat would lose something. */
  get isBusy(): boolean {
    const isAsked = this.queue.messages.length > 0 || this.#handled > 0;
    return this.chat.isBusy || isAsked || !this.store.isSaved || !this.composer.isKept;
  }

  /** True if it has turns that can be read from disk. */
  get isStored(): boolean {
    const { id, turns } = this.chat.conversation;
    return turns.length > 0 && id === this.id;
  }

  snapshot(turn: string | undefined): Snapshot {
    this.#draw();
    const visible = this.chat.windowAround(turn);
    if (lastTurn(visible.conversation) === undefined) background(this.#recent.refresh());
    return {
      ...visible,
      versions: versionsOf(this.chat.conversation, pathOf(visible.conversation)),
      around: visible.conversation.turns.find(({ id }) => id === turn)?.id,
      state: this.state.current(),
      draft: this.composer.draft,
      draftAt: this.composer.draftAt,
      now: this.#clock.wall(),
    };
  }

  turns(side: WindowSide, of: string): ReturnType<HostHandlers['turns']> {
    const { conversation } = this.chat;
    const more = adjacentTurns(conversation, side, of);
    return more && { ...more, versions: versionsOf(conversation, more.turns) };
  }

  /** Handles a request of a page that shows this chat; rejects if it is refused. */
  async request(call: Call<OpenChatRequestName>): Promise<CallResults[OpenChatRequestName]> {
    const count = reading.includes(call.name) ? 0 : 1;
    this.#handled += count;
    try {
      if (changesChat(call)) this.chat.access.requireWrite();
      return await handle<CallParameters, CallResults, OpenChatRequestName>(this.#handlers, call);
    } catch (error) {
      // The page shows another chat now, so no error is shown there.
      if (this.chat.access.closed.aborted) throw new UserError('');
      throw error;
    } finally {
      this.#handled -= count;
    }
  }

  dispose(): void {
    disposeAll(this.#disposables);
  }

  /** Estimates the next message of the side chat, which has nothing of a running reply. */
  #asideCosts(options: OpenChatOptions): SendCostEstimator {
    const { aside, chat, composer } = this;
    return new SendCostEstimator({
      ...options,
      composer,
      get chat() {
        return aside.current?.chat ?? chat;
      },
      get turn() {
        return aside.current === undefined ? chat.conversation.running?.id : undefined;
      },
    });
  }

  #usedImages(): readonly AttachedImage[] {
    const { chat, composer, queue, edits } = this;
    const { held } = composer;
    const unsent = [composer, ...queue.waiting, ...edits.messages, ...(held ? [held] : [])];
    return [...imagesOfChat(chat.conversation), ...imagesIn(unsent)];
  }
}

/** Facts about the window that a panel shows. */
interface PanelSources {
  readonly connection: { readonly state: ConnectionState; readonly onDidChange: Event<unknown> };
  readonly model: { current(): ModelState; readonly onDidChange: Event<unknown> };
  readonly settings: CurrentSettings & { readonly onDidChange: Event<unknown> };
  readonly toolAccess: ToolAccess;
  /** Shown while the chat is empty. */
  readonly recent: RecentChats;
  /** Facts that suggestions of a first message depend on. */
  readonly starters: { current(): StarterFacts; readonly onDidChange: Event<unknown> };
  readonly diagrams: { current(): boolean; readonly onDidChange: Event<unknown> };
  readonly windowFocus: WindowFocus;
  /** Notice for a chat that can't be saved. */
  readonly unsaved: string;
}

const changesHistory: readonly ConversationEvent['type'][] = [
  'turn-start',
  'turn-end',
  'turn-remove',
  'version-select',
  'turn-continue',
  'chat-shorten',
  'summary-use',
  'options-change',
  'part-choice',
  'preset-change',
];

/** Collects the state of the panel besides the conversation. */
class PanelStateSource implements Disposable {
  readonly #sources: PanelSources;
  readonly #open: OpenChat;
  readonly #asideCosts: SendCostEstimator;
  readonly #changed = new Emitter<PanelState>();
  readonly #listening: Disposable[];
  #notice: string | undefined;

  readonly onDidChange = this.#changed.event;

  constructor(sources: PanelSources, open: OpenChat, asideCosts: SendCostEstimator) {
    this.#sources = sources;
    this.#open = open;
    this.#asideCosts = asideCosts;
    const { connection, model, settings, recent, diagrams, starters, toolAccess, unsaved } =
      sources;
    const { windowFocus } = sources;
    const { aside, chat, composer, queue, edits, store } = open;
    const fireChange = (): void => this.#changed.fire(this.current());
    this.#listening = [
      composer.onDidChange(fireChange),
      queue.onDidChange(fireChange),
      aside.onDidChange(fireChange),
      edits.onDidChange(fireChange),
      connection.onDidChange(fireChange),
      model.onDidChange(fireChange),
      settings.onDidChange(fireChange),
      toolAccess.onDidChange(fireChange),
      recent.onDidChange(fireChange),
      diagrams.onDidChange(fireChange),
      windowFocus.onDidChange(fireChange),
      starters.onDidChange(() => {
        if (this.#isEmpty) fireChange();
      }),
      chat.onDidWait(fireChange),
      chat.onDidChange((change) => {
        const type = change.type === 'event' ? change.event.type : undefined;
        if (type === undefined || changesHistory.includes(type)) fireChange();
      }),
      store.onDidSave((saved) => {
        this.#notice = saved ? undefined : unsaved;
        fireChange();
      }),
    ];
  }

  current(): PanelState {
    const { connection, model, settings, recent, starters, diagrams, toolAccess } = this.#sources;
    const { windowFocus } = this.#sources;
    const { aside, chat, costs, queue, edits, store } = this.#open;
    const refused = settings.refusedOptions();
    const { attachments, cost } = costs.current();
    return {
      connection: connection.state,
      model: model.current(),
      settings: settings.requestOptions(),
      refused: refused.length === 0 ? undefined : refused,
      effort: settings.effortOf(model.current().id),
      attachments,
      mode: chat.mode,
      toolObstacle: toolAccess.obstacle(model.current().id),
      edits: edits.states,
      cost,
      plan: openPlan(chat.conversation)?.turn,
      prices: costs.prices(),
      waiting: chat.waiting,
      queued: queue.messages,
      aside: aside.state,
      asideCost: this.#asideCosts.current().cost,
      recent: recent.current,
      starters: this.#isEmpty ? starters.current() : undefined,
      openElsewhere: store.isElsewhere || undefined,
      diagrams: diagrams.current() || undefined,
      isInBackground: !windowFocus.isFocused() || undefined,
      notice: this.#notice,
    };
  }

  dispose(): void {
    disposeAll(this.#listening);
    this.#changed.dispose();
  }

  get #isEmpty(): boolean {
    return lastTurn(this.#open.chat.conversation) === undefined;
  }
}

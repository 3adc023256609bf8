import * as vscode from 'vscode';
import { lastTurn } from '../../core/conversation/conversation.ts';
import { turnsOfAllPaths } from '../../core/conversation/paths.ts';
import { versionsOf } from '../../core/conversation/versions.ts';
import { adjacentTurns } from '../../core/conversation/window.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import type { AttachmentActions } from '../attachments/attachmentRequestHandler.ts';
import { Composer } from '../attachments/composer.ts';
import type { ReplyActions } from '../code/replyActions.ts';
import type { Connection } from '../connection/connection.ts';
import type { ModelChoice } from '../connection/modelChoice.ts';
import { contextKeys } from '../contributions.ts';
import type { ErrorReporter } from '../errorReporter.ts';
import { UserError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { ask, type AskResult } from './ask.ts';
import type { Chat } from './chat.ts';
import { ChatFinder } from './chatFinder.ts';
import type { PanelInSight } from './chatNotices.ts';
import { ChatView, type WantedMatch } from './chatView.ts';
import { ConversationStore } from './conversationStore.ts';
import type { JournalStorage } from './journal.ts';
import type { Leases } from './leases.ts';
import { MessageQueue } from './messageQueue.ts';
import { NewChat } from './newChat.ts';
import { modelToRetry } from './nextTurn.ts';
import type { Listen } from './page.ts';
import { PanelStateSource } from './panelState.ts';
import { RecentChats, type RecentChatsOptions } from './recentChats.ts';
import { SendCostEstimator, type SendCostOptions } from './sendCostEstimator.ts';
import {
  ViewRequestHandler,
  type ToolActions,
  type ViewRequestHandlerOptions,
} from './viewRequestHandler.ts';

export interface ChatPanelOptions {
  readonly context: Pick<vscode.ExtensionContext, 'workspaceState'>;
  readonly chat: Chat;
  readonly storage: JournalStorage & {
    /** The folder of the chats, for the person. */
    readonly location: string;
  };
  readonly leases: Leases;
  readonly settings: Settings;
  readonly connection: Connection;
  readonly model: ModelChoice;
  /** The model of the next request. Leads to connecting and selecting one where there is none. */
  readonly requireModel: () => Promise<string>;
  readonly pickModel: () => Promise<string | undefined>;
  /** What a message that begins with a slash asks; undefined where nothing is left to ask. */
  readonly expand: ViewRequestHandlerOptions['expand'];
  /** The saved chats that are offered while the chat is empty. */
  readonly recent: RecentChatsOptions['read'];
  readonly tools: ToolActions;
  readonly replies: ReplyActions;
  readonly attachments: AttachmentActions;
  readonly cost: Pick<SendCostOptions, 'hasTools' | 'tokensOf' | 'budgetLeft'>;
  readonly errors: ErrorReporter;
  readonly log: Log;
}

/** The panel with the open chat, as other parts of the host and commands use it. */
export class ChatPanel implements Disposable {
  readonly chat: Chat;
  readonly composer: Composer;
  readonly #options: ChatPanelOptions;
  readonly #queue: MessageQueue;
  readonly #newChat: NewChat;
  readonly #store: ConversationStore;
  readonly #recent: RecentChats;
  readonly #view: ChatView;
  readonly #disposables: Disposable[];
  #runningContext = false;

  constructor(options: ChatPanelOptions) {
    const { context, chat, leases, recent, log } = options;
    this.#options = options;
    this.chat = chat;
    this.composer = new Composer(context.workspaceState, (text) => chat.maySend(text));
    this.#queue = new MessageQueue(
      chat,
      (text) => this.#restoreToDraft(text),
      context.workspaceState,
    );
    this.#newChat = new NewChat({ chat, queue: this.#queue, clock: systemClock });
    this.#store = this.#openStore();
    this.#recent = new RecentChats({
      read: recent,
      onError: (error) => log.error('Reading the recent chats', error),
    });
    const state = this.#openState();
    this.#view = this.#openView(state);
    this.#disposables = [
      chat,
      this.composer,
      this.#queue,
      this.#store,
      this.#recent,
      leases,
      state,
      this.#view,
      state.onDidChange((value) => this.#view.postState(value)),
      chat.onDidChange(() => this.#updateRunningContext()),
    ];
  }

  /** `aside.ask` */
  ask(prompt: unknown, options: unknown): Promise<AskResult | undefined> {
    const { requireModel, model: choice } = this.#options;
    const model = (): string => choice.current().id;
    return ask({ chat: this.chat, model, requireModel, reveal: this.reveal }, prompt, options);
  }

  /** `aside.newChat` */
  async newChat(): Promise<void> {
    await this.#newChat.open();
    await this.reveal(false);
  }

  /**
   * Shows a saved chat.
   * @param place words to mark, and the turn that has them
   */
  async show(id: string, place?: WantedMatch): Promise<void> {
    await this.#store.open(id);
    if (place !== undefined && !this.#isOnPath(place.turn))
      await this.chat.selectVersion(place.turn);
    await (place === undefined ? this.reveal(false) : this.#view.showMatch(place));
  }

  /** Whether the version of a turn is the one that is shown. */
  #isOnPath(turn: string): boolean {
    const { turns, running } = this.chat.conversation;
    return running?.id === turn || turns.some(({ id }) => id === turn);
  }

  /** Whether a turn of the chat is running in this window. */
  isRunning(id: string): boolean {
    return this.chat.isRunning && this.chat.conversation.id === id;
  }

  /** `aside.retry`: runs the last turn again. */
  async retry(): Promise<void> {
    await this.chat.restored();
    const turn = this.chat.conversation.turns.at(-1);
    if (turn === undefined || this.chat.isRunning) return;
    const model = await modelToRetry(turn, this.#options.requireModel);
    await this.reveal(true);
    await this.chat.resend(turn.id, { model });
  }

  /** Shows the chat in a view whose page is loading. */
  showIn(view: vscode.WebviewView, listen: Listen): void {
    this.#view.showIn(view, listen);
  }

  /** The panel as notices see it. */
  get inSight(): PanelInSight {
    return this.#view;
  }

  readonly reveal = (preserveFocus: boolean): Promise<void> => this.#view.reveal(preserveFocus);

  /** Resolves when everything that was shown is saved, or saving failed. */
  flush(): Promise<void> {
    return this.#store.flush();
  }

  /** The window closes. Resolves when the conversation is saved. */
  close(): Promise<void> {
    return this.#store.close();
  }

  dispose(): void {
    disposeAll(this.#disposables);
  }

  #openStore(): ConversationStore {
    const { chat, storage, leases, context, log } = this.#options;
    return new ConversationStore({
      chat,
      storage,
      leases,
      state: context.workspaceState,
      workspace: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? '',
      clock: systemClock,
      interrupted: vscode.l10n.t('The window was closed or reloaded during the reply.'),
      elsewhere: vscode.l10n.t('This reply is running in another window.'),
      lostMessage: vscode.l10n.t("(This message couldn't be read.)"),
      onError: (what, error) => log.error(what, error),
      onUnread: (tryAgain) => void showUnreadError(tryAgain),
    });
  }

  #openState(): PanelStateSource {
    const { chat, settings, connection, model, cost } = this.#options;
    const { composer } = this;
    const costs = new SendCostEstimator({ ...cost, chat, composer, settings, model });
    return new PanelStateSource({
      chat,
      composer,
      costs,
      queue: this.#queue,
      connection,
      model,
      settings,
      recent: this.#recent,
      onDidSave: this.#store.onDidSave,
      unsaved: vscode.l10n.t(
        "This chat can't be saved in {0} right now. It's kept in memory.",
        this.#options.storage.location,
      ),
    });
  }

  #openView(state: PanelStateSource): ChatView {
    const { chat, expand, tools, replies, attachments, errors } = this.#options;
    const { composer } = this;
    const { pickModel } = this.#options;
    const requests = new ViewRequestHandler({
      chat,
      composer,
      queue: this.#queue,
      newChat: this.#newChat,
      expand,
      tools,
      replies,
      attachments,
      requireModel: () => this.#requireModel(),
      pickModel,
      focus: () => this.reveal(false),
    });
    const finder = new ChatFinder(chat, systemClock);
    return new ChatView({
      chat,
      handlers: {
        snapshot: (turn) => {
          const shown = chat.windowAround(turn);
          if (lastTurn(shown.conversation) === undefined) void this.#recent.refresh();
          return {
            ...shown,
            versions: versionsOf(chat.conversation, turnsOfAllPaths(shown.conversation)),
            around: shown.conversation.turns.find(({ id }) => id === turn)?.id,
            state: state.current(),
            draft: composer.draft,
            now: systemClock.wall(),
          };
        },
        turns: (side, of) => {
          const more = adjacentTurns(chat.conversation, side, of);
          return more && { ...more, versions: versionsOf(chat.conversation, more.turns) };
        },
        find: (query, from) => finder.find(query, from),
        complete: (trigger, query) => attachments.complete(trigger, query),
        references: (words) => attachments.references(words),
        request: (request) => requests.handle(request),
        draft: (text) => composer.setDraft(text),
        refusal: (error) =>
          error instanceof UserError ? error.message : errors.text(error).message,
      },
    });
  }

  /** The model of a message that is sent from the panel, which then has the focus again. */
  async #requireModel(): Promise<string> {
    const { connection, model: choice, requireModel } = this.#options;
    const isReady = connection.state.kind !== 'none' && choice.current().id !== '';
    const model = await requireModel();
    if (!isReady) await this.reveal(false);
    return model;
  }

  /** Puts unsent messages back into the composer. */
  #restoreToDraft(text: string): void {
    const { draft } = this.composer;
    void this.composer.setDraft(draft === '' ? text : `${draft}\n\n${text}`);
  }

  #updateRunningContext(): void {
    const { isRunning } = this.chat;
    if (isRunning === this.#runningContext) return;
    this.#runningContext = isRunning;
    void vscode.commands.executeCommand('setContext', contextKeys.running, isRunning);
  }
}

async function showUnreadError(tryAgain: () => void): Promise<void> {
  const message = vscode.l10n.t("The last chat couldn't be read. The saved data was kept.");
  const again = vscode.l10n.t('Try Again');
  if ((await vscode.window.showErrorMessage(message, again)) === again) tryAgain();
}

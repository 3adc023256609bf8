import * as vscode from 'vscode';
import { turnsBeside } from '../../core/conversation/window.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import type { Attaching } from '../attachments/attaching.ts';
import { Composer } from '../attachments/composer.ts';
import type { ReplyActions } from '../code/replyActions.ts';
import type { ConnectionParts } from '../connection/connectionParts.ts';
import { contextKeys } from '../contributions.ts';
import type { ErrorReporter } from '../errorReporter.ts';
import { Refusal } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { ask, type AskResult } from './ask.ts';
import type { Chat } from './chat.ts';
import { ChatFinder } from './chatFinder.ts';
import { ChatView } from './chatView.ts';
import { ConversationStore } from './conversationStore.ts';
import type { JournalStorage } from './journal.ts';
import { MessageQueue } from './messageQueue.ts';
import { modelToRetry } from './nextTurn.ts';
import type { Listen } from './page.ts';
import { PanelStateSource } from './panelState.ts';
import { SendCosts, type SendCostSources } from './sendCost.ts';
import { ViewRequests, type ToolActions, type ViewRequestOptions } from './viewRequests.ts';

export interface ChatPanelNeeds {
  readonly context: Pick<vscode.ExtensionContext, 'workspaceState'>;
  readonly chat: Chat;
  readonly storage: JournalStorage;
  readonly settings: Settings;
  readonly connection: ConnectionParts;
  /** What a message that begins with a slash asks; undefined where nothing is left to ask. */
  readonly expand: ViewRequestOptions['expand'];
  readonly tools: ToolActions;
  readonly replies: ReplyActions;
  readonly attaching: Attaching;
  readonly cost: Pick<SendCostSources, 'hasTools' | 'tokensOf'>;
  readonly errors: ErrorReporter;
  readonly log: Log;
}

const newId = (): string => crypto.randomUUID();

/** The panel with the open chat: what other parts of the host, and commands, do with it. */
export class ChatPanel implements Disposable {
  readonly chat: Chat;
  readonly composer: Composer;
  readonly #needs: ChatPanelNeeds;
  readonly #queue: MessageQueue;
  readonly #store: ConversationStore;
  readonly #view: ChatView;
  readonly #disposables: Disposable[];
  #toldRunning = false;

  constructor(needs: ChatPanelNeeds) {
    const { context, chat, connection } = needs;
    this.#needs = needs;
    this.chat = chat;
    this.composer = new Composer(context.workspaceState, (text) => chat.maySend(text));
    this.#queue = new MessageQueue(chat, newId, (text) => this.#giveBack(text));
    this.#store = this.#openStore();
    const state = this.#openState();
    this.#view = this.#openView(state);
    this.#disposables = [
      chat,
      this.composer,
      this.#queue,
      this.#store,
      state,
      this.#view,
      state.onDidChange((value) => this.#view.postState(value)),
      chat.onDidChange(() => this.#tellRunning()),
      ...connection.disposables,
    ];
  }

  /** `aside.ask` */
  ask(prompt: unknown, options: unknown): Promise<AskResult | undefined> {
    const { connection } = this.#needs;
    const { requireModel, choice } = connection;
    const model = (): string => choice.current().id;
    return ask({ chat: this.chat, model, requireModel, reveal: this.reveal }, prompt, options);
  }

  /** `aside.newChat` */
  async newChat(): Promise<void> {
    await this.chat.replace();
    await this.reveal(false);
  }

  /** `aside.retry`: runs the last turn again. */
  async retry(): Promise<void> {
    await this.chat.restored();
    const turn = this.chat.conversation.turns.at(-1);
    if (turn === undefined || this.chat.isRunning) return;
    const model = await modelToRetry(turn, this.#needs.connection.requireModel);
    await this.reveal(true);
    await this.chat.again(turn.id, { model });
  }

  /** Shows the chat in a view whose page is loading. */
  showIn(view: vscode.WebviewView, listen: Listen): void {
    this.#view.showIn(view, listen);
  }

  readonly reveal = (preserveFocus: boolean): Promise<void> => this.#view.reveal(preserveFocus);

  /** Resolves when everything that was shown is safe. */
  flush(): Promise<void> {
    return this.#store.flush();
  }

  dispose(): void {
    disposeAll(this.#disposables);
  }

  #openStore(): ConversationStore {
    const { chat, storage, context, log } = this.#needs;
    return new ConversationStore({
      chat,
      storage,
      state: context.workspaceState,
      workspace: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? '',
      clock: systemClock,
      newId,
      interrupted: vscode.l10n.t('The window was closed or reloaded while the reply came in.'),
      onError: (what, error) => log.error(what, error),
      onUnread: (tryAgain) => void tellUnread(tryAgain),
    });
  }

  #openState(): PanelStateSource {
    const { chat, settings, connection, cost } = this.#needs;
    const { composer } = this;
    const costs = new SendCosts({ ...cost, chat, composer, settings, model: connection.choice });
    return new PanelStateSource({
      chat,
      composer,
      costs,
      queue: this.#queue,
      connection: connection.connection,
      model: connection.choice,
      settings,
      onDidSave: this.#store.onDidSave,
      unsaved: vscode.l10n.t('This chat cannot be saved at the moment. It is kept in memory.'),
    });
  }

  #openView(state: PanelStateSource): ChatView {
    const { chat, connection, expand, tools, replies, attaching, errors } = this.#needs;
    const { composer } = this;
    const { requireModel, load } = connection;
    const pickModel = async (): Promise<string | undefined> => (await load()).picker.pickModel();
    const requests = new ViewRequests({
      ...{ chat, composer, queue: this.#queue, expand, tools, replies, attaching },
      ...{ requireModel, pickModel },
    });
    const finder = new ChatFinder(chat, systemClock);
    return new ChatView({
      chat,
      handlers: {
        snapshot: (turn) => {
          const shown = chat.windowAround(turn);
          return {
            ...shown,
            around: shown.conversation.turns.find(({ id }) => id === turn)?.id,
            state: state.current(),
            draft: composer.draft,
            now: systemClock.wall(),
          };
        },
        turns: (side, of) => turnsBeside(chat.conversation, side, of),
        find: (query, from) => finder.find(query, from),
        complete: (trigger, query) => attaching.complete(trigger, query),
        request: (request) => requests.handle(request),
        draft: (text) => composer.setDraft(text),
        refusal: (error) => (error instanceof Refusal ? error.message : errors.text(error).message),
      },
    });
  }

  /** What was not asked is in the composer again. */
  #giveBack(text: string): void {
    const { draft } = this.composer;
    this.composer.setDraft(draft === '' ? text : `${draft}\n\n${text}`);
  }

  #tellRunning(): void {
    const { isRunning } = this.chat;
    if (isRunning === this.#toldRunning) return;
    this.#toldRunning = isRunning;
    void vscode.commands.executeCommand('setContext', contextKeys.running, isRunning);
  }
}

async function tellUnread(tryAgain: () => void): Promise<void> {
  const message = vscode.l10n.t('The last chat could not be read. What was saved of it is kept.');
  const again = vscode.l10n.t('Try Again');
  if ((await vscode.window.showErrorMessage(message, again)) === again) tryAgain();
}

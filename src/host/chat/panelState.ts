import { lastTurn } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { openPlan } from '../../core/conversation/plan.ts';
import { workspaceName } from '../../core/history/chatTitle.ts';
import { disposeAll, Emitter, type Disposable, type Event } from '../../core/support/event.ts';
import type {
  ConnectionState,
  ModelState,
  PanelState,
  StarterFacts,
} from '../../protocol/messages.ts';
import type { Composer } from '../attachments/composer.ts';
import type { ConversationStore } from '../journal/conversationStore.ts';
import type { CurrentSettings } from '../settings.ts';
import type { OpenAside, SideChat } from './aside.ts';
import type { Chat } from './chat.ts';
import type { EditedMessages } from './editedMessages.ts';
import type { MessageQueue } from './messageQueue.ts';
import type { RecentChats } from './recentChats.ts';
import type { SendCostEstimator } from './sendCostEstimator.ts';

/** Facts about the window that a panel shows. */
export interface PanelSources {
  readonly connection: { readonly state: ConnectionState; readonly onDidChange: Event<unknown> };
  readonly model: { current(): ModelState; readonly onDidChange: Event<unknown> };
  readonly settings: CurrentSettings & { readonly onDidChange: Event<unknown> };
  /** Shown while the chat is empty. */
  readonly recent: RecentChats;
  /** Facts that suggestions of a first message depend on. */
  readonly starters: { current(): StarterFacts; readonly onDidChange: Event<unknown> };
  readonly diagrams: { current(): boolean; readonly onDidChange: Event<unknown> };
  /** Notice for a chat that can't be saved. */
  readonly unsaved: string;
}

interface PanelStateOptions extends PanelSources {
  readonly chat: Chat;
  readonly composer: Composer;
  readonly costs: SendCostEstimator;
  readonly queue: MessageQueue;
  readonly aside: OpenAside<SideChat>;
  readonly asideCosts: SendCostEstimator;
  readonly edits: EditedMessages;
  readonly store: ConversationStore;
}

function atLeastOne<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list;
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
export class PanelStateSource implements Disposable {
  readonly #options: PanelStateOptions;
  readonly #changed = new Emitter<PanelState>();
  readonly #listening: Disposable[];
  #notice: string | undefined;

  readonly onDidChange = this.#changed.event;

  constructor(options: PanelStateOptions) {
    this.#options = options;
    const { chat, composer, queue, edits, connection, model, settings, recent, diagrams } = options;
    const fireChange = (): void => this.#changed.fire(this.current());
    this.#listening = [
      composer.onDidChange(fireChange),
      queue.onDidChange(fireChange),
      options.aside.onDidChange(fireChange),
      edits.onDidChange(fireChange),
      connection.onDidChange(fireChange),
      model.onDidChange(fireChange),
      settings.onDidChange(fireChange),
      recent.onDidChange(fireChange),
      diagrams.onDidChange(fireChange),
      options.starters.onDidChange(() => {
        if (this.#isEmpty) fireChange();
      }),
      chat.onDidWait(fireChange),
      options.store.onDidChangeHolder(fireChange),
      chat.onDidChange((change) => {
        const type = change.type === 'event' ? change.event.type : undefined;
        if (type === undefined || changesHistory.includes(type)) fireChange();
      }),
      options.store.onDidSave((saved) => {
        this.#notice = saved ? undefined : options.unsaved;
        fireChange();
      }),
    ];
  }

  current(): PanelState {
    const { chat, costs, queue, edits, connection, model, settings, recent } = this.#options;
    const { starters, store, diagrams, aside, asideCosts } = this.#options;
    const { attachments, cost } = costs.current();
    return {
      connection: connection.state,
      model: model.current(),
      settings: settings.requestOptions(),
      refused: atLeastOne(settings.refusedOptions()),
      effort: settings.effortOf(model.current().id),
      attachments,
      mode: chat.mode,
      edits: edits.states,
      cost,
      plan: openPlan(chat.conversation)?.turn,
      prices: costs.prices(),
      waiting: chat.waiting,
      queued: queue.messages,
      aside: aside.state,
      asideCost: asideCosts.current().cost,
      recent: recent.current,
      starters: this.#isEmpty ? starters.current() : undefined,
      heldBy: store.heldBy && workspaceName(store.heldBy),
      diagrams: diagrams.current() || undefined,
      notice: this.#notice,
    };
  }

  dispose(): void {
    disposeAll(this.#listening);
    this.#changed.dispose();
  }

  get #isEmpty(): boolean {
    return lastTurn(this.#options.chat.conversation) === undefined;
  }
}

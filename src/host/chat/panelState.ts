import { lastTurn } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { pathOf } from '../../core/conversation/paths.ts';
import { openPlan } from '../../core/conversation/mode.ts';
import { versionsOf } from '../../core/conversation/versions.ts';
import { background } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { type Disposable, disposeAll, Emitter, type Event } from '../../core/support/event.ts';
import type {
  ConnectionState,
  PanelState,
  Snapshot,
  StarterFacts,
} from '../../protocol/messages.ts';
import type { ToolAccess } from '../service/models.ts';
import type { CurrentSettings } from '../platform/settings.ts';
import type { WindowFocus } from '../platform/window.ts';
import type { Chat } from './chat.ts';
import type { EditedMessage } from './editedMessages.ts';
import type { RecentChats } from './recentChats.ts';
import { type CostWindow, SendCostEstimator } from './sendCostEstimator.ts';

/** What the panel of any chat shows of its window. */
export interface PanelWindow extends CostWindow {
  readonly clock: Clock;
  readonly connection: {
    stateOf(model: string): ConnectionState;
    readonly onDidChange: Event<unknown>;
  };
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

/** What the pages of a chat show: its state besides the conversation, and snapshots of both. */
export class PanelStateSource implements Disposable {
  /** Estimates the next message. */
  readonly costs: SendCostEstimator;
  readonly #chat: Chat;
  readonly #window: PanelWindow;
  readonly #editCosts = new WeakMap<EditedMessage, SendCostEstimator>();
  /** Estimates the next message of a side chat. */
  #sideCosts: { readonly side: Chat; readonly costs: SendCostEstimator } | undefined;
  readonly #changed = new Emitter<PanelState>();
  readonly #listening: Disposable[];
  #notice: string | undefined;
  #setDrawn: () => void = () => undefined;

  readonly onDidChange = this.#changed.event;
  /** Resolves when a page requests the chat for the first time. */
  readonly drawn = new Promise<void>((resolve) => (this.#setDrawn = resolve));

  constructor(chat: Chat, window: PanelWindow) {
    this.#chat = chat;
    this.#window = window;
    const { composer, edits, preset, queue, side, store } = chat;
    this.costs = new SendCostEstimator(chat, composer, window);
    const fireChange = (): void => this.#changed.fire(this.current());
    const { connection, settings, toolAccess, recent, diagrams, windowFocus } = window;
    const changing: readonly { readonly onDidChange: Event<unknown> }[] = [
      ...[composer, queue, side, edits, connection, preset.model],
      ...[settings, toolAccess, recent, diagrams, windowFocus],
    ];
    this.#listening = [
      ...changing.map(({ onDidChange }) => onDidChange(fireChange)),
      window.starters.onDidChange(() => {
        if (chat.isEmpty) fireChange();
      }),
      chat.onDidChange((change) => {
        const type = change.type === 'event' ? change.event.type : undefined;
        if (type === undefined || changesHistory.includes(type)) fireChange();
      }),
      store.onDidSave((saved) => {
        this.#notice = saved ? undefined : window.unsaved;
        fireChange();
      }),
    ];
  }

  current(): PanelState {
    const chat = this.#chat;
    const { access, conversation, edits, preset, queue, side } = chat;
    const { connection, settings, recent, starters, diagrams, toolAccess, windowFocus } =
      this.#window;
    const model = preset.model.current();
    const refused = settings.refusedOptions();
    const { attachments, cost } = this.costs.current();
    return {
      connection: connection.stateOf(model.id),
      model,
      settings: settings.requestOptions(),
      refused: refused.length === 0 ? undefined : refused,
      effort: settings.effortOf(model.id),
      attachments,
      mode: chat.mode,
      toolObstacle: toolAccess.obstacle(model.id),
      edits: Object.fromEntries(
        [...edits.byTurn].map(([turn, message]) => [turn, this.#costsOf(message).current(turn)]),
      ),
      cost,
      plan: openPlan(conversation)?.turn,
      prices: this.costs.prices(),
      queued: queue.shown,
      sideChat: side.state,
      sideChatCost: this.#sideCost(),
      recent: recent.current,
      starters: chat.isEmpty ? starters.current() : undefined,
      isReadOnly: access.isReadOnly || undefined,
      diagrams: diagrams.current() || undefined,
      isInBackground: !windowFocus.isFocused() || undefined,
      notice: this.#notice,
    };
  }

  /** The chat as a page shows it: around a turn, or the newest turns. */
  snapshot(turn: string | undefined): Snapshot {
    this.#setDrawn();
    const { composer, conversation } = this.#chat;
    const visible = this.#chat.windowAround(turn);
    if (lastTurn(visible.conversation) === undefined) background(this.#window.recent.refresh());
    return {
      ...visible,
      versions: versionsOf(conversation, pathOf(visible.conversation)),
      around: visible.conversation.turns.find(({ id }) => id === turn)?.id,
      state: this.current(),
      draft: composer.draft,
      draftAt: composer.draftAt,
      now: this.#window.clock.wall(),
    };
  }

  dispose(): void {
    disposeAll(this.#listening);
    this.#changed.dispose();
  }

  #costsOf(message: EditedMessage): SendCostEstimator {
    const costs =
      this.#editCosts.get(message) ?? new SendCostEstimator(this.#chat, message, this.#window);
    this.#editCosts.set(message, costs);
    return costs;
  }

  /** The cost of the next message of the side chat, which has nothing of a running reply. */
  #sideCost(): PanelState['sideChatCost'] {
    const { composer, conversation, side } = this.#chat;
    const of = side.current ?? this.#chat;
    if (this.#sideCosts?.side !== of)
      this.#sideCosts = { side: of, costs: new SendCostEstimator(of, composer, this.#window) };
    const replaced = of === this.#chat ? conversation.running?.id : undefined;
    return this.#sideCosts.costs.current(replaced).cost;
  }
}

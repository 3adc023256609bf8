import type { RequestOptions } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { disposeAll, Emitter, type Disposable, type Event } from '../../core/support/event.ts';
import type { ConnectionState, ModelState, PanelState } from '../../protocol/messages.ts';
import type { Composer } from '../attachments/composer.ts';
import type { Chat } from './chat.ts';
import type { MessageQueue } from './messageQueue.ts';
import type { SendCosts } from './sendCost.ts';

export interface PanelSources {
  readonly chat: Chat;
  readonly composer: Composer;
  readonly costs: Pick<SendCosts, 'current'>;
  readonly queue: MessageQueue;
  readonly connection: { readonly state: ConnectionState; readonly onDidChange: Event<unknown> };
  readonly model: { current(): ModelState; readonly onDidChange: Event<unknown> };
  readonly settings: { requestOptions(): RequestOptions; readonly onDidChange: Event<unknown> };
  /** Fires with whether the chat can be written. */
  readonly onDidSave: Event<boolean>;
  /** Words for a chat that cannot be written. */
  readonly unsaved: string;
}

/** After these the next request is another one. */
const changesHistory: readonly ConversationEvent['type'][] = [
  'turn-start',
  'turn-end',
  'turn-remove',
  'turn-continue',
  'options-change',
];

/** What the panel shows besides the conversation, gathered from where each of it lives. */
export class PanelStateSource implements Disposable {
  readonly #sources: PanelSources;
  readonly #changed = new Emitter<PanelState>();
  readonly #listening: Disposable[];
  #notice: string | undefined;

  readonly onDidChange = this.#changed.event;

  constructor(sources: PanelSources) {
    this.#sources = sources;
    const { chat, composer, queue, connection, model, settings, onDidSave } = sources;
    const tell = (): void => this.#changed.fire(this.current());
    this.#listening = [
      composer.onDidChange(tell),
      queue.onDidChange(tell),
      connection.onDidChange(tell),
      model.onDidChange(tell),
      settings.onDidChange(tell),
      chat.onDidWait(tell),
      chat.onDidChange((change) => {
        if (change.type === 'replace' || changesHistory.includes(change.event.type)) tell();
      }),
      onDidSave((saved) => {
        this.#notice = saved ? undefined : sources.unsaved;
        tell();
      }),
    ];
  }

  current(): PanelState {
    const { chat, costs, queue, connection, model, settings } = this.#sources;
    const { attachments, cost } = costs.current();
    return {
      connection: connection.state,
      model: model.current(),
      settings: settings.requestOptions(),
      attachments,
      cost,
      waiting: chat.waiting,
      queued: queue.messages,
      notice: this.#notice,
    };
  }

  dispose(): void {
    disposeAll(this.#listening);
    this.#changed.dispose();
  }
}

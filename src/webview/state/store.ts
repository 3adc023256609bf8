import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import type { RequestOptions } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import type { Disposable } from '../../core/support/event.ts';
import { ViewChannel, type Port } from '../../protocol/channel.ts';
import type {
  CompletionResult,
  HostMessage,
  PanelState,
  Snapshot,
  ViewMessage,
  ViewRequest,
} from '../../protocol/messages.ts';
import { Draft } from './draft.ts';
import { FindModel } from './findModel.ts';
import { TurnWindow } from './turnWindow.ts';

/** After these the button that was pressed is gone, and the next thing to do is to write. */
const backToComposer: readonly ViewRequest['type'][] = [
  'stop',
  'retry',
  'continue',
  'resend',
  'unqueue',
  'attach',
  'attach-offered',
  'remove-attachment',
];

/** Everything that the panel shows, as signals: each part redraws only for what it reads. */
export class Store implements Disposable {
  readonly #channel: ViewChannel;
  readonly #panel = signal<PanelState | undefined>(undefined);
  readonly #completions = signal<CompletionResult | undefined>(undefined);
  readonly #refusal = signal('');
  readonly #focus = signal(0);
  /** What the host's clock is ahead of the one here. */
  #clockOffset = 0;

  /** Changes of the options that the host has not answered: what it says of them is older. */
  #unsettledOptions = 0;
  /** What the person chose last, and what the host said last. */
  #chosenOptions: RequestOptions = {};
  #postedOptions: RequestOptions = {};

  readonly draft: Draft;
  readonly window: TurnWindow;
  readonly find: FindModel;
  /** Questions that are being edited, by the turn: they are kept while the turn is not drawn. */
  readonly edits = new Map<string, string>();
  readonly id = computed(() => this.window.conversation.value.id);
  readonly running = computed(() => this.window.running.value);
  /** The oldest turn that the newest question was sent with, where not all of them were. */
  readonly firstSent = computed(
    () => (this.window.running.value ?? this.window.turns.value.at(-1))?.firstSent,
  );
  readonly runningId = computed(() => this.running.value?.id);
  /** The newest turn that ended, where it is in the window. */
  readonly lastId = computed(() =>
    this.window.hasEnd.value ? this.window.turns.value.at(-1)?.id : undefined,
  );
  readonly options = computed(() => this.window.conversation.value.options);
  /** Absent until the first snapshot. */
  readonly panel: ReadonlySignal<PanelState | undefined> = this.#panel;
  /** The last answer to `complete`. */
  readonly completions: ReadonlySignal<CompletionResult | undefined> = this.#completions;
  /** Why what was asked last was not done, in the host's words. */
  readonly refusal: ReadonlySignal<string> = this.#refusal;
  /** Changes whenever the composer is to take the focus. */
  readonly focus: ReadonlySignal<number> = this.#focus;

  /** @param turn where the reader was, unless that was the end */
  constructor(port: Port<ViewMessage, HostMessage>, turn?: string) {
    this.#channel = new ViewChannel(port, (message) => this.#receive(message));
    this.draft = new Draft((text) => this.#channel.post({ type: 'draft', text }));
    this.window = new TurnWindow((message) => this.#channel.post(message));
    this.find = new FindModel((message) => this.#channel.post(message));
    this.#channel.post({ type: 'ready', turn });
  }

  /** Milliseconds since the Unix epoch by the host's clock. */
  now(): number {
    return Date.now() + this.#clockOffset;
  }

  /** True once the host has done it. A refusal is shown to the person, never thrown. */
  async request(request: ViewRequest): Promise<boolean> {
    this.#refusal.value = '';
    try {
      await this.#channel.request(request);
      if (backToComposer.includes(request.type)) this.focusComposer();
      return true;
    } catch (error) {
      this.refuse(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /** Sends a question; a refused one comes back into the composer. */
  async send(text: string): Promise<void> {
    this.draft.clearForSend();
    this.draft.settle(text, await this.request({ type: 'send', text }));
    this.focusComposer();
  }

  /** Holds here at once, so that a second change builds on the first. */
  async setOptions(options: RequestOptions): Promise<void> {
    this.#chosenOptions = options;
    this.#apply([{ type: 'options-change', options }]);
    const { stop, ...others } = options;
    const request = stop === undefined ? others : { ...others, stop: [...stop] };
    this.#unsettledOptions++;
    const accepted = await this.request({ type: 'set-options', options: request });
    this.#unsettledOptions--;
    if (accepted || this.#unsettledOptions > 0) return;
    this.#apply([{ type: 'options-change', options: this.#postedOptions }]);
  }

  focusComposer(): void {
    this.#focus.value++;
  }

  /** Tells the person why something is not done. */
  refuse(words: string): void {
    this.#refusal.value = words;
  }

  dismissRefusal(): void {
    this.#refusal.value = '';
  }

  dispose(): void {
    this.draft.dispose();
    this.window.dispose();
    this.#channel.dispose();
  }

  #receive(message: Exclude<HostMessage, { type: 'settled' }>): void {
    switch (message.type) {
      case 'snapshot':
        this.#show(message.snapshot);
        break;
      case 'events':
        this.#receiveEvents(message.events);
        this.#channel.post({ type: 'acknowledge' });
        break;
      case 'turns':
        this.window.receive(message);
        break;
      case 'found':
        this.find.receive(message);
        break;
      case 'state':
        this.#panel.value = message.state;
        break;
      case 'completions':
        this.#completions.value = message;
        break;
      case 'focus':
        this.focusComposer();
        break;
    }
  }

  #receiveEvents(events: readonly ConversationEvent[]): void {
    for (const event of events)
      if (event.type === 'options-change') this.#postedOptions = event.options;
    this.#apply(this.#unsettledOptions === 0 ? events : withoutOptions(events));
  }

  #apply(events: readonly ConversationEvent[]): void {
    batch(() => this.window.apply(events));
  }

  #show(snapshot: Snapshot): void {
    const { conversation, around, state, draft, now } = snapshot;
    const options = this.#unsettledOptions === 0 ? conversation.options : this.#chosenOptions;
    this.#postedOptions = conversation.options;
    this.#clockOffset = now - Date.now();
    const sameChat = this.id.value === conversation.id;
    if (!sameChat) this.edits.clear();
    batch(() => {
      this.window.show({ ...snapshot, conversation: { ...conversation, options } }, around);
      this.#panel.value = state;
      this.draft.load(draft, sameChat);
    });
  }
}

function withoutOptions(events: readonly ConversationEvent[]): readonly ConversationEvent[] {
  return events.filter(({ type }) => type !== 'options-change');
}

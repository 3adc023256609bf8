import { isTextEvent, pushEvent, type ConversationEvent } from '../core/conversation/events.ts';
import type { AdjacentTurns, WindowSide } from '../core/conversation/window.ts';
import type { Disposable } from '../core/support/event.ts';
import type { Port } from './channel.ts';
import {
  viewMessage,
  type CompletionItem,
  type CompletionResult,
  type FindResult,
  type HostMessage,
  type PanelState,
  type Snapshot,
  type ViewMessage,
  type ViewRequest,
} from './messages.ts';

/** What the host does with what the view says. */
export interface HostHandlers {
  /** Resolves when all is there that a message needs; absent where all is there from the start. */
  readonly prepare?: ((message: ViewMessage) => Promise<void>) | undefined;
  /** Everything that is needed to draw a turn and those around it, or else the newest. */
  snapshot(turn?: string): Snapshot;
  /** Undefined where there is no such turn any more. */
  turns(side: WindowSide, of: string): AdjacentTurns | undefined;
  /** Looks for it; undefined where something else is looked for meanwhile. */
  find(query: string, from: string | undefined): Promise<FindResult | undefined>;
  /** What a word could become, or rejects. */
  complete(trigger: CompletionResult['trigger'], query: string): Promise<FoundCompletions>;
  /** Does it, or rejects. */
  request(request: HostRequest): Promise<void>;
  draft(text: string): void;
  /** Words for the person about why a request was rejected. */
  refusal(error: unknown): string;
}

/** What the view asks for besides completions. */
export type HostRequest = Exclude<ViewRequest, { type: 'complete' }>;

export interface FoundCompletions {
  readonly items: readonly CompletionItem[];
  /** All of them, with those that took longer to find. Never rejects. */
  readonly later?: Promise<readonly CompletionItem[]> | undefined;
}

/**
 * The host's end. What the view says is hostile until parsed, and what does not parse is dropped.
 * Events are sent one message at a time: while the view has not acknowledged the last one, text
 * joins, so a slow view falls behind by one message and not by thousands.
 */
export class HostChannel implements Disposable {
  readonly #port: Port<HostMessage, unknown>;
  readonly #handlers: HostHandlers;
  readonly #soon: (work: () => void) => void;
  readonly #listening: Disposable;
  #waiting: ConversationEvent[] = [];
  #ready = false;
  /** How often completions were asked for. */
  #completions = 0;
  /** Messages of events that are on their way. */
  #unacknowledged = 0;

  /** @param soon when to post what is no text: the next request of a turn goes out before that */
  constructor(
    port: Port<HostMessage, unknown>,
    handlers: HostHandlers,
    soon = (work: () => void): void => work(),
  ) {
    this.#port = port;
    this.#handlers = handlers;
    this.#soon = soon;
    this.#listening = port.listen((message) => this.#receive(message));
  }

  postEvent(event: ConversationEvent): void {
    if (!this.#ready) return;
    pushEvent(this.#waiting, event);
    if (isTextEvent(event)) this.#flush();
    else this.#soon(() => this.#flush());
  }

  postState(state: PanelState): void {
    if (this.#ready) this.#port.post({ type: 'state', state });
  }

  /** Draws everything anew: another conversation, or another part of it. */
  postSnapshot(turn?: string): void {
    if (!this.#ready) return;
    this.#waiting = [];
    this.#port.post({ type: 'snapshot', snapshot: this.#handlers.snapshot(turn) });
  }

  /** Puts the cursor into the composer; false where the view is not there yet. */
  focus(): boolean {
    if (this.#ready) this.#port.post({ type: 'focus' });
    return this.#ready;
  }

  dispose(): void {
    this.#ready = false;
    this.#waiting = [];
    this.#listening.dispose();
  }

  #receive(message: unknown): void {
    const parsed = viewMessage.safeParse(message);
    if (!parsed.success) return;
    const { data } = parsed;
    const { prepare } = this.#handlers;
    if (prepare === undefined) this.#handle(data);
    else void prepare(data).then(() => this.#handle(data));
  }

  #handle(message: ViewMessage): void {
    switch (message.type) {
      case 'ready':
        // Also said by a view that was hidden and loads anew: what was under way is lost with it.
        this.#ready = true;
        this.#unacknowledged = 0;
        this.postSnapshot(message.turn);
        return;
      case 'acknowledge':
        this.#unacknowledged = Math.max(0, this.#unacknowledged - 1);
        this.#flush();
        return;
      case 'show':
        this.postSnapshot(message.turn);
        return;
      case 'turns':
        this.#postTurns(message.side, message.of);
        return;
      case 'find':
        void this.#find(message.query, message.from);
        return;
      case 'draft':
        this.#handlers.draft(message.text);
        return;
      case 'request':
        void this.#handleRequest(message.id, message.request);
    }
  }

  #flush(): void {
    if (this.#unacknowledged === 0) this.#postWaiting();
  }

  #postWaiting(): void {
    const events = this.#waiting;
    if (events.length === 0) return;
    this.#waiting = [];
    this.#unacknowledged++;
    this.#port.post({ type: 'events', events });
  }

  #postTurns(side: WindowSide, of: string): void {
    const next = this.#handlers.turns(side, of);
    if (next === undefined) return;
    // They are what all events so far have left; the view must have seen those first.
    this.#postWaiting();
    this.#port.post({ type: 'turns', side, of, ...next });
  }

  async #find(query: string, from: string | undefined): Promise<void> {
    const found = await this.#handlers.find(query, from);
    if (found !== undefined) this.#port.post({ type: 'found', ...found });
  }

  async #handleRequest(id: number, request: ViewRequest): Promise<void> {
    try {
      if (request.type === 'complete') await this.#complete(request.trigger, request.query);
      else await this.#handlers.request(request);
      this.#port.post({ type: 'settled', id });
    } catch (error) {
      this.#port.post({ type: 'settled', id, refusal: this.#handlers.refusal(error) });
    }
  }

  async #complete(trigger: CompletionResult['trigger'], query: string): Promise<void> {
    const number = ++this.#completions;
    const { items, later } = await this.#handlers.complete(trigger, query);
    this.#port.post({ type: 'completions', trigger, query, items });
    void later?.then((all) => {
      if (number !== this.#completions || !this.#ready) return;
      this.#port.post({ type: 'completions', trigger, query, items: all });
    });
  }
}

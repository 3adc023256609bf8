import { pushEvent } from '../core/conversation/coalesce.ts';
import type { ConversationEvent } from '../core/conversation/events.ts';
import type { Disposable } from '../core/support/disposable.ts';
import type { Port } from './channel.ts';
import {
  viewMessage,
  type HostMessage,
  type PanelState,
  type Snapshot,
  type ViewRequest,
} from './messages.ts';

/** What the host does with what the view says. */
export interface HostHandlers {
  /** Everything that is needed to draw. */
  snapshot(): Snapshot;
  /** Does it, or rejects. */
  request(request: ViewRequest): Promise<void>;
  draft(text: string): void;
  /** Words for the person about why a request was rejected. */
  refusal(error: unknown): string;
}

/**
 * The host's end. What the view says is hostile until parsed, and what does not parse is dropped.
 * Events are sent one message at a time: while the view has not acknowledged the last one, text
 * joins, so a slow view falls behind by one message and not by thousands.
 */
export class HostChannel implements Disposable {
  readonly #port: Port<HostMessage, unknown>;
  readonly #handlers: HostHandlers;
  readonly #listening: Disposable;
  #waiting: ConversationEvent[] = [];
  #ready = false;
  #unacknowledged = false;

  constructor(port: Port<HostMessage, unknown>, handlers: HostHandlers) {
    this.#port = port;
    this.#handlers = handlers;
    this.#listening = port.listen((message) => this.#receive(message));
  }

  postEvent(event: ConversationEvent): void {
    if (!this.#ready) return;
    pushEvent(this.#waiting, event);
    this.#flush();
  }

  postState(state: PanelState): void {
    if (this.#ready) this.#port.post({ type: 'state', state });
  }

  /** Draws everything anew, for another conversation. */
  postSnapshot(): void {
    if (!this.#ready) return;
    this.#waiting = [];
    this.#port.post({ type: 'snapshot', snapshot: this.#handlers.snapshot() });
  }

  /** Puts the cursor into the composer; false where the view is not there yet. */
  focus(): boolean {
    if (this.#ready) this.#port.post({ type: 'focus' });
    return this.#ready;
  }

  dispose(): void {
    this.#ready = false;
    this.#listening.dispose();
  }

  #receive(message: unknown): void {
    const parsed = viewMessage.safeParse(message);
    if (!parsed.success) return;
    switch (parsed.data.type) {
      case 'ready':
        // Also said by a view that was hidden and loads anew: what was under way is lost with it.
        this.#ready = true;
        this.#unacknowledged = false;
        this.postSnapshot();
        return;
      case 'acknowledge':
        this.#unacknowledged = false;
        this.#flush();
        return;
      case 'draft':
        this.#handlers.draft(parsed.data.text);
        return;
      case 'request':
        void this.#answer(parsed.data.id, parsed.data.request);
    }
  }

  #flush(): void {
    if (this.#unacknowledged || this.#waiting.length === 0) return;
    this.#unacknowledged = true;
    this.#port.post({ type: 'events', events: this.#waiting });
    this.#waiting = [];
  }

  async #answer(id: number, request: ViewRequest): Promise<void> {
    try {
      await this.#handlers.request(request);
      this.#port.post({ type: 'settled', id });
    } catch (error) {
      this.#port.post({ type: 'settled', id, refusal: this.#handlers.refusal(error) });
    }
  }
}

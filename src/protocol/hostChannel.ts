import { background } from '../core/support/background.ts';
import { isTextEvent, pushEvent, type ConversationEvent } from '../core/conversation/events.ts';
import {
  conversationWithoutTraces,
  eventWithoutTraces,
  turnWithoutTraces,
} from '../core/conversation/traces.ts';
import type { VersionsByTurn } from '../core/conversation/versions.ts';
import type { WindowSide } from '../core/conversation/window.ts';
import type { Disposable } from '../core/support/event.ts';
import type { Port } from './channel.ts';
import {
  sideMessage,
  viewMessage,
  type HostMessage,
  type MoreTurns,
  type PanelState,
  type Snapshot,
  type ViewMessage,
} from './messages.ts';
import { answerTo, anyCall } from './call.ts';
import type { Call, CallName, CallResults } from './rpc.ts';

export interface HostHandlers {
  /** Resolves when the data that a message needs is loaded; undefined if it always is. */
  readonly prepare?: ((message: ViewMessage) => Promise<void>) | undefined;
  /** The state to render the turns around the given one, or the newest ones. */
  snapshot(turn?: string): Snapshot;
  /** Turns adjacent to the given one; undefined if it no longer exists. */
  turns(side: WindowSide, of: string): Omit<MoreTurns, 'side' | 'of'> | undefined;
  /** Handles a call about the conversation with this id. May reject. */
  readonly call: (call: Call, conversation: string) => Promise<CallResults[CallName]>;
  /** Called when the view gets the focus. */
  readonly focused?: (() => void) | undefined;
  /** Describes to the person why a call was rejected. */
  readonly refusal: (error: unknown) => string;
}

/** The host's port for the card of a side chat, within that of its page. */
export function sideChatPort(
  port: Port<HostMessage, unknown>,
  chat: string,
): Port<HostMessage, unknown> {
  return {
    post: (message) => port.post({ type: 'side', chat, message }),
    listen: (listener) =>
      port.listen((message) => {
        const { data } = sideMessage.safeParse(message);
        if (data?.chat === chat) listener(data.message);
      }),
  };
}

type CallMessage = Extract<ViewMessage, { readonly type: 'call' }>;

/**
 * The host's end of the channel. Messages of the view are untrusted until parsed, and invalid ones
 * are dropped. Events are sent in one message at a time: until the view acknowledges it, text
 * deltas are merged, so a slow view falls behind by one message rather than by thousands. Each
 * call gets one answer, unless the view that sent it has gone. Traces of tool calls are not sent.
 */
export class HostChannel implements Disposable {
  readonly #port: Port<HostMessage, unknown>;
  readonly #handlers: HostHandlers;
  readonly #schedule: (work: () => void) => void;
  readonly #subscription: Disposable;
  #waiting: ConversationEvent[] = [];
  #ready = false;
  /** Number of times that the view was loaded, or closed for good. */
  #loads = 0;
  /** Number of event messages that are not yet acknowledged. */
  #unacknowledged = 0;

  /**
   * @param schedule schedules posting of events other than text, so that the next request of a turn
   *   is sent first
   */
  constructor(
    port: Port<HostMessage, unknown>,
    handlers: HostHandlers,
    schedule = (work: () => void): void => work(),
  ) {
    this.#port = port;
    this.#handlers = handlers;
    this.#schedule = schedule;
    this.#subscription = port.listen((message) => this.#receive(message));
  }

  postEvent(event: ConversationEvent): void {
    if (!this.#ready) return;
    pushEvent(this.#waiting, eventWithoutTraces(event));
    if (isTextEvent(event)) this.#flush();
    else this.#schedule(() => this.#flush());
  }

  postVersions(versions: VersionsByTurn): void {
    if (this.#ready && Object.keys(versions).length > 0)
      this.#port.post({ type: 'versions', versions });
  }

  postState(state: PanelState): void {
    if (this.#ready) this.#port.post({ type: 'state', state });
  }

  /** Posts a draft that was changed in another page of the same chat, or by the host. */
  postDraft(text: string, isOther = false): void {
    if (this.#ready) this.#port.post({ type: 'draft', text, isOther });
  }

  /** Renders everything again: another conversation, or another part of it. */
  postSnapshot(turn?: string): void {
    if (!this.#ready) return;
    this.#waiting = [];
    const snapshot = this.#handlers.snapshot(turn);
    const conversation = conversationWithoutTraces(snapshot.conversation);
    this.#port.post({ type: 'snapshot', snapshot: { ...snapshot, conversation } });
  }

  /** Highlights words, and scrolls to those in the turn; false if the view is not ready. */
  showMatch(turn: string, query: string): boolean {
    if (this.#ready) this.#port.post({ type: 'show-match', turn, query });
    return this.#ready;
  }

  /** Focuses the composer; false if the view is not ready. */
  focus({ grabs }: { readonly grabs: boolean }): boolean {
    if (this.#ready) this.#port.post({ type: 'focus', grabs });
    return this.#ready;
  }

  dispose(): void {
    this.#loads++;
    this.#ready = false;
    this.#waiting = [];
    this.#subscription.dispose();
  }

  #receive(message: unknown): void {
    const { data } = viewMessage.safeParse(message);
    if (data === undefined) {
      const invalid = anyCall.safeParse(message).data;
      if (invalid === undefined) return;
      const error = this.#handlers.refusal(new Error('A request of the panel is not valid.'));
      this.#port.post({ type: 'answer', id: invalid.id, error });
      return;
    }
    if (data.type === 'call') {
      background(this.#answer(data));
      return;
    }
    if (data.type === 'ready') this.#loads++;
    const { prepare } = this.#handlers;
    if (prepare === undefined) this.#handle(data);
    else background(prepare(data).then(() => this.#handle(data)));
  }

  /** The ids of a view that was loaded again mean other calls. */
  async #answer(message: CallMessage): Promise<void> {
    const loads = this.#loads;
    const { prepare, call, refusal } = this.#handlers;
    const result = async (): Promise<unknown> => {
      await prepare?.(message);
      return call(message.call, message.conversation);
    };
    const answer = await answerTo(message.id, result, refusal);
    if (loads === this.#loads) this.#port.post(answer);
  }

  #handle(message: Exclude<ViewMessage, CallMessage>): void {
    switch (message.type) {
      case 'ready':
        // A view that was hidden and reloads sends it again: messages in transit were lost.
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
      case 'turns': {
        const { side, of } = message;
        const next = this.#handlers.turns(side, of);
        if (next === undefined) return;
        // The turns reflect all events so far, so the view must receive those first.
        this.#postWaiting();
        const turns = next.turns.map(turnWithoutTraces);
        this.#port.post({ type: 'turns', side, of, ...next, turns });
        return;
      }
      case 'focused':
        this.#handlers.focused?.();
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
}

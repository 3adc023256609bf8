import { isTextEvent, pushEvent, type ConversationEvent } from '../core/conversation/events.ts';
import type { VersionsByTurn } from '../core/conversation/versions.ts';
import type { WindowSide } from '../core/conversation/window.ts';
import type { Disposable } from '../core/support/event.ts';
import type { Port } from './channel.ts';
import {
  viewMessage,
  type CompletionItem,
  type CompletionResult,
  type FindResult,
  type HostMessage,
  type MoreTurns,
  type PanelState,
  type RestorableFiles,
  type Snapshot,
  type ReferencePlace,
  type ReferenceWord,
  type ViewMessage,
  type ViewRequest,
} from './messages.ts';

/** The text in the composer, and the time when it was typed by the view's clock. */
export interface DatedDraft {
  readonly text: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Handlers for the messages of the view. */
export interface HostHandlers {
  /** Resolves when the data that a message needs is loaded; undefined if it always is. */
  readonly prepare?: ((message: ViewMessage) => Promise<void>) | undefined;
  /** The state to render the turns around the given one, or the newest ones. */
  snapshot(turn?: string): Snapshot;
  /** Turns adjacent to the given one; undefined if it no longer exists. */
  turns(side: WindowSide, of: string): Omit<MoreTurns, 'side' | 'of'> | undefined;
  /** Searches the conversation; undefined if another search was started in the meantime. */
  find(query: string, from: string | undefined): Promise<FindResult | undefined>;
  /** Resolves words of a reply to files and symbols, in order. Undefined if there are no links. */
  readonly references?:
    ((words: readonly ReferenceWord[]) => Promise<readonly (ReferencePlace | null)[]>) | undefined;
  /** The files that can be restored to before the message of a turn. May reject. */
  readonly restorable?: ((turn: string) => Promise<RestorableFiles>) | undefined;
  /** Finds completions of a word. May reject. */
  complete(
    trigger: CompletionResult['trigger'],
    query: string,
    edited?: string,
  ): Promise<FoundCompletions>;
  /** The text of an attachment of a conversation; undefined if it is no longer attached. */
  readonly attachmentText?:
    ((request: ReadAttachment, conversation: string) => string | undefined) | undefined;
  /** An image of a conversation as a data URL; undefined if it is missing. */
  readonly image?:
    ((hash: string, conversation: string) => Promise<string | undefined>) | undefined;
  /** Handles the request about the conversation with this id. May reject. */
  request(request: HostRequest, conversation: string): Promise<void>;
  /** Stores the draft of a conversation. May return a promise that resolves when it is stored. */
  draft(draft: DatedDraft, conversation: string): unknown;
  /** To be called when the view gets the focus. */
  readonly focused?: (() => void) | undefined;
  /** Describes to the person why a request was rejected. */
  refusal(error: unknown): string;
}

/** The requests of the view except those with a response of their own. */
export type HostRequest = Exclude<
  ViewRequest,
  { type: 'complete' | 'read-attachment' | 'read-image' }
>;

type CompletionRequest = Extract<ViewRequest, { readonly type: 'complete' }>;
export type ReadAttachment = Extract<ViewRequest, { readonly type: 'read-attachment' }>;
type RequestMessage = Extract<ViewMessage, { readonly type: 'request' }>;

/** The completions of a word. */
export interface FoundCompletions {
  readonly items: readonly CompletionItem[];
  /** Complete lists with items that took longer to find; undefined for no change. Never reject. */
  readonly later?: readonly Promise<readonly CompletionItem[] | undefined>[];
}

/**
 * The host's end of the channel. Messages of the view are untrusted until parsed, and invalid ones
 * are dropped. Events are sent in one message at a time: until the view acknowledges it, text
 * deltas are merged, so a slow view falls behind by one message rather than by thousands.
 */
export class HostChannel implements Disposable {
  readonly #port: Port<HostMessage, unknown>;
  readonly #handlers: HostHandlers;
  readonly #schedule: (work: () => void) => void;
  readonly #subscription: Disposable;
  #waiting: ConversationEvent[] = [];
  #ready = false;
  /** Number of drafts that the view sent since it was ready. */
  #drafts = 0;
  /** Number of completion requests, to ignore outdated results. */
  #completions = 0;
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
    pushEvent(this.#waiting, event);
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
    this.#port.post({ type: 'snapshot', snapshot: this.#handlers.snapshot(turn) });
  }

  /** Highlights words, and scrolls to those in the turn; false if the view is not ready. */
  showMatch(turn: string, query: string): boolean {
    if (this.#ready) this.#port.post({ type: 'show-match', turn, query });
    return this.#ready;
  }

  /** Focuses the composer; false if the view is not ready. */
  focus(): boolean {
    if (this.#ready) this.#port.post({ type: 'focus' });
    return this.#ready;
  }

  dispose(): void {
    this.#ready = false;
    this.#waiting = [];
    this.#subscription.dispose();
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
        // A view that was hidden and reloads sends it again: messages in transit were lost.
        this.#ready = true;
        this.#unacknowledged = 0;
        this.#drafts = 0;
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
      case 'find-references':
        void this.#findReferences(message.number, message.words);
        return;
      case 'find-restorable':
        void this.#findRestorable(message.turn);
        return;
      case 'focused':
        this.#handlers.focused?.();
        return;
      case 'draft':
        void this.#storeDraft(message, message.conversation);
        return;
      case 'request':
        void this.#handleRequest(message);
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
    // The turns reflect all events so far, so the view must receive those first.
    this.#postWaiting();
    this.#port.post({ type: 'turns', side, of, ...next });
  }

  async #storeDraft({ text, at }: DatedDraft, conversation: string): Promise<void> {
    const number = ++this.#drafts;
    await this.#handlers.draft({ text, at }, conversation);
    if (this.#ready) this.#port.post({ type: 'draft-stored', number });
  }

  async #find(query: string, from: string | undefined): Promise<void> {
    const result = await this.#handlers.find(query, from);
    if (result !== undefined) this.#port.post({ type: 'found', ...result });
  }

  async #findReferences(number: number, words: readonly ReferenceWord[]): Promise<void> {
    // A failed look-up leaves text as text.
    const places = await this.#handlers.references?.(words).catch(() => []);
    if (places !== undefined) this.#port.post({ type: 'references', number, places });
  }

  async #findRestorable(turn: string): Promise<void> {
    // Nothing is offered if the files cannot be determined.
    const restorable = await this.#handlers.restorable?.(turn).catch(() => undefined);
    if (restorable !== undefined) this.#port.post({ type: 'restorable', turn, ...restorable });
  }

  async #handleRequest({ id, request, conversation }: RequestMessage): Promise<void> {
    try {
      if (request.type === 'complete') await this.#complete(request);
      else if (request.type === 'read-attachment') this.#postText(request, conversation);
      else if (request.type === 'read-image') await this.#postImage(request.hash, conversation);
      else await this.#handlers.request(request, conversation);
      this.#port.post({ type: 'settled', id });
    } catch (error) {
      this.#port.post({ type: 'settled', id, refusal: this.#handlers.refusal(error) });
    }
  }

  #postText(request: ReadAttachment, conversation: string): void {
    const text = this.#handlers.attachmentText?.(request, conversation);
    const { attachment } = request;
    if (text !== undefined) this.#port.post({ type: 'attachment-text', attachment, text });
  }

  async #postImage(hash: string, conversation: string): Promise<void> {
    const url = (await this.#handlers.image?.(hash, conversation)) ?? '';
    this.#port.post({ type: 'image', hash, url });
  }

  async #complete({ trigger, query, edited }: CompletionRequest): Promise<void> {
    const number = ++this.#completions;
    const { items, later = [] } = await this.#handlers.complete(trigger, query, edited);
    this.#port.post({ type: 'completions', trigger, query, items });
    for (const list of later)
      void list.then((all) => {
        if (all === undefined || number !== this.#completions || !this.#ready) return;
        this.#port.post({ type: 'completions', trigger, query, items: all });
      });
  }
}

import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import { lastTurn, type RequestOptions, type Retry } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import type { Disposable } from '../../core/support/event.ts';
import { maxRequestCharacters } from '../../core/support/text.ts';
import { ViewChannel, type Port } from '../../protocol/channel.ts';
import type {
  CompletionResult,
  HostMessage,
  PanelState,
  Snapshot,
  ViewMessage,
  ViewRequest,
} from '../../protocol/messages.ts';
import { ComposerFocus } from './composerFocus.ts';
import { Draft, type DraftKeeper } from './draft.ts';
import { FindModel } from './findModel.ts';
import { ReferenceModel } from './referenceModel.ts';
import { RestoreModel } from './restoreModel.ts';
import { TurnWindow } from './turnWindow.ts';
import { VersionModel } from './versionModel.ts';

/** Requests after which the composer is focused, since the pressed button is removed. */
const focusesComposer: readonly ViewRequest['type'][] = [
  'stop',
  'choose-reply',
  'retry',
  'retry-without-tools',
  'continue',
  'resume',
  'resend',
  'continue-here',
  'unqueue',
  'edit-queued',
  'stop-editing-queued',
  'attach-offered',
  'remove-attachment',
  'open-chat',
];

/** A text for assistive technology; `number` distinguishes equal texts. */
interface Announcement {
  readonly text: string;
  readonly number: number;
}

/** Commands with a picker or an input box, after which the person goes on typing. */
const leadBackToComposer: readonly string[] = ['connect', 'selectModel', 'setApiKey', 'useDemo'];

/**
 * The state of the panel as signals: a component re-renders only when a signal that it reads
 * changes.
 */
export class Store implements Disposable {
  readonly #channel: ViewChannel;
  readonly #panel = signal<PanelState | undefined>(undefined);
  readonly #completions = signal<CompletionResult | undefined>(undefined);
  readonly #refusal = signal('');
  readonly #announcement = signal<Announcement>({ text: '', number: 0 });
  /** The response to the last `read-attachment`. */
  #attachmentText: string | undefined;
  /** Requested images by their hashes. */
  readonly #images = new Map<string, { url: string; read: Promise<string> }>();
  /** Resolves when pending attachments are attached. */
  #attaching: Promise<unknown> | undefined;
  /** Number of times that another chat was shown. */
  #visits = 0;
  /** Whether a message that is being sent still stands in the composer. */
  #isSending = false;
  /** Milliseconds by which the host's clock is ahead of the view's. */
  #clockOffset = 0;
  /** When retries begin, in milliseconds of `performance.now()`. */
  readonly #retryTimes = new WeakMap<Retry, number>();

  /**
   * Number of option changes that the host has not confirmed; until then its options are outdated.
   */
  #pendingOptions = 0;
  /** The options chosen last, and those of the host. */
  #chosenOptions: RequestOptions = {};
  #hostOptions: RequestOptions = {};

  readonly draft: Draft;
  readonly window: TurnWindow;
  readonly find: FindModel;
  readonly references: ReferenceModel;
  readonly restores: RestoreModel;
  readonly versions = new VersionModel();
  /** Edited messages by turn, kept while the turn is not rendered. */
  readonly edits = new Map<string, string>();
  readonly id = computed(() => this.window.conversation.value.id);
  readonly running = computed(() => this.window.running.value);
  /** The newest turn of the window. */
  readonly #newest = computed(() => this.window.running.value ?? this.window.turns.value.at(-1));
  /** The oldest turn that was sent with the newest message, if not all turns were. */
  readonly firstSent = computed(() => this.#newest.value?.firstSent);
  /** The oldest turn that was sent with its tool results in full, if not all turns were. */
  readonly shortResultsBefore = computed(() => this.#newest.value?.shortResultsBefore);
  readonly summaries = computed(() => this.window.conversation.value.summaries);
  readonly runningId = computed(() => this.running.value?.id);
  /** Whether a reply is running, or several that are compared. */
  readonly isRunning = computed(() => this.window.isRunning.value);
  /** The newest turn that has ended, if it is in the window. */
  readonly lastId = computed(() =>
    this.window.hasEnd.value ? this.window.turns.value.at(-1)?.id : undefined,
  );
  readonly options = computed(() => this.window.conversation.value.options);
  /** Reason why the chat can't be changed here; undefined if it can. */
  readonly readOnly = computed(() =>
    this.#panel.value?.heldBy === undefined
      ? undefined
      : l10n.t('This chat is open in another window. Select Continue Here first.'),
  );
  /** Undefined until the first snapshot. */
  readonly panel: ReadonlySignal<PanelState | undefined> = this.#panel;
  /** The queued message that is in the composer; undefined while the next message is. */
  readonly editedInQueue = computed(
    () => this.#panel.value?.queued.find(({ isEdited }) => isEdited === true)?.id,
  );
  /** The last result of `complete`. */
  readonly completions: ReadonlySignal<CompletionResult | undefined> = this.#completions;
  /** The reason why the last request was refused, as given by the host. */
  readonly refusal: ReadonlySignal<string> = this.#refusal;
  /** The text that assistive technology announces. */
  readonly announcement: ReadonlySignal<Announcement> = this.#announcement;
  readonly focus = new ComposerFocus();

  /** @param turn the turn to scroll to; undefined for the end */
  constructor(port: Port<ViewMessage, HostMessage>, turn?: string, keeper?: DraftKeeper) {
    this.#channel = new ViewChannel(port, (message) => this.#receive(message));
    this.draft = new Draft((draft) => this.#channel.post({ type: 'draft', ...draft }), keeper);
    this.window = new TurnWindow((message) => this.#channel.post(message));
    this.find = new FindModel((message) => this.#channel.post(message));
    this.references = new ReferenceModel((message) => this.#channel.post(message));
    this.restores = new RestoreModel((message) => this.#channel.post(message));
    this.#channel.post({ type: 'ready', turn });
  }

  /** Milliseconds since the Unix epoch by the host's clock. */
  now(): number {
    return Date.now() + this.#clockOffset;
  }

  /** Milliseconds until a request is sent again, unaffected by changes of the system clock. */
  untilRetry(retry: Retry): number {
    const time = performance.now();
    const end = this.#retryTimes.get(retry) ?? time + retry.resumeAt - this.now();
    this.#retryTimes.set(retry, end);
    return Math.max(0, end - time);
  }

  /**
   * Resolves with true once the host has fulfilled the request. A refusal is shown, never thrown.
   */
  async request(request: ViewRequest): Promise<boolean> {
    this.#refusal.value = '';
    if (isTooLong(request)) {
      this.refuse(l10n.t('Not sent: the request is too large.'));
      return false;
    }
    // VS Code gives the focus back to the page, where the composer should have it.
    if (request.type === 'run' && leadBackToComposer.includes(request.command))
      this.focusComposer();
    const isOfComposer = !('edited' in request) && focusesComposer.includes(request.type);
    const comeBack = isOfComposer ? this.focus.leave() : undefined;
    try {
      await this.#channel.request(this.id.peek(), request);
      if (request.type === 'copy') this.announce(l10n.t('Copied'));
      // A picker had the focus, and the host gives it to the page.
      if (request.type === 'attach' && request.edited === undefined) this.focusComposer();
      comeBack?.();
      return true;
    } catch (error) {
      this.refuse(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /** The text of an attachment; undefined if it is no longer attached. */
  async readAttachment(attachment: string, edited?: string): Promise<string | undefined> {
    this.#attachmentText = undefined;
    const target = edited === undefined ? {} : { edited };
    await this.request({ type: 'read-attachment', attachment, ...target });
    return this.#attachmentText;
  }

  /** An image of the chat as a data URL; empty if it is missing. */
  readImage(hash: string): Promise<string> {
    const known = this.#images.get(hash);
    if (known !== undefined) return known.read;
    const image = { url: '', read: Promise.resolve('') };
    this.#images.set(hash, image);
    image.read = this.#channel
      .request(this.id.peek(), { type: 'read-image', hash })
      .then(() => image.url)
      .finally(() => this.#images.delete(hash));
    return image.read;
  }

  /** Makes the next message wait for an attachment, since it may be sent right away. */
  waitFor(attaching: Promise<unknown>): void {
    const all = Promise.allSettled([this.#attaching, attaching]);
    this.#attaching = all;
    void all.then(() => {
      if (this.#attaching === all) this.#attaching = undefined;
    });
  }

  /**
   * Sends a message; a refused one is put back into the composer. While the person connects or
   * selects a model first, it stays there.
   */
  async send(text: string): Promise<void> {
    if (this.#isSending) return;
    if (this.#attaching !== undefined) await this.#attaching;
    const { connection, model } = this.#panel.peek() ?? {};
    const isReady = connection?.kind !== 'none' && model?.id !== '';
    const visit = this.#visits;
    this.#isSending = !isReady;
    if (isReady) this.draft.clearForSend();
    const comeBack = isReady ? this.focus.leave() : (): void => this.focusComposer();
    const isAccepted = await this.request({ type: 'send', text });
    this.#isSending = false;
    // The draft of a chat that is no longer shown belongs to the host.
    if (visit !== this.#visits) return;
    if (isReady) this.draft.settle(text, isAccepted);
    else if (isAccepted) this.draft.remove(text);
    comeBack();
  }

  /** Applies the options optimistically, so that a second change builds on the first. */
  async setOptions(options: RequestOptions): Promise<void> {
    this.#chosenOptions = options;
    this.#apply([{ type: 'options-change', options }]);
    const { stop, ...others } = options;
    const request = stop === undefined ? others : { ...others, stop: [...stop] };
    const visit = this.#visits;
    this.#pendingOptions++;
    const accepted = await this.request({ type: 'set-options', options: request });
    if (visit !== this.#visits) return;
    this.#pendingOptions--;
    if (accepted || this.#pendingOptions > 0) return;
    this.#apply([{ type: 'options-change', options: this.#hostOptions }]);
  }

  /** Tells the host that the page has the focus. */
  noteFocus(): void {
    this.#channel.post({ type: 'focused' });
  }

  focusComposer(): void {
    this.focus.request();
  }

  /** Announces a text by assistive technology, even if it is the same as before. */
  announce(text: string): void {
    this.#announcement.value = { text, number: this.#announcement.peek().number + 1 };
  }

  /** Shows why a request is refused. */
  refuse(reason: string): void {
    this.#refusal.value = reason;
  }

  dismissRefusal(): void {
    this.#refusal.value = '';
  }

  dispose(): void {
    this.draft.dispose();
    this.window.dispose();
    this.#channel.dispose();
  }

  #receiveImage({ hash, url }: Extract<HostMessage, { type: 'image' }>): void {
    const image = this.#images.get(hash);
    if (image !== undefined) image.url = url;
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
        batch(() => {
          this.versions.add(message.versions);
          this.window.receive(message);
        });
        break;
      case 'versions':
        this.versions.add(message.versions);
        break;
      case 'found':
        this.find.receive(message);
        break;
      case 'references':
        this.references.receive(message);
        break;
      case 'restorable':
        this.restores.receive(message);
        break;
      case 'state':
        this.#panel.value = message.state;
        break;
      case 'image':
        this.#receiveImage(message);
        break;
      case 'attachment-text':
        this.#attachmentText = message.text;
        break;
      case 'completions':
        this.#completions.value = message;
        break;
      case 'draft':
        if (message.isOther) this.draft.exchange(message.text);
        else this.draft.adopt(message.text);
        break;
      case 'draft-stored':
        this.draft.confirm(message.number);
        break;
      case 'show-match':
        // The turn is shown even if only the name of an attached file has the match.
        this.window.ask(message.turn);
        this.find.showMatch(message.turn, message.query);
        break;
      case 'focus':
        // A picker that was opened from an edited message leads back to it.
        if (!isEditingMessage()) this.focusComposer();
        break;
    }
  }

  #receiveEvents(events: readonly ConversationEvent[]): void {
    for (const event of events)
      if (event.type === 'options-change') this.#hostOptions = event.options;
    this.#apply(this.#pendingOptions === 0 ? events : withoutOptions(events));
  }

  #apply(events: readonly ConversationEvent[]): void {
    batch(() => this.window.apply(events));
  }

  /** Drops the state of the previous chat. */
  #leave(): void {
    this.#visits++;
    this.edits.clear();
    this.restores.clear();
    this.#pendingOptions = 0;
    this.#completions.value = undefined;
  }

  #show(snapshot: Snapshot): void {
    const { conversation, around, state, draft, draftAt, now } = snapshot;
    if (this.id.value !== '' && this.id.value !== conversation.id) this.#leave();
    const options = this.#pendingOptions === 0 ? conversation.options : this.#chosenOptions;
    this.#hostOptions = conversation.options;
    this.#clockOffset = now - Date.now();
    const isFirst = this.#panel.value === undefined;
    batch(() => {
      this.window.show({ ...snapshot, conversation: { ...conversation, options } }, around);
      this.versions.show(snapshot.versions);
      this.#panel.value = state;
      this.draft.load(conversation.id, draft, draftAt);
      if (isFirst) this.draft.recover(lastTurn(conversation)?.question.text ?? '');
    });
  }
}

function withoutOptions(events: readonly ConversationEvent[]): readonly ConversationEvent[] {
  return events.filter(({ type }) => type !== 'options-change');
}

/** True for a message that the host would not accept: the text stays where it was written. */
function isTooLong(request: ViewRequest): boolean {
  const isMessage = request.type === 'send' || request.type === 'resend';
  return isMessage && request.text.length > maxRequestCharacters;
}

/** True if the focus is in the editor of an earlier message. */
function isEditingMessage(): boolean {
  const { activeElement } = document;
  return activeElement !== null && activeElement.closest('.question-editor') !== null;
}

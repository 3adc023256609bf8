import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import { lastTurn, type RequestOptions, type Retry } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { background } from '../../core/support/background.ts';
import type { Disposable } from '../../core/support/event.ts';
import { maxRequestCharacters } from '../../core/support/text.ts';
import { ViewChannel, type Port } from '../../protocol/channel.ts';
import type { HostMessage, PanelState, PostedMessage, Snapshot } from '../../protocol/messages.ts';
import type { Answer, AnswerMessage } from '../../protocol/call.ts';
import type {
  ReferencePlace,
  ReferenceWord,
  CallName,
  CallParameters,
  CallResults,
} from '../../protocol/rpc.ts';
import { ComposerFocus } from './composerFocus.ts';
import { Draft, RestoreModel, type DraftKeeper } from './draft.ts';
import { FindModel } from './findModel.ts';
import { ShownTurns, VersionModel } from './shownTurns.ts';

type PanelMessage = Exclude<HostMessage, AnswerMessage>;

/** A text for assistive technology; `number` distinguishes equal texts. */
interface Announcement {
  readonly text: string;
  readonly number: number;
}

/**
 * The state of the panel as signals: a component re-renders only when a signal that it reads
 * changes.
 */
export class Store implements Disposable {
  readonly #port: Port<PostedMessage, HostMessage>;
  readonly #channel: ViewChannel<CallParameters, CallResults, PanelMessage>;
  readonly #panel = signal<PanelState | undefined>(undefined);
  readonly #refusal = signal('');
  readonly #announcement = signal<Announcement>({ text: '', number: 0 });
  readonly #images = new Map<string, Promise<string | undefined>>();
  /** Resolves when pending attachments are attached. */
  #attaching: Promise<unknown> | undefined;
  /** Number of times that another chat was shown. */
  #visits = 0;
  /** True if a message that is being sent is still in the composer. */
  #isSending = false;
  /** Options that the person chose and the host has not confirmed, so that its own are outdated. */
  #unconfirmed = { count: 0 };
  #chosenOptions: RequestOptions = {};
  #hostOptions: RequestOptions = {};

  readonly clock = new HostClock();
  readonly draft: Draft;
  readonly shown = new ShownTurns((message) => this.#port.post(message));
  readonly find = new FindModel(this);
  readonly references = new ReferenceModel(this);
  readonly restores = new RestoreModel(this);
  readonly versions = new VersionModel();
  /** Texts of edited messages by turn, which survive while the turn isn't rendered. */
  readonly edits = new Map<string, string>();
  readonly id = computed(() => this.shown.conversation.value.id);
  readonly running = computed(() => this.shown.running.value);
  readonly #newest = computed(() => this.shown.running.value ?? this.shown.turns.value.at(-1));
  /** The oldest turn that was sent with the newest message, if not all turns were. */
  readonly firstSent = computed(() => this.#newest.value?.firstSent);
  /** The oldest turn whose tool results were sent in full, if not all were. */
  readonly shortResultsBefore = computed(() => this.#newest.value?.shortResultsBefore);
  readonly summaries = computed(() => this.shown.conversation.value.summaries);
  readonly runningId = computed(() => this.running.value?.id);
  readonly isRunning = computed(() => this.runningId.value !== undefined);
  /** True if the chat has no turn. */
  readonly isEmpty = computed(() => {
    const { turns, hasStart, hasEnd } = this.shown;
    const hasNone = turns.value.length === 0 && hasStart.value && hasEnd.value;
    return hasNone && !this.isRunning.value;
  });
  /** The newest turn that has ended, if it is in the window. */
  readonly lastId = computed(() =>
    this.shown.hasEnd.value ? this.shown.turns.value.at(-1)?.id : undefined,
  );
  readonly options = computed(() => this.shown.conversation.value.options);
  /** Reason why the chat can't be changed here; undefined if it can. */
  readonly readOnly = computed(() =>
    this.#panel.value?.isReadOnly === true
      ? l10n.t('This chat is open in another window.')
      : undefined,
  );
  /** Undefined until the first snapshot. */
  readonly panel: ReadonlySignal<PanelState | undefined> = this.#panel;
  /** The queued message that is in the composer; undefined for the next message. */
  readonly editedInQueue = computed(
    () => this.#panel.value?.queued.find(({ isEdited }) => isEdited === true)?.id,
  );
  readonly refusal: ReadonlySignal<string> = this.#refusal;
  readonly announcement: ReadonlySignal<Announcement> = this.#announcement;
  readonly focus: ComposerFocus;

  /** @param turn the turn to scroll to; undefined for the end */
  constructor(
    port: Port<PostedMessage, HostMessage>,
    turn?: string,
    keeper?: DraftKeeper,
    focus = new ComposerFocus(),
  ) {
    this.#port = port;
    this.focus = focus;
    this.#channel = new ViewChannel(port, (message) => this.#receive(message));
    this.draft = new Draft(({ conversation, ...draft }, onStored) => {
      const stored = this.#channel.call('draft', draft, conversation);
      background(
        stored.then((answer) => ('ok' in answer ? onStored() : this.refuse(answer.error))),
      );
    }, keeper);
    this.#port.post({ type: 'ready', turn });
  }

  /** The state of the side chat, for its card. It has the composer of this chat. */
  openSideChat(chat: string): Store {
    const port: Port<PostedMessage, HostMessage> = {
      post: (message) => this.#port.post({ type: 'side', chat, message }),
      listen: (listener) =>
        this.#port.listen((message) => {
          if (message.type === 'side' && message.chat === chat) listener(message.message);
        }),
    };
    return new Store(port, undefined, undefined, this.focus);
  }

  /**
   * Resolves with true when the host has handled the call. An error is shown, never thrown.
   *
   * @param chat the one that the call is about, if another one may be visible by now
   */
  async call<N extends CallName>(
    name: N,
    parameters: CallParameters[N],
    chat?: string,
  ): Promise<boolean> {
    return 'ok' in (await this.ask(name, parameters, chat));
  }

  /** Sends a call without waiting for its result. An error is shown. */
  post<N extends CallName>(name: N, parameters: CallParameters[N]): void {
    background(this.call(name, parameters));
  }

  /** Resolves with the host's result. An error is shown as well. */
  async ask<N extends CallName>(
    name: N,
    parameters: CallParameters[N],
    chat = this.id.peek(),
  ): Promise<Answer<CallResults[N]>> {
    this.#refusal.value = '';
    const isMessage = name === 'send' || name === 'resend' || name === 'ask-side-chat';
    // The host would not accept it. The text stays in its field.
    if (isMessage && 'text' in parameters && parameters.text.length > maxRequestCharacters) {
      const error = l10n.t('Not sent: the request is too large.');
      this.refuse(error);
      return { error };
    }
    const comeBack = this.focus.leaveFor(name, parameters);
    const answer = await this.#channel.call(name, parameters, chat);
    if ('error' in answer) {
      this.refuse(answer.error);
      return answer;
    }
    if (name === 'copy') this.announce(l10n.t('Copied'));
    comeBack();
    return answer;
  }

  /**
   * The result of a call that the page sends on its own. Undefined if it fails, or if another
   * chat is visible by then.
   */
  async query<N extends CallName>(
    name: N,
    parameters: CallParameters[N],
    showsError = false,
  ): Promise<CallResults[N] | undefined> {
    const visit = this.#visits;
    const answer = await this.#channel.call(name, parameters, this.id.peek());
    if (visit !== this.#visits) return undefined;
    if ('ok' in answer) return answer.ok;
    if (showsError) this.refuse(answer.error);
    return undefined;
  }

  /** Shows options before the host confirms them, so that a second change builds on the first. */
  async setOptions(options: RequestOptions): Promise<void> {
    const { stop, ...others } = options;
    const pending = this.#unconfirmed;
    this.#chosenOptions = options;
    this.#apply([{ type: 'options-change', options }]);
    pending.count++;
    const isAccepted = await this.call('set-options', {
      options: stop === undefined ? others : { ...others, stop: [...stop] },
    });
    pending.count--;
    const isLast = pending === this.#unconfirmed && pending.count === 0;
    if (!isAccepted && isLast)
      this.#apply([{ type: 'options-change', options: this.#hostOptions }]);
  }

  /** An image as a data URL, which has the same hash in every chat; undefined if it is missing. */
  readImage(hash: string): Promise<string | undefined> {
    const known = this.#images.get(hash);
    if (known !== undefined) return known;
    const image = this.#channel
      .call('read-image', { hash }, this.id.peek())
      .then((answer) => ('ok' in answer ? answer.ok : undefined))
      .finally(() => this.#images.delete(hash));
    this.#images.set(hash, image);
    return image;
  }

  /** Makes the next message wait for an attachment, since it may be sent right away. */
  waitFor(attaching: Promise<unknown>): void {
    const all = Promise.allSettled([this.#attaching, attaching]);
    this.#attaching = all;
    background(
      all.then(() => {
        if (this.#attaching === all) this.#attaching = undefined;
      }),
    );
  }

  /**
   * Sends a message; a refused one is restored in the composer. While the person connects or
   * selects a model first, it stays there.
   * @param starter whose message it is
   */
  async send(
    text: string,
    name: 'send' | 'ask-side-chat' = 'send',
    how: Pick<CallParameters['send'], 'starter' | 'now'> = {},
  ): Promise<void> {
    if (this.#isSending) return;
    const chat = this.id.peek();
    const visit = this.#visits;
    if (this.#attaching !== undefined) await this.#attaching;
    // Another chat may be visible by now: the message still belongs to the one that it was sent in.
    if (visit !== this.#visits) {
      await this.call(name, { text, ...how }, chat);
      return;
    }
    const { connection, model } = this.#panel.peek() ?? {};
    const isReady = connection?.kind !== 'none' && model?.id !== '';
    this.#isSending = !isReady;
    if (isReady) this.draft.clearForSend();
    const comeBack = isReady ? this.focus.leave() : (): void => this.focus.request();
    const isAccepted = await this.call(name, { text, ...how });
    this.#isSending = false;
    // The draft of a chat that is no longer visible belongs to the host.
    if (visit !== this.#visits) return;
    if (isReady) this.draft.settle(text, isAccepted);
    else if (isAccepted) this.draft.remove(text);
    comeBack();
  }

  noteFocus(): void {
    this.#port.post({ type: 'focused' });
  }

  /** Announces a text by assistive technology, even if it is the same as before. */
  announce(text: string): void {
    this.#announcement.value = { text, number: this.#announcement.peek().number + 1 };
  }

  /** Shows why a request was refused. An empty reason hides the last one. */
  refuse(reason: string): void {
    this.#refusal.value = reason;
  }

  dispose(): void {
    this.draft.dispose();
    this.shown.dispose();
    this.#channel.dispose();
  }

  #receive(message: PanelMessage): void {
    switch (message.type) {
      case 'snapshot':
        this.#show(message.snapshot);
        break;
      case 'events':
        for (const event of message.events)
          if (event.type === 'options-change') this.#hostOptions = event.options;
        this.#apply(
          message.events.filter(
            ({ type }) => type !== 'options-change' || this.#unconfirmed.count === 0,
          ),
        );
        this.#port.post({ type: 'acknowledge' });
        break;
      case 'turns':
        batch(() => {
          this.versions.add(message.versions);
          this.shown.receive(message);
        });
        break;
      case 'versions':
        this.versions.add(message.versions);
        break;
      case 'side':
        // Received by the store of the side chat.
        break;
      case 'state':
        this.#panel.value = message.state;
        break;
      case 'draft':
        if (message.isOther) this.draft.exchange(message.text);
        else this.draft.adopt(message.text);
        break;
      case 'show-match':
        // The turn is shown even if only the name of an attached file matches.
        this.shown.ask(message.turn);
        this.find.showMatch(message.turn, message.query);
        break;
      case 'focus':
        // A picker that was opened from an edited message returns to it.
        if (document.activeElement?.closest('.question-editor')) break;
        if (message.grabs) this.focus.take();
        else this.focus.request();
        break;
    }
  }

  #apply(events: readonly ConversationEvent[]): void {
    batch(() => this.shown.apply(events));
  }

  #show(snapshot: Snapshot): void {
    const { conversation, around, state, draft, draftAt, now } = snapshot;
    if (this.id.value !== '' && this.id.value !== conversation.id) {
      this.#visits++;
      this.edits.clear();
      this.restores.clear();
      this.#unconfirmed = { count: 0 };
      this.find.close();
    }
    this.#hostOptions = conversation.options;
    const options = this.#unconfirmed.count === 0 ? conversation.options : this.#chosenOptions;
    this.clock.set(now);
    const isFirst = this.#panel.value === undefined;
    batch(() => {
      this.shown.show({ ...snapshot, conversation: { ...conversation, options } }, around);
      this.versions.show(snapshot.versions);
      this.#panel.value = state;
      this.draft.load(conversation.id, draft, draftAt);
      if (isFirst) this.draft.recover(lastTurn(conversation)?.question.text ?? '');
    });
  }
}

/** The clock of the host, which may differ from the one of the page. */
class HostClock {
  /** Milliseconds by which the host's clock is ahead. */
  #offset = 0;
  /** Start of each retry, in milliseconds of `performance.now()`. */
  readonly #retryTimes = new WeakMap<Retry, number>();

  /** @param now by the host's clock, in milliseconds since the Unix epoch */
  set(now: number): void {
    this.#offset = now - Date.now();
  }

  now(): number {
    return Date.now() + this.#offset;
  }

  /** Milliseconds until a request is sent again, unaffected by changes of the system clock. */
  untilRetry(retry: Retry): number {
    const time = performance.now();
    const end = this.#retryTimes.get(retry) ?? time + retry.resumeAt - this.now();
    this.#retryTimes.set(retry, end);
    return Math.max(0, end - time);
  }
}

/**
 * Resolves words of replies to files and symbols of the workspace, by the host. Results are cached;
 * unresolved words are looked up again, as a turn may have created the file meanwhile.
 */
class ReferenceModel {
  readonly #store: Store;
  readonly #known = new Map<string, ReferencePlace>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Locations of words, in order; undefined for unresolved words. */
  async find(words: readonly ReferenceWord[]): Promise<readonly (ReferencePlace | undefined)[]> {
    const unknown = words.filter((word) => !this.#known.has(keyOf(word)));
    const places =
      unknown.length > 0
        ? await this.#store.query('find-references', { words: unknown })
        : undefined;
    for (const [index, target] of (places ?? []).entries()) {
      const word = unknown[index];
      if (word && target) this.#known.set(keyOf(word), target);
    }
    return words.map((word) => this.#known.get(keyOf(word)));
  }
}

function keyOf({ text, isCode }: ReferenceWord): string {
  return `${isCode ? '`' : ' '}${text}`;
}

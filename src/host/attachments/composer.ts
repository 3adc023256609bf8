import * as z from 'zod/mini';
import { withAttachment } from '../../core/turn/messagePieces.ts';
import type { Attachment, UserMessage } from '../../core/conversation/conversation.ts';
import { background } from '../../core/support/background.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { storedAttachments, storedHeldDraft } from '../../core/conversation/conversationSchema.ts';
import { withoutSent, withUnsent } from '../../protocol/draftText.ts';
import type { AttachmentChip } from '../../protocol/messages.ts';
import type { CallParameters } from '../../protocol/rpc.ts';
import type { Memento } from '../platform/memento.ts';

export const draftKey = 'aside.draft';
const attachmentsKey = 'aside.attachments';
const heldKey = 'aside.heldDraft';

/** Earlier versions stored the text alone. */
const storedDraft = z.union([z.string(), z.object({ text: z.string(), at: z.number() })]);

/** The most characters of an attachment that are stored: VS Code holds all of its state in memory. */
const maxKeptLength = 1_000_000;

interface TypedDraft {
  readonly text: string;
  /** The page where it was typed; undefined if it wasn't typed. */
  readonly by: unknown;
  /** True for another message, which pages show even if something else was typed in them. */
  readonly isOther?: boolean;
}

/** The composer's content from before a queued message was edited in it. */
export type HeldDraft = z.infer<typeof storedHeldDraft>;

/** The next message of a chat: its draft and its attachments, which survive a reload. */
export class Composer implements Disposable {
  readonly #state: Memento;
  readonly #mayBeKept: (draft: string) => Promise<boolean>;
  readonly #changed = new Emitter<readonly Attachment[]>();
  readonly #typed = new Emitter<TypedDraft>();
  #attachments: readonly Attachment[] = [];
  #contextChips: readonly AttachmentChip[] = [];
  #attaching: Promise<unknown> = Promise.resolve();
  #lent: HeldDraft | undefined;
  #draft = '';
  #draftAt = 0;
  #isTouched = false;
  /** Parts that are still being stored, or must not be. */
  readonly #unkept = { draft: false, attachments: false, lent: false };

  /** Fires when an attachment or a chip was added or removed. */
  readonly onDidChange = this.#changed.event;
  /** Fires when the draft has changed. */
  readonly onDidType = this.#typed.event;

  /**
   * @param state the state of the chat in `workspaceState`
   * @param mayBeKept resolves with true if a draft may be written to disk
   */
  constructor(state: Memento, mayBeKept: (draft: string) => Promise<boolean>) {
    this.#state = state;
    this.#mayBeKept = mayBeKept;
    this.#load();
  }

  /** True if everything is stored; false while it is being stored, or must not be. */
  get isKept(): boolean {
    return !this.#unkept.draft && !this.#unkept.attachments && !this.#unkept.lent;
  }

  /**
   * Follows the chat to another id: stores the draft under it, or loads the one stored there.
   * @param isCopy true if it is still the same conversation
   */
  move(isCopy: boolean): void {
    if (this.#isTouched || isCopy) {
      background(this.#keep(this.#draft));
      background(this.#keepAttachments(this.#attachments));
      background(this.#keepLent(this.#lent));
      return;
    }
    this.#load();
    this.#changed.fire(this.#attachments);
  }

  get draft(): string {
    return this.#draft;
  }

  /** Time of the last typing on the page's clock; 0 if unknown. */
  get draftAt(): number {
    return this.#draftAt;
  }

  /** The content that was replaced by a queued message being edited; undefined otherwise. */
  get lent(): HeldDraft | undefined {
    return this.#lent;
  }

  get attachments(): readonly Attachment[] {
    return this.#attachments;
  }

  /** The chips next to the attachments: instructions, and the selection to attach by a click. */
  get contextChips(): readonly AttachmentChip[] {
    return this.#contextChips;
  }

  /**
   * Sets the text typed in a page, unless something was typed later. Resolves when the text is stored,
   * or was found to contain a key.
   */
  async setTyped({ text, at }: CallParameters['draft'], by: unknown): Promise<void> {
    if (at < this.#draftAt) return;
    this.#draftAt = at;
    await this.setDraft(text, by);
  }

  /** Resolves when the draft is stored, or was found to contain a key. */
  async setDraft(text: string, by?: unknown): Promise<void> {
    if (text === this.#draft) return;
    this.#isTouched = true;
    this.#draft = text;
    this.#typed.fire({ text, by });
    await this.#keep(text);
  }

  /** Removes an accepted message from the draft. Text typed since stays. */
  acceptDraft(message: string): void {
    background(this.setDraft(withoutSent(this.#draft, message)));
  }

  /** Holds a queued message while it is edited. The content from before waits until {@link takeBack}. */
  lend(queued: string, message: UserMessage): void {
    this.#setLent({ queued, text: this.#draft, attachments: [...this.#attachments] });
    this.#show(message);
  }

  /**
   * Restores the content from before a queued message was edited.
   * @param typed the part of the composer to keep, after that content
   */
  takeBack(typed: UserMessage = { text: '', attachments: [] }): void {
    const lent = this.#lent;
    if (lent === undefined) return;
    this.#setLent(undefined);
    const text = lent.text === '' ? typed.text : withUnsent(lent.text, typed.text);
    this.#show({ text, attachments: [...lent.attachments, ...typed.attachments] });
  }

  attach(attachment: Attachment): void {
    this.#set(withAttachment(this.#attachments, attachment));
  }

  /** Makes the next message wait for an attachment, since it may be sent right away. */
  waitFor(attaching: Promise<unknown>): void {
    this.#attaching = Promise.allSettled([this.#attaching, attaching]);
  }

  /** Resolves when all attachments that the next message waits for are there. */
  async attached(): Promise<void> {
    await this.#attaching;
  }

  remove(id: string): void {
    this.#set(this.#attachments.filter((attachment) => attachment.id !== id));
  }

  clearAttachments(): void {
    if (this.#attachments.length > 0) this.#set([]);
  }

  setContextChips(chips: readonly AttachmentChip[]): void {
    if (JSON.stringify(chips) === JSON.stringify(this.#contextChips)) return;
    this.#contextChips = chips;
    this.#changed.fire(this.#attachments);
  }

  dispose(): void {
    this.#changed.dispose();
    this.#typed.dispose();
  }

  #load(): void {
    const saved = storedDraft.safeParse(this.#state.get(draftKey)).data ?? '';
    const { text, at } = typeof saved === 'string' ? { text: saved, at: 0 } : saved;
    this.#draft = text;
    this.#draftAt = at;
    this.#attachments = storedAttachments.safeParse(this.#state.get(attachmentsKey)).data ?? [];
    this.#lent = storedHeldDraft.safeParse(this.#state.get(heldKey)).data;
  }

  #show({ text, attachments }: UserMessage): void {
    this.#isTouched = true;
    this.#draft = text;
    this.#typed.fire({ text, by: undefined, isOther: true });
    background(this.#keep(text));
    this.#set(attachments);
  }

  #setLent(lent: HeldDraft | undefined): void {
    this.#lent = lent;
    background(this.#keepLent(lent));
  }

  async #keepLent(lent: HeldDraft | undefined): Promise<void> {
    this.#unkept.lent = lent !== undefined;
    const storable = lent && {
      ...lent,
      text: lent.text === '' || (await this.#mayBeKept(lent.text)) ? lent.text : '',
      attachments: await this.#keptOf(lent.attachments),
    };
    if (lent !== this.#lent) return;
    await this.#state.update(heldKey, storable);
    const isWhole = storable?.attachments.length === lent?.attachments.length;
    this.#unkept.lent = lent !== undefined && !(isWhole && storable?.text === lent.text);
  }

  /** The attachments that may be written to disk. */
  async #keptOf(attachments: readonly Attachment[]): Promise<Attachment[]> {
    const fitting = attachments.filter(({ text }) => text.length <= maxKeptLength);
    const mayBeKept = await Promise.all(fitting.map(({ text }) => this.#mayBeKept(text)));
    return fitting.filter((_, index) => mayBeKept[index] === true);
  }

  async #keep(text: string): Promise<void> {
    this.#unkept.draft = true;
    const mayStore = text !== '' && (await this.#mayBeKept(text));
    // A newer draft may have been set, which must be stored instead.
    if (text !== this.#draft) return;
    await this.#state.update(draftKey, mayStore ? { text, at: this.#draftAt } : undefined);
    this.#unkept.draft = !mayStore && this.#draft !== '';
  }

  #set(attachments: readonly Attachment[]): void {
    this.#isTouched = true;
    this.#attachments = attachments;
    this.#changed.fire(attachments);
    background(this.#keepAttachments(attachments));
  }

  async #keepAttachments(attachments: readonly Attachment[]): Promise<void> {
    this.#unkept.attachments = true;
    const storable = await this.#keptOf(attachments);
    if (attachments !== this.#attachments) return;
    await this.#state.update(attachmentsKey, storable.length > 0 ? storable : undefined);
    this.#unkept.attachments = storable.length < this.#attachments.length;
  }
}

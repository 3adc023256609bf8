import { attachmentKey } from '../../core/attachments/attachmentFormatter.ts';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { AttachmentChip } from '../../protocol/messages.ts';
import type { Memento } from '../memento.ts';

const draftKey = 'aside.draft';

/** The next message: its draft, which survives a reload, and its attachments. */
export class Composer implements Disposable {
  readonly #state: Memento;
  readonly #mayBeKept: (draft: string) => Promise<boolean>;
  readonly #changed = new Emitter<readonly Attachment[]>();
  #attachments: readonly Attachment[] = [];
  #contextChips: readonly AttachmentChip[] = [];
  #attaching: Promise<unknown> = Promise.resolve();
  #draft: string;

  /** Fires when an attachment or a chip was added or removed. */
  readonly onDidChange = this.#changed.event;

  /**
   * @param state `workspaceState`
   * @param mayBeKept whether a draft may be written to the disk
   */
  constructor(state: Memento, mayBeKept: (draft: string) => Promise<boolean>) {
    this.#state = state;
    this.#mayBeKept = mayBeKept;
    const saved = state.get(draftKey);
    this.#draft = typeof saved === 'string' ? saved : '';
  }

  get draft(): string {
    return this.#draft;
  }

  get attachments(): readonly Attachment[] {
    return this.#attachments;
  }

  /** The chips next to the attachments: instructions, and the selection to attach by a click. */
  get contextChips(): readonly AttachmentChip[] {
    return this.#contextChips;
  }

  setDraft(text: string): void {
    if (text === this.#draft) return;
    this.#draft = text;
    void this.#keep(text);
  }

  /** Adds an attachment, or replaces the one of the same lines. */
  attach(attachment: Attachment): void {
    const others = this.#attachments.filter(
      (other) => attachmentKey(other) !== attachmentKey(attachment),
    );
    this.#set([...others, attachment]);
  }

  /** Has the next message wait until something is attached, since it may be sent at once. */
  waitFor(attaching: Promise<unknown>): void {
    this.#attaching = Promise.allSettled([this.#attaching, attaching]);
  }

  /** Resolves when everything is attached that the next message waits for. */
  async attached(): Promise<void> {
    await this.#attaching;
  }

  remove(id: string): void {
    this.#set(this.#attachments.filter((attachment) => attachment.id !== id));
  }

  /** Removes the attachments of a message that was sent. */
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
  }

  async #keep(text: string): Promise<void> {
    const kept = text !== '' && (await this.#mayBeKept(text));
    // A newer draft may have been set, which is then the one to store.
    if (text === this.#draft) await this.#state.update(draftKey, kept ? text : undefined);
  }

  #set(attachments: readonly Attachment[]): void {
    this.#attachments = attachments;
    this.#changed.fire(attachments);
  }
}

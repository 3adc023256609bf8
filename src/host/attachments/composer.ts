import { attachmentKey } from '../../core/attachments/attachmentFormatter.ts';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { AttachmentChip } from '../../protocol/messages.ts';
import type { Memento } from '../memento.ts';

const draftKey = 'aside.draft';

/** What the person is about to send: the draft, which survives a reload, and what goes along. */
export class Composer implements Disposable {
  readonly #state: Memento;
  readonly #mayBeKept: (draft: string) => Promise<boolean>;
  readonly #changed = new Emitter<readonly Attachment[]>();
  #attachments: readonly Attachment[] = [];
  #contextChips: readonly AttachmentChip[] = [];
  #draft: string;

  /** Fires when something was attached, offered or taken off. */
  readonly onDidChange = this.#changed.event;

  /**
   * @param state that of the workspace
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

  /** What is shown beside the attachments: instructions, and what a click would attach. */
  get contextChips(): readonly AttachmentChip[] {
    return this.#contextChips;
  }

  setDraft(text: string): void {
    if (text === this.#draft) return;
    this.#draft = text;
    void this.#keep(text);
  }

  /** Adds it, in the place of an earlier one of the same lines. */
  attach(attachment: Attachment): void {
    const others = this.#attachments.filter(
      (other) => attachmentKey(other) !== attachmentKey(attachment),
    );
    this.#set([...others, attachment]);
  }

  remove(id: string): void {
    this.#set(this.#attachments.filter((attachment) => attachment.id !== id));
  }

  /** Forgets what went along with a question that was sent. */
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
    // A newer text may have come, which is then the one to keep.
    if (text === this.#draft) await this.#state.update(draftKey, kept ? text : undefined);
  }

  #set(attachments: readonly Attachment[]): void {
    this.#attachments = attachments;
    this.#changed.fire(attachments);
  }
}

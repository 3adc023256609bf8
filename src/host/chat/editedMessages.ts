import { withAttachment } from '../../core/turn/messagePieces.ts';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { AttachmentHolder } from '../attachments/attachmentResolver.ts';

/** The attachments of an earlier message while it is edited. The message itself doesn't change. */
export class EditedMessage implements AttachmentHolder {
  readonly #changed: Emitter<unknown>;
  #attachments: readonly Attachment[];
  #attaching: Promise<unknown> = Promise.resolve();
  /** Empty: suggested context is part of the next message only. */
  readonly contextChips = [];

  constructor(attachments: readonly Attachment[], changed: Emitter<unknown>) {
    this.#attachments = attachments;
    this.#changed = changed;
  }

  waitFor(attaching: Promise<unknown>): void {
    this.#attaching = Promise.allSettled([this.#attaching, attaching]);
  }

  /** Resolves when all pending attachments are added. */
  async attached(): Promise<void> {
    await this.#attaching;
  }

  get attachments(): readonly Attachment[] {
    return this.#attachments;
  }

  attach(attachment: Attachment): void {
    this.#set(withAttachment(this.#attachments, attachment));
  }

  remove(id: string): void {
    this.#set(this.#attachments.filter((attachment) => attachment.id !== id));
  }

  #set(attachments: readonly Attachment[]): void {
    this.#attachments = attachments;
    this.#changed.fire(undefined);
  }
}

/** The earlier messages of a chat that are being edited, by turn. */
export class EditedMessages implements Disposable {
  readonly #byTurn = new Map<string, EditedMessage>();
  readonly #changed = new Emitter<unknown>();

  readonly onDidChange = this.#changed.event;

  get byTurn(): ReadonlyMap<string, EditedMessage> {
    return this.#byTurn;
  }

  get messages(): readonly EditedMessage[] {
    return [...this.#byTurn.values()];
  }

  /** Undefined if the message isn't being edited. */
  of(turn: string): EditedMessage | undefined {
    return this.#byTurn.get(turn);
  }

  begin(turn: string, attachments: readonly Attachment[]): void {
    this.#byTurn.set(turn, new EditedMessage(attachments, this.#changed));
    this.#changed.fire(undefined);
  }

  end(turn: string): void {
    if (this.#byTurn.delete(turn)) this.#changed.fire(undefined);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

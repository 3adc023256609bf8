import { withAttachment } from '../../core/turn/messagePieces.ts';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { EditedMessageState } from '../../protocol/messages.ts';
import type { AttachmentHolder } from '../attachments/attachmentResolver.ts';
import type { SendCostEstimator } from './sendCostEstimator.ts';

/** The attachments of an earlier message while it is edited. The message itself doesn't change. */
export class EditedMessage implements AttachmentHolder {
  readonly #changed: () => void;
  #attachments: readonly Attachment[];
  #attaching: Promise<unknown> = Promise.resolve();
  /** Empty: suggested context is part of the next message only. */
  readonly contextChips = [];

  constructor(attachments: readonly Attachment[], changed: () => void) {
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
    this.#changed();
  }
}

interface OpenEdit {
  readonly message: EditedMessage;
  readonly costs: SendCostEstimator;
}

/** The earlier messages of a chat that are being edited, by turn. */
export class EditedMessages implements Disposable {
  readonly #costsOf: (message: EditedMessage, turn: string) => OpenEdit['costs'];
  readonly #open = new Map<string, OpenEdit>();
  readonly #changed = new Emitter<unknown>();

  readonly onDidChange = this.#changed.event;

  /** @param costsOf estimates the cost of sending the message in place of its turn */
  constructor(costsOf: (message: EditedMessage, turn: string) => OpenEdit['costs']) {
    this.#costsOf = costsOf;
  }

  get states(): Readonly<Record<string, EditedMessageState>> {
    return Object.fromEntries([...this.#open].map(([turn, { costs }]) => [turn, costs.current()]));
  }

  get messages(): readonly EditedMessage[] {
    return [...this.#open.values()].map(({ message }) => message);
  }

  /** Undefined if the message isn't being edited. */
  of(turn: string): EditedMessage | undefined {
    return this.#open.get(turn)?.message;
  }

  begin(turn: string, attachments: readonly Attachment[]): void {
    const message = new EditedMessage(attachments, () => this.#changed.fire(undefined));
    this.#open.set(turn, { message, costs: this.#costsOf(message, turn) });
    this.#changed.fire(undefined);
  }

  end(turn: string): void {
    if (this.#open.delete(turn)) this.#changed.fire(undefined);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

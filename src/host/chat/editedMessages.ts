import { withAttachment } from '../../core/attachments/attachmentFormatter.ts';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { EditedMessageState } from '../../protocol/messages.ts';
import type { AttachmentHolder } from '../attachments/attachmentResolver.ts';
import type { SendCostEstimator } from './sendCostEstimator.ts';

/** The attachments of an earlier message while it is edited. The message itself keeps its own. */
export class EditedMessage implements AttachmentHolder {
  readonly #changed: () => void;
  #attachments: readonly Attachment[];
  #attaching: Promise<unknown> = Promise.resolve();
  /** Empty: suggested context belongs to the next message. */
  readonly contextChips = [];

  constructor(attachments: readonly Attachment[], changed: () => void) {
    this.#attachments = attachments;
    this.#changed = changed;
  }

  /** Has sending wait until something is attached. */
  waitFor(attaching: Promise<unknown>): void {
    this.#attaching = Promise.allSettled([this.#attaching, attaching]);
  }

  /** Resolves when everything is attached that sending waits for. */
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
  readonly costs: Pick<SendCostEstimator, 'current'>;
}

/** The earlier messages of a chat that are being edited, by their turns. */
export class EditedMessages implements Disposable {
  readonly #costsOf: (message: EditedMessage, turn: string) => OpenEdit['costs'];
  readonly #open = new Map<string, OpenEdit>();
  readonly #changed = new Emitter<unknown>();

  /** Fires when an edit begins or ends, and when its attachments change. */
  readonly onDidChange = this.#changed.event;

  /** @param costsOf estimates sending the message in the place of its turn */
  constructor(costsOf: (message: EditedMessage, turn: string) => OpenEdit['costs']) {
    this.#costsOf = costsOf;
  }

  /** The edits as the view shows them. */
  get states(): Readonly<Record<string, EditedMessageState>> {
    return Object.fromEntries([...this.#open].map(([turn, { costs }]) => [turn, costs.current()]));
  }

  /** The messages as they are by now. */
  get messages(): readonly EditedMessage[] {
    return [...this.#open.values()].map(({ message }) => message);
  }

  /** Undefined where the message is not edited. */
  of(turn: string): EditedMessage | undefined {
    return this.#open.get(turn)?.message;
  }

  /** Begins with the attachments of the message. */
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

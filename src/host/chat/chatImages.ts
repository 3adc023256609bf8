import { attachedImageOf } from '../../core/conversation/attachedImage.ts';
import type { AttachedImage, Attachment } from '../../core/conversation/conversation.ts';
import { imageUrl } from '../../core/support/image.ts';
import type { ImageUrls } from '../../core/turn/messagePieces.ts';
import type { ImageFiles } from './imageFiles.ts';

interface ChatImagesOptions {
  readonly files: ImageFiles;
  /** The id under which the chat is stored at the moment. */
  readonly id: () => string;
  /** The images of the chat: of its messages, and of those that are not sent yet. */
  readonly used: () => readonly AttachedImage[];
}

/** The images of one chat. */
export class ChatImages {
  readonly #options: ChatImagesOptions;

  constructor(options: ChatImagesOptions) {
    this.#options = options;
  }

  /** Stores an image. Resolves with undefined if the bytes are no image that services accept. */
  async save(bytes: Uint8Array<ArrayBuffer>): Promise<AttachedImage | undefined> {
    const { files, id } = this.#options;
    const image = await attachedImageOf(bytes);
    if (image !== undefined) await files.save(id(), image, bytes);
    return image;
  }

  /** The images of messages, for a request. */
  load(attachments: readonly Attachment[]): Promise<ImageUrls> {
    const { files, id } = this.#options;
    return files.load(id(), attachments);
  }

  /** An image of the chat as a data URL; undefined if its file is missing. */
  async url(hash: string): Promise<string | undefined> {
    const { files, id, used } = this.#options;
    const image = used().find((candidate) => candidate.hash === hash);
    const text = image && (await files.read(id(), image));
    return image && text && imageUrl(image.type, text);
  }

  /** Removes an image that was taken out of a message, unless another message has it. */
  async release(image: AttachedImage): Promise<void> {
    const { files, id, used } = this.#options;
    if (used().every(({ hash }) => hash !== image.hash)) await files.remove(id(), image);
  }

  /** Copies images that are stored under another id. */
  async takeFrom(
    id: string,
    images: readonly AttachedImage[] = this.#options.used(),
  ): Promise<void> {
    const to = this.#options.id();
    if (to !== id) await this.#options.files.copy(id, to, images);
  }
}

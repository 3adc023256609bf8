import { attachedImageOf } from '../../core/conversation/attachedImage.ts';
import type { AttachedImage, Attachment } from '../../core/conversation/conversation.ts';
import { orUndefined, reported } from '../../core/support/background.ts';
import { base64Of, imageUrl, readBase64Header } from '../../core/support/image.ts';
import type { ImageUrls } from '../../core/turn/messagePieces.ts';
import { linesEnding, type KeptFiles } from '../keptFiles.ts';
import { journalName } from '../journal/journalFiles.ts';

const ending = '.image';

/** Milliseconds for which images of unsaved chats, such as those of drafts, are stored: 30 days. */
const strayTime = 30 * 24 * 60 * 60 * 1000;

/**
 * Stores images of chats as base64 text. Each file is beside the journal and begins with the
 * journal's name, so that moving or removing a journal includes its images.
 */
export class ImageFiles {
  readonly #files: KeptFiles;
  /** Running copies into a chat. Reads wait for them. */
  #copying: Promise<unknown> = Promise.resolve();

  /** @param files the folder of the chats */
  constructor(files: KeptFiles) {
    this.#files = files;
  }

  /** Resolves when the image is stored. Must complete before its message is recorded. */
  async save(chat: string, { hash }: AttachedImage, bytes: Uint8Array): Promise<void> {
    await this.#files.write(nameOf(chat, hash), base64Of(bytes));
  }

  /** An image in base64; undefined if its file is missing or damaged. */
  async read(chat: string, { hash, type }: AttachedImage): Promise<string | undefined> {
    await this.#copying;
    const text = await reported(this.#files.read(nameOf(chat, hash)));
    return text !== undefined && readBase64Header(text)?.type === type ? text : undefined;
  }

  async load(chat: string, attachments: readonly Attachment[]): Promise<ImageUrls> {
    const urls = new Map<string, string>();
    for (const { image } of attachments) {
      if (image === undefined || urls.has(image.hash)) continue;
      const text = await this.read(chat, image);
      if (text !== undefined) urls.set(image.hash, imageUrl(image.type, text));
    }
    return ({ image }) => image && urls.get(image.hash);
  }

  /** Copies images to another chat. Missing ones are skipped. */
  async copy(from: string, to: string, images: readonly AttachedImage[]): Promise<void> {
    const before = this.#copying;
    const copying = before.then(async () => {
      for (const { hash } of images) {
        const text = await this.#files.read(nameOf(from, hash));
        if (text !== undefined) await this.#files.write(nameOf(to, hash), text);
      }
    });
    this.#copying = orUndefined(copying);
    await copying;
  }

  async remove(chat: string, { hash }: AttachedImage): Promise<void> {
    await this.#files.remove(nameOf(chat, hash));
  }

  /**
   * Removes old images of chats that were never saved.
   *
   * @param now milliseconds since the Unix epoch
   */
  async removeStray(now: number): Promise<void> {
    const names = await this.#files.names();
    const journals = new Set(names.filter((name) => name.endsWith(linesEnding)));
    for (const name of names) {
      const journal = name.slice(0, name.indexOf(linesEnding) + linesEnding.length);
      if (!isImage(name) || journals.has(journal)) continue;
      const status = await this.#files.status(name);
      if (status !== undefined && now - status.modified > strayTime) await this.#files.remove(name);
    }
  }
}

export function isImage(name: string): boolean {
  return name.endsWith(ending);
}

function nameOf(chat: string, hash: string): string {
  // The hash also comes from storage that other programs can write.
  if (!/^[\da-f]{64}$/.test(hash)) throw new Error('This is not the hash of an image.');
  return `${journalName(chat)}.${hash}${ending}`;
}

interface ChatImagesOptions {
  readonly files: ImageFiles;
  /** Current id of the stored chat. */
  readonly id: () => string;
  /** The images of the chat: of its messages, and of unsent ones. */
  readonly used: () => readonly AttachedImage[];
}

export class ChatImages {
  readonly #options: ChatImagesOptions;

  constructor(options: ChatImagesOptions) {
    this.#options = options;
  }

  /** Stores an image. Resolves with undefined if services don't accept the format. */
  async save(bytes: Uint8Array<ArrayBuffer>): Promise<AttachedImage | undefined> {
    const { files, id } = this.#options;
    const image = await attachedImageOf(bytes);
    if (image !== undefined) await files.save(id(), image, bytes);
    return image;
  }

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

  /** Removes an image that was removed from a message, unless another message has it. */
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

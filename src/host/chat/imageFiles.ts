import { attachedImageOf } from '../../core/conversation/attachedImage.ts';
import type { AttachedImage, Attachment } from '../../core/conversation/conversation.ts';
import { orUndefined, reported } from '../../core/support/background.ts';
import { base64Of, imageUrl, readBase64Header } from '../../core/support/image.ts';
import type { ImageUrls } from '../../core/turn/messagePieces.ts';
import { linesEnding, type KeptFiles } from '../platform/keptFiles.ts';
import { journalName } from './journalFiles.ts';

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

/** A chat whose images are stored. */
interface ChatWithImages {
  /** Its current id. */
  readonly id: string;
  /** The images of its messages, and of unsent ones. */
  readonly usedImages: readonly AttachedImage[];
}

/** The images of one chat. */
export class ChatImages {
  readonly #files: ImageFiles;
  readonly #chat: ChatWithImages;

  constructor(files: ImageFiles, chat: ChatWithImages) {
    this.#files = files;
    this.#chat = chat;
  }

  /** Stores an image. Resolves with undefined if services don't accept the format. */
  async save(bytes: Uint8Array<ArrayBuffer>): Promise<AttachedImage | undefined> {
    const image = await attachedImageOf(bytes);
    if (image !== undefined) await this.#files.save(this.#chat.id, image, bytes);
    return image;
  }

  load(attachments: readonly Attachment[]): Promise<ImageUrls> {
    return this.#files.load(this.#chat.id, attachments);
  }

  /** An image of the chat as a data URL; undefined if its file is missing. */
  async url(hash: string): Promise<string | undefined> {
    const image = this.#chat.usedImages.find((candidate) => candidate.hash === hash);
    const text = image && (await this.#files.read(this.#chat.id, image));
    return image && text && imageUrl(image.type, text);
  }

  /** Removes an image that was removed from a message, unless another message has it. */
  async release(image: AttachedImage): Promise<void> {
    const { id, usedImages } = this.#chat;
    if (usedImages.every(({ hash }) => hash !== image.hash)) await this.#files.remove(id, image);
  }

  /** Copies images that are stored under another id. */
  async takeFrom(id: string, images = this.#chat.usedImages): Promise<void> {
    if (this.#chat.id !== id) await this.#files.copy(id, this.#chat.id, images);
  }
}

import type { AttachedImage, Attachment } from '../../core/conversation/conversation.ts';
import { orUndefined, reported } from '../../core/support/background.ts';
import { base64Of, imageUrl, readBase64Header } from '../../core/support/image.ts';
import type { ImageUrls } from '../../core/turn/messagePieces.ts';
import { linesEnding, type KeptFiles } from '../keptFiles.ts';
import { journalName } from './journalFiles.ts';

const ending = '.image';

/** Milliseconds for which an image is kept that no chat was saved for, as that of a draft: 30 days. */
const strayTime = 30 * 24 * 60 * 60 * 1000;

/**
 * The images of chats, as text in base64. Each is a file beside the journal whose name begins with that
 * of the journal: what moves or removes a journal does the same with its images.
 */
export class ImageFiles {
  readonly #files: KeptFiles;
  /** Running copies into a chat, which reads wait for. */
  #copying: Promise<unknown> = Promise.resolve();

  /** @param files the folder of the chats */
  constructor(files: KeptFiles) {
    this.#files = files;
  }

  /** Resolves when the image is stored, which is before its message is recorded. */
  async save(chat: string, { hash }: AttachedImage, bytes: Uint8Array): Promise<void> {
    await this.#files.write(nameOf(chat, hash), base64Of(bytes));
  }

  /** An image in base64; undefined where its file is missing or damaged. */
  async read(chat: string, { hash, type }: AttachedImage): Promise<string | undefined> {
    await this.#copying;
    const text = await reported(this.#files.read(nameOf(chat, hash)));
    return text !== undefined && readBase64Header(text)?.type === type ? text : undefined;
  }

  /** The images of messages, for a request. */
  async load(chat: string, attachments: readonly Attachment[]): Promise<ImageUrls> {
    const urls = new Map<string, string>();
    for (const { image } of attachments) {
      if (image === undefined || urls.has(image.hash)) continue;
      const text = await this.read(chat, image);
      if (text !== undefined) urls.set(image.hash, imageUrl(image.type, text));
    }
    return ({ image }) => image && urls.get(image.hash);
  }

  /** Copies images into another chat; those that are missing stay so. */
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

/** Whether a file beside a journal is an image. */
export function isImage(name: string): boolean {
  return name.endsWith(ending);
}

function nameOf(chat: string, hash: string): string {
  // The hash also comes from storage that others can write to.
  if (!/^[\da-f]{64}$/.test(hash)) throw new Error('This is not the hash of an image.');
  return `${journalName(chat)}.${hash}${ending}`;
}

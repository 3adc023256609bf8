import type { JournalStorage } from '../../src/host/chat/journal.ts';
import { firstLine, type KeptEnds } from '../../src/host/platform/keptFiles.ts';

/** Journals in memory, on a disk that can be full or broken. */
export class MemoryStorage implements JournalStorage {
  readonly texts = new Map<string, string>();
  isBroken = false;
  isFull = false;

  append(conversation: string, text: string): Promise<void> {
    if (this.isFull) return Promise.reject(new Error('ENOSPC'));
    this.texts.set(conversation, (this.texts.get(conversation) ?? '') + text);
    return Promise.resolve();
  }

  read(conversation: string): Promise<string | undefined> {
    if (this.isBroken) return Promise.reject(new Error('EIO'));
    return Promise.resolve(this.texts.get(conversation));
  }

  readEnds(conversation: string, bytes: number): Promise<KeptEnds | undefined> {
    if (this.isBroken) return Promise.reject(new Error('EIO'));
    const text = this.texts.get(conversation);
    if (text === undefined) return Promise.resolve(undefined);
    const isWhole = text.length <= bytes;
    const last = isWhole ? text : text.slice(text.indexOf('\n', text.length - bytes) + 1);
    return Promise.resolve({ first: firstLine(text), last, isWhole });
  }
}

/** Discards what is written. */
export const noStorage: JournalStorage = {
  append: () => Promise.resolve(),
  read: () => Promise.resolve(undefined),
};

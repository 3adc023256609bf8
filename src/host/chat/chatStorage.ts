import { systemClock } from '../../core/support/clock.ts';
import { ChatLocks } from './chatLocks.ts';
import { browserProcess, nodeOfKept, type HostWindow } from '../platform/window.ts';
import { ImageFiles } from './imageFiles.ts';
import { JournalFiles } from './journalFiles.ts';

export interface ChatStorage {
  readonly journals: JournalFiles;
  readonly images: ImageFiles;
  /** Which window writes which chat. */
  readonly locks: ChatLocks;
}

export function createChatStorage(window: HostWindow): ChatStorage {
  const files = window.keptFiles.folder('chats');
  const host = nodeOfKept(window)?.process() ?? browserProcess();
  const locks = new ChatLocks(window.keptFiles.folder('locks'), host, systemClock);
  return {
    journals: new JournalFiles(files, systemClock, locks),
    images: new ImageFiles(files),
    locks,
  };
}

import { systemClock } from '../../core/support/clock.ts';
import type { Leases } from '../leases.ts';
import { createLeases, type HostWindow } from '../workspace/window.ts';
import { ImageFiles } from './imageFiles.ts';
import { JournalFiles } from '../journal/journalFiles.ts';

export interface ChatStorage {
  readonly journals: JournalFiles;
  readonly images: ImageFiles;
  /** Records which window writes which chat. */
  readonly leases: Leases;
}

export function createChatStorage(window: HostWindow): ChatStorage {
  const files = window.keptFiles.folder('chats');
  const leases = createLeases(window);
  return {
    journals: new JournalFiles(files, systemClock, leases),
    images: new ImageFiles(files),
    leases,
  };
}

import { JournalFiles } from '../../src/host/chat/journalFiles.ts';
import { DiskFiles } from '../../src/host/node/diskFiles.ts';

/** Journals in a folder on the disk. */
export function diskJournals(folder: string): JournalFiles {
  return new JournalFiles(new DiskFiles(folder));
}

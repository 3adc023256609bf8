import {
  JournalReader,
  readJournal,
  type JournalContent,
} from '../../core/conversation/journalReader.ts';
import type { Clock } from '../../core/support/clock.ts';

/** Characters of a journal that are parsed at once, which takes some milliseconds. */
export const pieceLength = 1_000_000;

/**
 * Reads a journal in slices, so that other work is not blocked.
 * @param lostMessage the text of a message that could not be read
 */
export async function readInPieces(
  id: string,
  text: string,
  clock: Pick<Clock, 'after'>,
  lostMessage?: string,
): Promise<JournalContent> {
  const reader = new JournalReader(id, lostMessage);
  for (let start = 0; start < text.length;) {
    const lineEnd = text.indexOf('\n', start + pieceLength);
    const end = lineEnd < 0 ? text.length : lineEnd + 1;
    reader.read(text.slice(start, end));
    start = end;
    if (start < text.length) await new Promise<void>((resolve) => clock.after(0, resolve));
  }
  return reader.isBranched ? readJournal(id, text, lostMessage) : reader.content;
}

import {
  JournalReader,
  readJournal,
  readNewestTurns,
  type JournalContent,
} from './journalReader.ts';
import { windowAround, type ConversationWindow } from './window.ts';
import type { Timer } from '../support/clock.ts';

/** Characters of a journal that are parsed without yielding, within a few milliseconds. */
export const pieceLength = 1_000_000;

/** Characters at the end of a journal that hold the turns shown first. */
const newestLength = 200_000;

/**
 * Reads a journal in slices, so that other work is not blocked.
 *
 * @param lostMessage replaces the text of a message that could not be read
 */
export async function readInPieces(
  id: string,
  text: string,
  timer: Timer,
  lostMessage?: string,
): Promise<JournalContent> {
  const reader = new JournalReader(id, lostMessage);
  for (let start = 0; start < text.length;) {
    const lineEnd = text.indexOf('\n', start + pieceLength);
    const end = lineEnd < 0 ? text.length : lineEnd + 1;
    reader.read(text.slice(start, end));
    start = end;
    if (start < text.length) await new Promise<void>((resolve) => timer.after(0, resolve));
  }
  return reader.isMixed ? readJournal(id, text, lostMessage) : reader.content;
}

/**
 * The newest turns, as many as the view shows first, read from the end of a journal; undefined if
 * it must be read as a whole.
 */
export function newestTurns(id: string, text: string): ConversationWindow | undefined {
  const lineEnd = text.indexOf('\n', text.length - newestLength);
  const content = readNewestTurns(id, text.slice(lineEnd + 1));
  if (content === undefined) return undefined;
  const newest = windowAround(content.conversation);
  return { ...newest, before: newest.before + content.before };
}

/** Like {@link newestTurns}, but reads a journal as a whole if it is at most one piece. */
export function newestOrAll(
  id: string,
  text: string,
  lostMessage?: string,
): ConversationWindow | undefined {
  if (text.length > pieceLength) return newestTurns(id, text);
  return windowAround(readJournal(id, text, lostMessage).conversation);
}

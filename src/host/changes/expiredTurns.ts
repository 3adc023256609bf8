export interface KeptTurn {
  readonly chat: string;
  readonly turn: string;
  /** Bytes. */
  readonly size: number;
  /** Time of the last write, in milliseconds since the Unix epoch. */
  readonly writtenAt: number;
}

export interface KeptTurns {
  turns(): Promise<readonly KeptTurn[]>;
  remove(turn: KeptTurn): Promise<void>;
}

const day = 24 * 60 * 60 * 1000;
/** Milliseconds for which changes can be undone. */
const longestTime = 30 * day;
/**
 * Milliseconds for which changes of unknown chats are kept: another window may be about to write
 * the journal.
 */
const shortestTime = day;
/** Maximum bytes of all turns together. */
const mostBytes = 200_000_000;

/**
 * The turns whose changes are deleted: those of deleted chats, those that are too old, and the
 * oldest beyond the size limit.
 *
 * @param now milliseconds since the Unix epoch
 */
export function expiredTurns(
  turns: readonly KeptTurn[],
  chats: ReadonlySet<string>,
  now: number,
): readonly KeptTurn[] {
  let bytes = 0;
  return turns
    .toSorted((a, b) => b.writtenAt - a.writtenAt)
    .filter(({ chat, size, writtenAt }) => {
      if (now - writtenAt > (chats.has(chat) ? longestTime : shortestTime)) return true;
      bytes += size;
      return bytes > mostBytes;
    });
}

/** Deletes the changes of expired turns. */
export async function removeExpired(
  storage: KeptTurns,
  chats: () => Promise<readonly string[]>,
  now: number,
): Promise<void> {
  const turns = await storage.turns();
  if (turns.length === 0) return;
  const known = new Set(await chats());
  for (const turn of expiredTurns(turns, known, now)) await storage.remove(turn);
}

/** What is kept of the changes of one turn. */
export interface KeptTurn {
  readonly chat: string;
  readonly turn: string;
  /** Bytes. */
  readonly size: number;
  /** When something of it was last written, in milliseconds since the Unix epoch. */
  readonly writtenAt: number;
}

/** Where changes of turns are kept. */
export interface KeptTurns {
  turns(): Promise<readonly KeptTurn[]>;
  remove(turn: KeptTurn): Promise<void>;
}

const day = 24 * 60 * 60 * 1000;
/** Milliseconds that changes can be taken back. */
const longestTime = 30 * day;
/** Milliseconds in which a chat may be unknown: its journal is written by another window, or not yet. */
const shortestTime = day;
/** Bytes of all turns together. */
const mostBytes = 200_000_000;

/**
 * The turns whose changes are given up: those of chats that are gone, those that are too old, and
 * the oldest of what is too much.
 *
 * @param now milliseconds since the Unix epoch
 */
export function expiredTurns(
  kept: readonly KeptTurn[],
  chats: ReadonlySet<string>,
  now: number,
): readonly KeptTurn[] {
  let bytes = 0;
  return kept
    .toSorted((one, other) => other.writtenAt - one.writtenAt)
    .filter(({ chat, size, writtenAt }) => {
      if (now - writtenAt > (chats.has(chat) ? longestTime : shortestTime)) return true;
      bytes += size;
      return bytes > mostBytes;
    });
}

/** Gives up what is expired. */
export async function removeExpired(
  kept: KeptTurns,
  chats: () => Promise<readonly string[]>,
  now: number,
): Promise<void> {
  const turns = await kept.turns();
  if (turns.length === 0) return;
  const known = new Set(await chats());
  for (const turn of expiredTurns(turns, known, now)) await kept.remove(turn);
}

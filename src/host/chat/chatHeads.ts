import * as z from 'zod/mini';
import { compareHeads, readHead, type ChatHead } from '../../core/history/chatHead.ts';
import { reported } from '../../core/support/background.ts';
import { parseJson } from '../../core/support/json.ts';
import type { JournalStatus, SavedJournals } from './journal.ts';

export interface StoredText {
  read(): Promise<string | undefined>;
  /** Replaces the text atomically. */
  write(text: string): Promise<void>;
}

export interface ChatHeadsOptions {
  readonly journals: SavedJournals;
  /** Cache of the heads, so that not every journal is read again. */
  readonly cache: StoredText;
  readonly onError: (what: string, error: unknown) => void;
}

export interface SavedChat extends ChatHead {
  /** Bytes of its journal. */
  readonly size: number;
}

/** Cached state of a journal, valid while its size and time are the same. */
interface KnownJournal extends JournalStatus {
  /** Undefined for a journal without a chat, for example with only chosen options. */
  readonly head?: ChatHead | undefined;
}

/** Raised when the same journal gets another head. */
const cacheVersion = 2;

const knownJournals = z.object({
  version: z.literal(cacheVersion),
  journals: z.record(
    z.string(),
    z.object({
      size: z.number(),
      modified: z.number(),
      head: z.optional(
        z.object({
          id: z.string(),
          title: z.string(),
          model: z.string(),
          workspace: z.string(),
          at: z.number(),
          pinned: z.boolean(),
        }),
      ),
    }),
  ),
});

/** Number of chats to show early: more than fit on the screen. */
const firstChats = 50;

/** Maximum bytes of a journal: a larger file fits in no string and isn't Aside's. */
const maxJournal = 500_000_000;

/** Number of journals that are read concurrently. */
const lanes = 32;

/**
 * All saved chats. Their heads are cached, and each is used only while the size and the time of its
 * journal are the same, so that deleting the cache changes nothing.
 */
export class ChatHeads {
  readonly #options: ChatHeadsOptions;
  #known: ReadonlyMap<string, KnownJournal> | undefined;

  constructor(options: ChatHeadsOptions) {
    this.#options = options;
  }

  /**
   * Resolves with all chats: pinned ones, then the newest.
   *
   * @param early called with the first ones as soon as they are known
   */
  async read(early?: (chats: readonly SavedChat[]) => void): Promise<readonly SavedChat[]> {
    const [known, ids] = await Promise.all([this.#load(), this.#options.journals.list()]);
    if (early !== undefined) {
      // The first chats of the cache, checked again, and new ones.
      const isThere = new Set(ids);
      const cached = chatsOf(new Map([...known].filter(([id]) => isThere.has(id))));
      const added = ids.filter((id) => !known.has(id)).slice(0, firstChats);
      const first = cached.slice(0, firstChats).map(({ id }) => id);
      early(chatsOf(await this.#check([...added, ...first], known)).slice(0, firstChats));
    }
    const current = await this.#check(ids, known);
    const isSame =
      current.size === known.size &&
      [...current].every(([id, journal]) => known.get(id) === journal);
    this.#known = current;
    if (!isSame) {
      const { cache, onError } = this.#options;
      const stored = { version: cacheVersion, journals: Object.fromEntries(current) };
      try {
        await cache.write(JSON.stringify(stored));
      } catch (error) {
        onError('Keeping the list of chats', error);
      }
    }
    return chatsOf(current);
  }

  async #load(): Promise<ReadonlyMap<string, KnownJournal>> {
    if (this.#known !== undefined) return this.#known;
    const text = await reported(this.#options.cache.read());
    const stored = knownJournals.safeParse(parseJson(text ?? '')).data;
    return (this.#known ??= new Map(Object.entries(stored?.journals ?? {})));
  }

  async #check(
    ids: readonly string[],
    known: ReadonlyMap<string, KnownJournal>,
  ): Promise<ReadonlyMap<string, KnownJournal>> {
    const checked = new Map<string, KnownJournal>();
    const waiting = ids.values();
    const work = async (): Promise<void> => {
      for (const id of waiting) {
        const journal = await this.#look(id, known.get(id));
        if (journal !== undefined) checked.set(id, journal);
      }
    };
    await Promise.all(Array.from({ length: lanes }, work));
    return checked;
  }

  async #look(id: string, known: KnownJournal | undefined): Promise<KnownJournal | undefined> {
    const { journals, onError } = this.#options;
    try {
      const status = await journals.status(id);
      if (status === undefined) return undefined;
      const isSame = known?.size === status.size && known.modified === status.modified;
      if (isSame) return known;
      if (status.size > maxJournal) return status;
      // Lines that are appended meanwhile change the size, so that the head is read again.
      const text = await journals.read(id);
      return text === undefined ? undefined : { ...status, head: readHead(id, text) };
    } catch (error) {
      onError(`Reading the chat ${id}`, error);
      return undefined;
    }
  }
}

function chatsOf(journals: ReadonlyMap<string, KnownJournal>): readonly SavedChat[] {
  const chats: SavedChat[] = [];
  for (const { head, size } of journals.values())
    if (head !== undefined) chats.push({ ...head, size });
  return chats.sort(compareHeads);
}

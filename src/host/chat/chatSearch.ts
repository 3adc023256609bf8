import {
  findPlace,
  type FoundPlace,
  storedPatterns,
  wordsPattern,
} from '../../core/history/wordPatterns.ts';
import { withoutDot, type RipgrepProgram } from '../../core/files/ripgrep.ts';
import { Queue, sleep } from '../../core/support/async.ts';
import { systemClock, type Timer } from '../../core/support/clock.ts';
import type { JournalTexts } from './journal.ts';
import { readInPieces } from '../../core/conversation/journalReader.ts';

export interface FoundChat extends FoundPlace {
  readonly id: string;
}

/** Finds journals with a pattern of ripgrep in their stored text, across lines, in any order. */
export type FindJournals = (
  pattern: string,
  onMatch: (conversation: string) => void,
  signal: AbortSignal,
) => Promise<void>;

export interface ChatSearchOptions {
  readonly journals: JournalTexts;
  /** Resolves with undefined without ripgrep: then all journals are read. */
  readonly find?: (() => Promise<FindJournals | undefined>) | undefined;
  readonly onError: (what: string, error: unknown) => void;
}

/** Milliseconds of work before other tasks of the extension host get their turn. */
const slice = 8;

/**
 * Searches the texts of saved chats. ripgrep only finds the journals that may match; each of these
 * is read, so that the results are the same without it.
 */
export class ChatSearch {
  readonly #options: ChatSearchOptions;

  constructor(options: ChatSearchOptions) {
    this.#options = options;
  }

  /**
   * Resolves when all chats are searched, or the signal aborts.
   *
   * @param ids the chats to search, most relevant first
   * @param onMatch called with each matching chat, in any order
   */
  async search(
    query: string,
    ids: readonly string[],
    onMatch: (chat: FoundChat) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const pattern = wordsPattern(query);
    if (pattern === undefined) return;
    const queue = new Queue<string>();
    const finding = this.#findCandidates(query, ids, queue, signal);
    let since = systemClock.monotonic();
    for await (const id of queue.read()) {
      if (signal.aborted) break;
      const match = await this.#findIn(id, pattern, signal);
      if (match !== undefined && !isAborted(signal)) onMatch({ id, ...match });
      if (systemClock.monotonic() - since < slice) continue;
      await sleep(systemClock, 0);
      since = systemClock.monotonic();
    }
    await finding;
  }

  /** Queues each chat that may have the words, once. */
  async #findCandidates(
    query: string,
    ids: readonly string[],
    queue: Queue<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const { find: loadFind, onError } = this.#options;
    const remaining = new Set(ids);
    const add = (id: string): void => {
      if (remaining.delete(id)) queue.push(id);
    };
    try {
      const find = await loadFind?.();
      if (find === undefined) ids.forEach(add);
      else {
        const { usual, any } = storedPatterns(query);
        await find(usual, add, signal);
        await find(any, add, signal);
      }
    } catch (error) {
      if (!signal.aborted) {
        onError('Searching the chats with ripgrep', error);
        ids.forEach(add);
      }
    } finally {
      queue.end();
    }
  }

  /** Undefined also for a chat that can't be read or was deleted meanwhile. */
  async #findIn(id: string, pattern: RegExp, signal: AbortSignal): Promise<FoundPlace | undefined> {
    const { journals, onError } = this.#options;
    try {
      const text = await journals.read(id);
      if (text === undefined) return undefined;
      const after: Timer['after'] = (...timer) => {
        signal.throwIfAborted();
        return systemClock.after(...timer);
      };
      const search = findPlace((await readInPieces(id, text, { after })).conversation, pattern);
      for (;;) {
        const step = search.next();
        if (step.done === true) return step.value;
        await sleep(systemClock, 0);
        signal.throwIfAborted();
      }
    } catch (error) {
      if (!signal.aborted) onError(`Searching the chat ${id}`, error);
      return undefined;
    }
  }
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** The extension of journals, and of no other file in the searched folder. */
const ending = '.jsonl';

/** Searches all journals, and ignores any `.gitignore` around them. */
const always = [
  '--no-config',
  '--no-messages',
  '--no-ignore',
  '--hidden',
  '--text',
  '--color=never',
  '--max-depth=1',
  `--glob=*${ending}`,
  '--files-with-matches',
  // Shows the first hits early. Names of journals contain no line breaks.
  '--line-buffered',
  '--ignore-case',
  '--multiline',
  // Words of some scripts make large patterns.
  '--regex-size-limit=100M',
  '--dfa-size-limit=100M',
];

/**
 * Finds journals in a folder of the disk with the ripgrep that comes with VS Code. There is no index:
 * the pattern allows for the cuts between records, and is as fast as a plain word.
 */
export function findJournalsIn(folder: string, program: RipgrepProgram): FindJournals {
  return async (pattern, onMatch, signal) => {
    const args = [...always, `--regexp=${pattern}`, '--', './'];
    const onPart = (path: string): boolean => {
      onMatch(withoutDot(path, program.separator).slice(0, -ending.length));
      return true;
    };
    const problem = await program.run({ args, folder, end: '\n', onPart }, signal);
    if (problem !== '') throw new Error(problem);
  };
}

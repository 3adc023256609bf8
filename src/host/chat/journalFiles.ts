import { background } from '../../core/support/background.ts';
import { systemClock, type Clock } from '../../core/support/clock.ts';
import { linesEnding, type KeptEnds, type KeptFiles } from '../platform/keptFiles.ts';
import type { ChatLocks } from './chatLocks.ts';
import type { JournalStatus, JournalStorage, SavedJournals } from './journal.ts';

/** Milliseconds after which appended lines survive a crash of the machine. */
const syncDelay = 1000;

export class JournalFiles implements JournalStorage, SavedJournals {
  readonly #files: KeptFiles;
  readonly #clock: Clock;
  /** Files that are about to be flushed to the disk. */
  readonly #syncing = new Set<string>();
  readonly #locks: ChatLocks | undefined;
  /** Chats that this window has written since it got their locks. */
  readonly #written = new Set<string>();

  /**
   * @param files the folder of the chats
   * @param locks if undefined, each write checks for writes of other windows
   */
  constructor(files: KeptFiles, clock: Clock = systemClock, locks?: ChatLocks) {
    this.#files = files;
    this.#clock = clock;
    this.#locks = locks;
    // Other windows may have written the chat before.
    locks?.onDidAcquire((conversation) => this.#written.delete(conversation));
  }

  get location(): string {
    return this.#files.location;
  }

  /** Resolves when the text survives the end of this process. */
  async append(conversation: string, text: string, exists = false): Promise<void> {
    const file = journalName(conversation);
    const isHeld = this.#locks?.holds(conversation) === true;
    const isAlone = isHeld && this.#written.delete(conversation);
    await this.#files.append(file, text, exists, isAlone);
    if (isHeld) this.#written.add(conversation);
    // Flushed later: requests of a turn wait for its lines, but not for the disk, which only a crash
    // of the machine needs.
    if (this.#syncing.has(file)) return;
    this.#syncing.add(file);
    this.#clock.after(syncDelay, () => {
      this.#syncing.delete(file);
      background(this.#files.sync(file));
    });
  }

  async read(conversation: string): Promise<string | undefined> {
    return this.#files.read(journalName(conversation));
  }

  async readEnds(conversation: string, bytes: number): Promise<KeptEnds | undefined> {
    return this.#files.readEnds(journalName(conversation), bytes);
  }

  async setAside(conversation: string): Promise<void> {
    const file = journalName(conversation);
    const time = new Date().toISOString().replaceAll(':', '-');
    await this.#files.setAside(file, `${file}.corrupt-${time}`);
  }

  async list(): Promise<readonly string[]> {
    const names = (await this.#files.names()).filter((name) => name.endsWith(linesEnding));
    return names.map((name) => name.slice(0, -linesEnding.length)).filter(isChatId);
  }

  async status(conversation: string): Promise<JournalStatus | undefined> {
    return this.#files.status(journalName(conversation));
  }
}

export function journalName(conversation: string): string {
  // The id also comes from storage that other programs can write.
  if (!isChatId(conversation)) throw new Error('This is not a chat ID.');
  return `${conversation}${linesEnding}`;
}

function isChatId(name: string): boolean {
  return /^[\w-]+$/.test(name);
}

import { linesEnding, type KeptFiles, type KeptPart } from '../keptFiles.ts';
import type { JournalStatus, JournalStorage, SavedJournals } from './journal.ts';

/** Journals as files of lines, all in one folder. */
export class JournalFiles implements JournalStorage, SavedJournals {
  readonly #files: KeptFiles;

  /** @param files the folder of the chats */
  constructor(files: KeptFiles) {
    this.#files = files;
  }

  /** Where they are, for people. */
  get location(): string {
    return this.#files.location;
  }

  /** Resolves when the text is on the disk: a crash of the machine must not take a reply. */
  async append(conversation: string, text: string, exists = false): Promise<void> {
    const file = journalName(conversation);
    await this.#files.append(file, text, exists);
    await this.#files.sync(file);
  }

  async read(conversation: string): Promise<string | undefined> {
    return this.#files.read(journalName(conversation));
  }

  async readOn(conversation: string, from?: string): Promise<KeptPart | undefined> {
    return this.#files.readOn(journalName(conversation), from);
  }

  async setAside(conversation: string): Promise<void> {
    const file = journalName(conversation);
    const time = new Date().toISOString().replaceAll(':', '-');
    await this.#files.setAside(file, `${file}.corrupt-${time}`);
  }

  async list(): Promise<readonly string[]> {
    const names = (await this.#files.names()).filter((name) => name.endsWith(linesEnding));
    return names.map((name) => name.slice(0, -linesEnding.length));
  }

  async status(conversation: string): Promise<JournalStatus | undefined> {
    return this.#files.status(journalName(conversation));
  }
}

/** The name of a journal in the folder of the chats. */
export function journalName(conversation: string): string {
  // The id also comes from storage that others can write to.
  if (!/^[\w-]+$/.test(conversation)) throw new Error('This is not a chat ID.');
  return `${conversation}${linesEnding}`;
}

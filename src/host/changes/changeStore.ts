import {
  readRecord,
  writeRecord,
  type ChangeEntry,
  type ChangeRecord,
  type ChangeTexts,
  type TurnChange,
} from './changeRecord.ts';

/** Storage of texts, by paths separated by `/`. */
export interface ChangeStorage {
  read(path: string): Promise<string | undefined>;
  /** Replaces a text atomically. */
  write(path: string, text: string): Promise<void>;
}

type TextSide = 'before' | 'after';

/** The changes of turns, with the texts needed for undo. They survive reloads. */
export class ChangeStore {
  readonly #storage: ChangeStorage;
  readonly #onError: (error: unknown) => void;
  /** Texts that could not be written, in memory until the window closes. */
  readonly #unsaved = new Map<string, string>();

  constructor(storage: ChangeStorage, onError: (error: unknown) => void) {
    this.#storage = storage;
    this.#onError = onError;
  }

  async entries(chat: string, turn: string): Promise<readonly ChangeEntry[]> {
    return (await this.record(chat, turn)).entries;
  }

  async record(chat: string, turn: string): Promise<ChangeRecord> {
    return readRecord(await this.#read(recordOf(chat, turn)));
  }

  async setRecord(chat: string, turn: string, record: ChangeRecord): Promise<void> {
    await this.#write(recordOf(chat, turn), writeRecord(record));
  }

  /** A change with its texts; undefined if they are no longer stored. */
  async texts(chat: string, turn: string, entry: ChangeEntry): Promise<ChangeTexts | undefined> {
    const [before, after] = await Promise.all([
      this.#read(textOf(chat, turn, entry.id, 'before')),
      this.#read(textOf(chat, turn, entry.id, 'after')),
    ]);
    return before === undefined || after === undefined ? undefined : { ...entry, before, after };
  }

  /**
   * Changes of several turns with their texts; changes whose texts are no longer stored are
   * separate.
   */
  async changes(
    chat: string,
    turns: readonly string[],
    isMeant: (entry: ChangeEntry) => boolean,
  ): Promise<{ readonly complete: readonly TurnChange[]; readonly lost: readonly ChangeEntry[] }> {
    const complete: TurnChange[] = [];
    const lost: ChangeEntry[] = [];
    for (const turn of turns) {
      for (const entry of (await this.entries(chat, turn)).filter(isMeant)) {
        const change = await this.texts(chat, turn, entry);
        if (change === undefined) lost.push(entry);
        else complete.push({ turn, change });
      }
    }
    return { complete, lost };
  }

  /** @param stored texts that are stored already, and aren't written again */
  async setTexts(
    chat: string,
    turn: string,
    { id, before, after }: ChangeTexts,
    stored?: ChangeTexts,
  ): Promise<void> {
    if (before !== stored?.before) await this.#write(textOf(chat, turn, id, 'before'), before);
    if (after !== stored?.after) await this.#write(textOf(chat, turn, id, 'after'), after);
  }

  async #read(path: string): Promise<string | undefined> {
    return this.#unsaved.get(path) ?? (await this.#storage.read(path));
  }

  async #write(path: string, text: string): Promise<void> {
    try {
      await this.#storage.write(path, text);
      this.#unsaved.delete(path);
    } catch (error) {
      this.#unsaved.set(path, text);
      this.#onError(error);
    }
  }
}

function recordOf(chat: string, turn: string): string {
  return `${folderOf(chat, turn)}/changes.json`;
}

function textOf(chat: string, turn: string, id: string, side: TextSide): string {
  return `${folderOf(chat, turn)}/${checked(id)}.${side}.txt`;
}

function folderOf(chat: string, turn: string): string {
  return `${checked(chat)}/${checked(turn)}`;
}

/** Checks an id: the host creates ids, but gets them back from the view and from storage. */
function checked(id: string): string {
  if (!/^[\w-]{1,200}$/.test(id)) throw new Error('This is not the ID of a chat, turn, or change.');
  return id;
}

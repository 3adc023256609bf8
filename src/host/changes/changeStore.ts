import { readRecord, writeRecord, type ChangeEntry } from './changeRecord.ts';

/** Where texts are kept, by paths with `/`. */
export interface ChangeStorage {
  /** Undefined where there is none. */
  read(path: string): Promise<string | undefined>;
  /** Replaces what was there, whole or not at all. */
  write(path: string, text: string): Promise<void>;
}

/** A text of a file: from before its turn, or as the turn left it. */
export type TextSide = 'before' | 'after';

/** What the turns of chats changed, with the texts that undo needs. Survives a reload. */
export class ChangeStore {
  readonly #storage: ChangeStorage;
  readonly #onError: (error: unknown) => void;
  /** What could not be written: it is there until the window closes. */
  readonly #unsaved = new Map<string, string>();

  constructor(storage: ChangeStorage, onError: (error: unknown) => void) {
    this.#storage = storage;
    this.#onError = onError;
  }

  async entries(chat: string, turn: string): Promise<readonly ChangeEntry[]> {
    return readRecord(await this.#read(recordOf(chat, turn)));
  }

  async setEntries(chat: string, turn: string, entries: readonly ChangeEntry[]): Promise<void> {
    await this.#write(recordOf(chat, turn), writeRecord(entries));
  }

  text(chat: string, turn: string, id: string, side: TextSide): Promise<string | undefined> {
    return this.#read(textOf(chat, turn, id, side));
  }

  async setText(
    chat: string,
    turn: string,
    id: string,
    side: TextSide,
    text: string,
  ): Promise<void> {
    await this.#write(textOf(chat, turn, id, side), text);
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

/** Ids are made here, but they come back from the view and from storage. */
function checked(id: string): string {
  if (!/^[\w-]{1,200}$/.test(id)) throw new Error('This is not the ID of a chat, turn, or change.');
  return id;
}

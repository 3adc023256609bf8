import type { KeptFiles } from '../keptFiles.ts';
import type { ChangeStorage } from './changeStore.ts';
import type { KeptTurn, KeptTurns } from './expiredTurns.ts';

/** Stores texts as files: a folder per chat, and in it one per turn. */
export class ChangeFiles implements ChangeStorage, KeptTurns {
  readonly #files: KeptFiles;

  /** @param files the folder of the changes */
  constructor(files: KeptFiles) {
    this.#files = files;
  }

  read(path: string): Promise<string | undefined> {
    return this.#files.read(path);
  }

  write(path: string, text: string): Promise<void> {
    return this.#files.write(path, text);
  }

  async turns(): Promise<readonly KeptTurn[]> {
    const turns: KeptTurn[] = [];
    for (const chat of await this.#files.folders()) {
      for (const turn of await this.#files.folders(chat)) {
        turns.push(await this.#measure(chat, turn));
      }
    }
    return turns;
  }

  async remove({ chat, turn }: KeptTurn): Promise<void> {
    await this.#files.remove(`${chat}/${turn}`);
    await this.#files.removeEmpty(chat);
  }

  async removeChat(chat: string): Promise<void> {
    await this.#files.remove(chat);
  }

  async #measure(chat: string, turn: string): Promise<KeptTurn> {
    const folder = `${chat}/${turn}`;
    const names = await this.#files.names(folder);
    const statuses = await Promise.all(
      names.map((name) => this.#files.status(`${folder}/${name}`)),
    );
    const size = statuses.reduce((sum, status) => sum + (status?.size ?? 0), 0);
    const writtenAt = Math.max(0, ...statuses.map((status) => status?.modified ?? 0));
    return { chat, turn, size, writtenAt };
  }
}

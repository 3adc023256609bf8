import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deletedChatsIn, trashNameOf, type ChatTrash, type DeletedChat } from '../history/trash.ts';
import { orMissing } from './diskFiles.ts';
import { createOwnerFolder, ownerOnly } from './ownerOnly.ts';

/** Deleted chats on the local disk: a journal is a file, with copies of it from before a repair. */
export class DiskTrash implements ChatTrash {
  readonly #chats: string;
  readonly #deleted: string;

  /** @param chats the folder of the chats */
  constructor(chats: string) {
    this.#chats = chats;
    this.#deleted = join(dirname(chats), 'deleted');
  }

  async remove(id: string, at: number): Promise<DeletedChat | undefined> {
    const names = await this.#filesOf(id);
    const [journal, ...copies] = names;
    if (journal !== nameOf(id)) return undefined;
    const folder = this.#folder({ id, at });
    await createOwnerFolder(this.#deleted);
    await mkdir(folder, { recursive: true, mode: ownerOnly.folder });
    // The journal last: as long as it is in its place, the chat is not deleted.
    for (const name of [...copies, journal]) await rename(this.#file(name), join(folder, name));
    return { id, at };
  }

  async restore(chat: DeletedChat): Promise<void> {
    const folder = this.#folder(chat);
    const path = this.#file(nameOf(chat.id));
    if ((await orMissing(stat(path))) !== undefined) throw new Error(`The chat exists: ${path}`);
    await createOwnerFolder(this.#chats);
    for (const name of (await readdir(folder)).sort())
      await rename(join(folder, name), this.#file(name));
    await rm(folder, { recursive: true });
  }

  read(chat: DeletedChat): Promise<string | undefined> {
    return orMissing(readFile(join(this.#folder(chat), nameOf(chat.id)), 'utf8'));
  }

  async deleted(): Promise<readonly DeletedChat[]> {
    return deletedChatsIn((await orMissing(readdir(this.#deleted))) ?? []);
  }

  async erase(chat: DeletedChat): Promise<void> {
    await rm(this.#folder(chat), { recursive: true, force: true });
  }

  async size(id: string): Promise<number> {
    const found = (await this.#filesOf(id)).map((name) => orMissing(stat(this.#file(name))));
    return (await Promise.all(found)).reduce((sum, file) => sum + (file?.size ?? 0), 0);
  }

  /** The journal first, if there is one. */
  async #filesOf(id: string): Promise<readonly string[]> {
    const names = (await orMissing(readdir(this.#chats))) ?? [];
    return names.filter((name) => name === nameOf(id) || name.startsWith(`${nameOf(id)}.`)).sort();
  }

  #file(name: string): string {
    return join(this.#chats, name);
  }

  #folder(chat: DeletedChat): string {
    return join(this.#deleted, trashNameOf(chat));
  }
}

function nameOf(id: string): string {
  return `${id}.jsonl`;
}

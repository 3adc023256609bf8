import { systemClock } from '../../core/support/clock.ts';
import { forgetChat } from './chatMemento.ts';
import { isImage, type ImageFiles } from './imageFiles.ts';
import { journalName } from './journalFiles.ts';
import type { KeptFiles } from '../platform/keptFiles.ts';
import type { HostWindow } from '../platform/window.ts';

/** A deleted chat that can be restored for a while. */
export interface DeletedChat {
  readonly id: string;
  /** Time of deletion, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/**
 * Storage of deleted chats. Each has a folder next to the folder of the chats, with all of its
 * files, including copies of damaged journals.
 */
export class ChatTrash {
  readonly #files: KeptFiles;

  /** @param files the parent of the folder of the chats */
  constructor(files: KeptFiles) {
    this.#files = files;
  }

  /** Moves a chat out of the chats. Resolves with undefined if nothing of it is stored. */
  async remove(id: string, at: number): Promise<DeletedChat | undefined> {
    const chat = { id, at };
    const journal = journalName(id);
    if ((await this.#files.status(`${chats}/${journal}`)) === undefined) return undefined;
    const beside = await this.#copiesIn(chats, id);
    const copies = beside.filter((name) => !isImage(name));
    // The journal after its copies: as long as it is in its place, the chat is not deleted. Without a
    // disk, it is the folder that images are put into.
    for (const name of [...copies, journal, ...beside.filter(isImage)])
      await this.#files.rename(`${chats}/${name}`, `${folderOf(chat)}/${name}`);
    return chat;
  }

  /** Moves a chat back. Rejects if there is another one with its id. */
  async restore(chat: DeletedChat): Promise<void> {
    const folder = folderOf(chat);
    const copies = await this.#copiesIn(folder, chat.id);
    const others = copies.filter((name) => !isImage(name));
    for (const name of [...copies.filter(isImage), journalName(chat.id), ...others])
      await this.#files.rename(`${folder}/${name}`, `${chats}/${name}`);
    await this.#files.remove(folder);
  }

  /** The journal of a deleted chat; undefined if it is gone. */
  read(chat: DeletedChat): Promise<string | undefined> {
    return this.#files.read(`${folderOf(chat)}/${journalName(chat.id)}`);
  }

  /** The deleted chats, the newest first; other folders are ignored. */
  async deleted(): Promise<readonly DeletedChat[]> {
    const entries = (await this.#files.folders(deleted)).flatMap((name) => {
      const [, at, id] = /^(\d{1,15})-([\w-]+)$/.exec(name) ?? [];
      return id === undefined ? [] : [{ id, at: Number(at) }];
    });
    return entries.sort((a, b) => b.at - a.at);
  }

  /** Removes a deleted chat for good. */
  async erase(chat: DeletedChat): Promise<void> {
    await this.#files.remove(folderOf(chat));
  }

  /** Bytes that are stored of a chat that is not deleted. */
  async size(id: string): Promise<number> {
    const names = [journalName(id), ...(await this.#copiesIn(chats, id))];
    const statuses = await Promise.all(names.map((name) => this.#files.status(`${chats}/${name}`)));
    return statuses.reduce((sum, file) => sum + (file?.size ?? 0), 0);
  }

  async #copiesIn(folder: string, id: string): Promise<readonly string[]> {
    const names = await this.#files.names(folder);
    return names.filter((name) => name.startsWith(`${journalName(id)}.`));
  }
}

const chats = 'chats';
const deleted = 'deleted';

function folderOf({ id, at }: DeletedChat): string {
  return `${deleted}/${at}-${id}`;
}

/** Milliseconds for which a deleted chat can be restored: 30 days. */
export const trashTime = 30 * 24 * 60 * 60 * 1000;

/**
 * Erases chats that were deleted too long ago. A failure doesn't stop the others, and is tried
 * again later.
 *
 * @param forget removes the rest of a chat's state
 * @param now milliseconds since the Unix epoch
 * @throws the first failure, after all others are erased
 */
export async function eraseExpired(
  trash: ChatTrash,
  forget: (id: string) => Promise<void>,
  now: number,
): Promise<void> {
  const failures: unknown[] = [];
  for (const chat of await trash.deleted()) {
    if (now - chat.at < trashTime) continue;
    try {
      await forget(chat.id);
      await trash.erase(chat);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Opens the trash, and erases chats that were deleted too long ago. */
export function openTrash({ context, keptFiles, log }: HostWindow, images: ImageFiles): ChatTrash {
  const trash = new ChatTrash(keptFiles);
  // A chat owns the texts from before its changes, and its draft.
  const forget = async (id: string): Promise<void> => {
    await keptFiles.folder('changes').remove(id);
    await forgetChat(context.workspaceState, id);
  };
  const now = systemClock.wall();
  const erasing = [eraseExpired(trash, forget, now), images.removeStray(now)];
  for (const work of erasing)
    work.catch((error: unknown) => log.error('Removing deleted chats', error));
  return trash;
}

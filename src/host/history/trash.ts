/** A chat that was deleted, and can be brought back for a while. */
export interface DeletedChat {
  readonly id: string;
  /** When it was deleted, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/**
 * Where deleted chats are kept: each in a folder of its own, beside the folder of the chats, with all
 * that was stored of its journal.
 */
export interface ChatTrash {
  /** Moves a chat out of the chats. Resolves with undefined if nothing of it is stored. */
  remove(id: string, at: number): Promise<DeletedChat | undefined>;
  /** Moves a chat back. Rejects if there is another one with its id. */
  restore(chat: DeletedChat): Promise<void>;
  /** The journal of a deleted chat; undefined if it is gone. */
  read(chat: DeletedChat): Promise<string | undefined>;
  /** The deleted chats, the newest first. */
  deleted(): Promise<readonly DeletedChat[]>;
  /** Removes a deleted chat for good. */
  erase(chat: DeletedChat): Promise<void>;
  /** Bytes that are stored of a chat that is not deleted. */
  size(id: string): Promise<number>;
}

/** Milliseconds for which a deleted chat can be brought back: 30 days. */
export const trashTime = 30 * 24 * 60 * 60 * 1000;

/** The name of the folder of a deleted chat. */
export function trashNameOf({ id, at }: DeletedChat): string {
  return `${at}-${id}`;
}

/** The deleted chats by the names of their folders, the newest first; other names are ignored. */
export function deletedChatsIn(names: readonly string[]): readonly DeletedChat[] {
  return names
    .flatMap((name) => {
      const [, at, id] = /^(\d{1,15})-([\w-]+)$/.exec(name) ?? [];
      return id === undefined ? [] : [{ id, at: Number(at) }];
    })
    .sort((one, other) => other.at - one.at);
}

/**
 * Erases what was deleted too long ago. What fails is tried again the next time, and keeps no other.
 * @param forget removes everything else that is kept of a chat
 * @param now milliseconds since the Unix epoch
 * @throws the first failure, when all others are erased
 */
export async function eraseExpired(
  trash: Pick<ChatTrash, 'deleted' | 'erase'>,
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

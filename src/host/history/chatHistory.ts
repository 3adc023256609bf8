import type { RecentChat } from '../../protocol/messages.ts';
import type { SavedJournals } from '../journal/journal.ts';
import type { OpenChats } from '../chat/openChats.ts';
import { ChatPick, type ChatPickOptions } from './chatPick.ts';
import type { SavedChats } from './savedChats.ts';
import { chatIsGone } from '../chat/storeMessages.ts';

export interface ChatHistoryOptions extends Omit<ChatPickOptions, 'chats' | 'isRunning'> {
  readonly chats: SavedChats;
  readonly journals: SavedJournals;
  readonly opening: Pick<OpenChats, 'isRunning' | 'show'>;
}

/** Maximum number of chats that an empty chat offers. */
const maxRecent = 3;

/** `aside.openChat`, and the recent chats that an empty chat offers. */
export class ChatHistory {
  readonly #options: ChatHistoryOptions;

  constructor(options: ChatHistoryOptions) {
    this.#options = options;
  }

  /** @param argument the id of a chat; any other value lets the person choose one */
  async open(argument: unknown): Promise<void> {
    const { journals, opening } = this.#options;
    if (typeof argument !== 'string') {
      const isRunning = (id: string): boolean => opening.isRunning(id);
      const chosen = await new ChatPick({ ...this.#options, isRunning }).show();
      if (chosen !== undefined && 'restore' in chosen) await chosen.restore();
      else if (chosen !== undefined) await opening.show(chosen.id, chosen.hit);
    } else if (opening.isRunning(argument) || (await journals.list()).includes(argument))
      await opening.show(argument);
    else throw chatIsGone();
  }

  async titles(): Promise<ReadonlyMap<string, string>> {
    const all = await this.#options.chats.read();
    return new Map(all.map(({ id, title }) => [id, title]));
  }

  async recent(): Promise<readonly RecentChat[]> {
    const { chats, workspace } = this.#options;
    const all = (await chats.read()).toSorted((a, b) => b.at - a.at);
    const here = all.filter((chat) => chat.workspace === workspace);
    const elsewhere = all.filter((chat) => chat.workspace !== workspace);
    return [...here, ...elsewhere]
      .filter(({ title }) => title !== '')
      .slice(0, maxRecent)
      .map(({ id, title, at }) => ({ id, title, at }));
  }
}

import * as vscode from 'vscode';
import type { Conversation } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { type JournalContent, readInPieces } from '../../core/conversation/journalReader.ts';
import { isNewerVersion } from '../../core/conversation/record.ts';
import type { Clock } from '../../core/support/clock.ts';
import { newId } from '../../core/support/id.ts';
import type { OpenChats } from './openChats.ts';
import { continuationOf, Journal, type JournalStorage } from './journal.ts';
import type { ChatLocks } from './chatLocks.ts';
import { UserError } from '../platform/errors.ts';
import { chatIsElsewhere, chatIsGone } from './storeMessages.ts';

export interface SavedChatsOptions {
  readonly storage: JournalStorage & { list(): Promise<readonly string[]> };
  readonly locks: ChatLocks;
  readonly open: OpenChats;
  /** Workspace of new chats; empty if there is none. */
  readonly workspace: string;
  readonly clock: Clock;
  /** Called when a chat was added, named, pinned, deleted or brought back. */
  readonly onDidChange: () => void;
}

/** Reads and changes saved chats, whether they are open or not. */
export class SavedChats {
  readonly open: OpenChats;
  readonly storage: SavedChatsOptions['storage'];
  readonly #options: SavedChatsOptions;

  constructor(options: SavedChatsOptions) {
    this.open = options.open;
    this.storage = options.storage;
    this.#options = options;
  }

  list(): Promise<readonly string[]> {
    return this.storage.list();
  }

  /** Called when a chat was deleted or brought back. */
  noteChange(): void {
    this.#options.onDidChange();
  }

  /** @throws {UserError} if the chat is not saved */
  async read(id: string): Promise<Conversation> {
    const chat = this.open.find(id);
    await chat?.allRead();
    return chat?.conversation ?? (await this.#content(id)).conversation;
  }

  /**
   * Adds an event to a chat.
   * @throws {UserError} if the chat is not saved, or another window writes it
   */
  async change(
    id: string,
    event: Extract<ConversationEvent, { type: 'title-change' | 'pin-change' }>,
  ): Promise<void> {
    const chat = this.open.find(id);
    await chat?.allRead();
    await this.whileOwned(id, async () => {
      if (chat === undefined) return this.#append(id, [event], await this.#content(id));
      chat.change(event);
    });
    this.#options.onDidChange();
  }

  /**
   * Saves a new chat. Resolves with its id.
   *
   * @param before stores the data that its messages need, such as images
   */
  async create(
    events: readonly ConversationEvent[],
    before: (id: string) => Promise<void> = () => Promise.resolve(),
  ): Promise<string> {
    const id = newId();
    await before(id);
    await this.#append(id, events);
    this.#options.onDidChange();
    return id;
  }

  /**
   * Does something that only the writer of a chat may do.
   * @throws {UserError} if another window is its writer
   */
  async whileOwned(id: string, work: () => Promise<void>): Promise<void> {
    const { locks, open } = this.#options;
    const wasHeld = locks.holds(id);
    if (!(await locks.acquire(id))) throw chatIsElsewhere();
    try {
      await work();
    } finally {
      if (!wasHeld && open.find(id)?.access.mayWrite !== true) await locks.release(id);
    }
  }

  async #content(id: string): Promise<JournalContent> {
    const { storage, clock } = this.#options;
    const text = await storage.read(id);
    if (text === undefined) throw chatIsGone();
    if (isNewerVersion(text))
      throw new UserError(vscode.l10n.t('This chat was saved by a later version of Aside.'));
    return readInPieces(id, text, clock);
  }

  async #append(
    conversation: string,
    events: readonly ConversationEvent[],
    content?: JournalContent,
  ): Promise<void> {
    const { storage, workspace, clock } = this.#options;
    const stored = content === undefined ? { records: 0 } : continuationOf(content, 0);
    const journal = new Journal({ conversation, workspace, ...stored, storage, clock });
    let failure: Error | undefined;
    journal.onDidFail((error) => (failure = error));
    for (const event of events) journal.append(event);
    await journal.flush();
    if (failure !== undefined) throw failure;
  }
}

import * as vscode from 'vscode';
import { readHead } from '../../core/history/chatHead.ts';
import { titleOf } from '../../core/history/chatTitle.ts';
import { background, reported } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { counted } from '../../core/support/counted.ts';
import type { UnsavedText } from './unsavedText.ts';
import type { Dialogs } from '../platform/dialogs.ts';
import { UserError } from '../platform/errors.ts';
import { formatSize, type DeletedEntry } from './chatHistory.ts';
import type { SavedChats } from './savedChats.ts';
import type { ChatTrash, DeletedChat } from './trash.ts';

export interface DeletionOptions {
  readonly chats: SavedChats;
  readonly trash: ChatTrash;
  /** Lines of chats that could not be written. */
  readonly unsaved: UnsavedText;
  readonly dialogs: Dialogs;
  /** Shows a notice with a button; resolves with true if it was clicked. */
  readonly notify: (message: string, button: string) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

export class Deletion {
  readonly #options: DeletionOptions;

  constructor(options: DeletionOptions) {
    this.#options = options;
  }

  /** Deletes chats, with a notice that can restore them. Asks only before a reply is stopped. */
  async delete(ids: readonly string[]): Promise<void> {
    const running = ids.filter((id) => this.#options.chats.open.find(id)?.isRunning === true);
    if (running.length > 0) {
      const isSure = await this.#options.dialogs.confirm(
        vscode.l10n.t('Stop the reply and delete the chat?'),
        vscode.l10n.t('You can restore the chat for 30 days.'),
        vscode.l10n.t('Stop and Delete'),
      );
      if (!isSure) return;
    }
    const [only] = ids;
    const isOne = ids.length === 1 && only !== undefined;
    const title = isOne ? await this.#titleOf(only) : '';
    const deleted = await this.#remove(ids);
    background(
      this.#offerUndo(
        isOne
          ? vscode.l10n.t('Deleted “{0}”.', title || vscode.l10n.t('Untitled Chat'))
          : deletedText(deleted.length),
        deleted,
      ),
    );
  }

  /** Deletes a chat without a notice. It is stopped if it runs. */
  async discard(id: string): Promise<void> {
    await this.#remove([id]);
  }

  async deleteAll(): Promise<void> {
    const { chats, trash, dialogs } = this.#options;
    const { language } = vscode.env;
    const ids = await chats.list();
    if (ids.length === 0) throw new UserError(vscode.l10n.t('There are no saved chats.'));
    const sizes = await Promise.all(ids.map((id) => trash.size(id)));
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
    const isSure = await dialogs.confirm(
      ids.length === 1
        ? vscode.l10n.t('Delete the only saved chat ({0})?', formatSize(size))
        : counted(
            vscode.l10n.t('Delete all {0} chats ({1})?'),
            ids.length,
            language,
            ids.length,
            formatSize(size),
          ),
      vscode.l10n.t('Running replies are stopped. You can restore the chats for 30 days.'),
      vscode.l10n.t('Delete All'),
    );
    if (!isSure) return;
    const deleted = await this.#remove(ids);
    background(this.#offerUndo(deletedText(deleted.length), deleted));
  }

  /** The chats that can be restored, the newest first. */
  async deleted(): Promise<readonly DeletedEntry[]> {
    const { trash } = this.#options;
    const entries: DeletedEntry[] = [];
    for (const chat of await trash.deleted()) {
      const text = await reported(trash.read(chat));
      if (text === undefined) continue;
      const restore = (): Promise<void> => this.restore([chat]);
      entries.push({ title: readHead(chat.id, text)?.title ?? '', at: chat.at, restore });
    }
    return entries;
  }

  async restore(chats: readonly DeletedChat[]): Promise<void> {
    const { chats: saved, trash } = this.#options;
    for (const chat of chats) await trash.restore(chat);
    saved.noteChange();
    const [only] = chats;
    if (only !== undefined && chats.length === 1) await saved.open.show(only.id);
  }

  /** Reads the title from the journal, even if a later version of Aside wrote it. */
  async #titleOf(id: string): Promise<string> {
    const { open, storage } = this.#options.chats;
    const chat = open.find(id);
    await chat?.allRead();
    if (chat !== undefined) return titleOf(chat.conversation);
    return readHead(id, (await storage.read(id)) ?? '')?.title ?? '';
  }

  /** @throws {UserError} if another window writes some of them, after the others are deleted */
  async #remove(ids: readonly string[]): Promise<readonly DeletedChat[]> {
    const { chats, trash, unsaved } = this.#options;
    const { open, storage } = chats;
    const deleted: DeletedChat[] = [];
    let refusal: Error | undefined;
    for (const id of ids) {
      try {
        // Nothing is closed or stopped if the chat can't be deleted.
        await chats.whileOwned(id, () => Promise.resolve());
        await open.close(id);
        await chats.whileOwned(id, async () => {
          // Unsaved lines must be restored with the chat, and must not recreate it alone.
          const lines = unsaved.of(id);
          if (lines !== '') await storage.append(id, lines);
          await unsaved.keep(id, '');
          const chat = await trash.remove(id, systemClock.wall());
          if (chat !== undefined) deleted.push(chat);
        });
      } catch (error) {
        refusal = error instanceof Error ? error : new Error(String(error));
      }
    }
    // The new chat that replaced it on screen still offers it.
    chats.noteChange();
    if (refusal !== undefined && deleted.length === 0) throw refusal;
    if (refusal !== undefined) this.#options.onError(refusal);
    return deleted;
  }

  async #offerUndo(message: string, deleted: readonly DeletedChat[]): Promise<void> {
    const { notify, onError } = this.#options;
    if (deleted.length === 0) return;
    try {
      if (await notify(message, vscode.l10n.t('Undo'))) await this.restore(deleted);
    } catch (error) {
      onError(error);
    }
  }
}

function deletedText(count: number): string {
  return count === 1
    ? vscode.l10n.t('Deleted 1 chat.')
    : counted(vscode.l10n.t('Deleted {0} chats.'), count, vscode.env.language);
}

import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { imagesIn, imagesOfChat } from '../../core/conversation/attachedImage.ts';
import { forkEvents } from '../../core/history/chatImport.ts';
import { cleanTitle, isEmptyChat, titleOf } from '../../core/history/chatTitle.ts';
import { counted } from '../../core/support/counted.ts';
import type { ImageFiles } from './imageFiles.ts';
import type { Dialogs } from '../platform/dialogs.ts';
import { UserError } from '../platform/errors.ts';
import type { ChatFiles } from './chatFiles.ts';
import type { Deletion } from './deletion.ts';
import type { SavedChats } from './savedChats.ts';
import { chatIsGone, messageIsGone } from './storeMessages.ts';

export interface SavedChatCommandsOptions {
  readonly chats: SavedChats;
  readonly images: ImageFiles;
  readonly files: ChatFiles;
  readonly deletion: Deletion;
  readonly dialogs: Dialogs;
  readonly copy: (text: string) => Thenable<void>;
}

/** Argument of other code: the id of a chat, or several ids. */
const chatIds = z.union([z.string(), z.array(z.string())]);

const uri = z.custom<vscode.Uri>((value) => value instanceof vscode.Uri);
const importedFiles = z.union([uri, z.array(uri)]);
const exportTarget = z.object({
  format: z.enum(['markdown', 'json']),
  reasoning: z.optional(z.boolean()),
  to: uri,
});

/**
 * Commands on saved chats. Each takes one or several chat ids; without one, it acts on the open
 * chat.
 */
export class SavedChatCommands {
  readonly #options: SavedChatCommandsOptions;

  constructor(options: SavedChatCommandsOptions) {
    this.#options = options;
  }

  /**
   * `aside.renameChat`
   *
   * @param name the new title; the person is asked for it if undefined
   */
  async rename(argument: unknown, name: unknown): Promise<void> {
    const { chats, dialogs } = this.#options;
    for (const id of await this.#ids(argument)) {
      const before = titleOf(await chats.read(id));
      const title =
        typeof name === 'string'
          ? name
          : await dialogs.prompt({
              title: vscode.l10n.t('Rename Chat'),
              prompt: vscode.l10n.t('Enter a new name for the chat'),
              value: before,
              check: () => undefined,
            });
      if (title === undefined) return;
      await chats.change(id, { type: 'title-change', title: cleanTitle(title) });
    }
  }

  /** `aside.pinChat`: pins all of the chats, or unpins them if all are pinned. */
  async pin(argument: unknown): Promise<void> {
    const { chats, dialogs } = this.#options;
    const ids = await this.#ids(argument);
    const before = await Promise.all(ids.map((id) => chats.read(id)));
    const pinned = before.some((chat) => chat.pinned !== true);
    for (const id of ids) await chats.change(id, { type: 'pin-change', pinned });
    dialogs.showStatus(pinned ? vscode.l10n.t('Pinned.') : vscode.l10n.t('Unpinned.'));
  }

  /**
   * `aside.forkChat`: shows a new chat that begins with the past of this one.
   * @param turn the last turn to copy; all turns if absent
   */
  async fork(argument: unknown, turn: unknown): Promise<void> {
    const { chats, images } = this.#options;
    const { open } = chats;
    const [id = ''] = await this.#ids(argument);
    const past = await chats.read(id);
    const name = titleOf(past) || vscode.l10n.t('Untitled Chat');
    const title = vscode.l10n.t('{0} (fork)', name);
    const events = forkEvents(past, title, typeof turn === 'string' ? turn : undefined);
    if (events === undefined) throw messageIsGone();
    const from = open.ofConversation(id);
    // It can't be sent in a chat that is open in another window, so it goes along.
    const unsent = from?.access.isReadOnly === true ? from.composer : undefined;
    const used = [...imagesOfChat(past), ...imagesIn(unsent === undefined ? [] : [unsent])];
    const copy = await chats.create(events, (to) => images.copy(id, to, used));
    await open.show(copy);
    if (unsent === undefined) return;
    const { draft, attachments } = unsent;
    const composer = open.ofConversation(copy)?.composer;
    for (const attachment of attachments) composer?.attach(attachment);
    await composer?.setDraft(draft);
    unsent.clearAttachments();
    await unsent.setDraft('');
  }

  /** `aside.copyChat` */
  async copy(argument: unknown): Promise<void> {
    const { files, copy, dialogs } = this.#options;
    const texts: string[] = [];
    for (const id of await this.#ids(argument)) texts.push(await files.markdown(id));
    await copy(texts.join('\n'));
    dialogs.showInformation(vscode.l10n.t('Copied as Markdown.'));
  }

  /**
   * `aside.exportChat`
   *
   * @param target `{ format, to, reasoning? }`; the person is asked for missing values
   */
  async export(argument: unknown, target: unknown): Promise<void> {
    const ids = await this.#ids(argument);
    await this.#options.files.export(ids, exportTarget.safeParse(target).data);
  }

  /**
   * `aside.importChat`
   * @param argument the URIs of files; the person is asked if they are absent
   */
  async import(argument: unknown): Promise<void> {
    const selected = importedFiles.safeParse(argument).data;
    const uris = selected instanceof vscode.Uri ? [selected] : selected;
    await this.#showImported((imported) => this.#options.files.import(uris, imported));
  }

  /**
   * `aside.importChats`
   * @param argument the URI of a folder with chats; the person is asked if it is absent
   */
  async importAll(argument: unknown): Promise<void> {
    const folder = uri.safeParse(argument).data;
    await this.#showImported((imported) => this.#options.files.importFolder(folder, imported));
  }

  /** Shows the imported chat, if it is a single one. */
  async #showImported(run: (imported: (id: string) => void) => Promise<void>): Promise<void> {
    const { chats, dialogs } = this.#options;
    const ids: string[] = [];
    try {
      await run((id) => ids.push(id));
    } finally {
      const [only] = ids;
      const { length } = ids;
      if (length > 1) {
        const { language } = vscode.env;
        dialogs.showInformation(counted(vscode.l10n.t('Imported {0} chats.'), length, language));
      } else if (only !== undefined) await chats.open.show(only);
    }
  }

  /**
   * `aside.exportAllChats`
   *
   * @param folder the URI of a folder; the person is asked for one if undefined
   */
  async exportAll(folder: unknown): Promise<void> {
    await this.#options.files.exportAll(uri.safeParse(folder).data);
  }

  /** `aside.deleteChat` */
  async delete(argument: unknown): Promise<void> {
    await this.#options.deletion.delete(await this.#ids(argument));
  }

  /** @throws {UserError} if a chat is not there, or the open one is empty */
  async #ids(argument: unknown): Promise<readonly string[]> {
    const { chats } = this.#options;
    const { open } = chats;
    const named = chatIds.safeParse(argument).data;
    if (named !== undefined) {
      const ids = [...new Set(typeof named === 'string' ? [named] : named)];
      const saved = new Set(await chats.list());
      if (ids.some((id) => !saved.has(id) && open.find(id) === undefined)) throw chatIsGone();
      return ids;
    }
    const { focused } = open;
    await focused.allRead();
    if (isEmptyChat(focused.conversation))
      throw new UserError(vscode.l10n.t('This chat is empty.'));
    // A chat that continues in a copy still has the other window's id in its conversation.
    return [focused.id];
  }
}

import * as vscode from 'vscode';
import type { ChatText } from '../../core/history/chatText.ts';
import { wordsPattern } from '../../core/history/wordPatterns.ts';
import { reported } from '../../core/support/background.ts';
import { newId } from '../../core/support/id.ts';
import type { Dialogs } from '../platform/dialogs.ts';
import { UserError } from '../platform/errors.ts';
import { type AttachmentHolder, maxCharacters } from './attachmentResolver.ts';
import type { CompletionChoice } from './completionProvider.ts';
import { attachmentIcons } from './contextChips.ts';

/** A saved chat in a list: its title, and when and where it was written. */
export interface ListedChat {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
}

/** The saved chats, whose texts can be attached. */
export interface ChatTexts {
  /** Those of this workspace first, and the newest first. */
  list(): Promise<readonly ListedChat[]>;
  /** @throws {UserError} if the chat is no longer saved */
  text(id: string, mostCharacters: number): Promise<ChatText>;
}

/** Attaches copies of earlier chats: after `@chat`, and from the list of all. */
export class EarlierChats {
  readonly #texts: ChatTexts;
  readonly #holder: AttachmentHolder;
  readonly #current: () => string;
  readonly #dialogs: Pick<Dialogs, 'pick'>;
  #known: Promise<readonly ListedChat[]> | undefined;

  /** @param current the id of the chat of the message, which isn't an earlier one */
  constructor(
    texts: ChatTexts,
    holder: AttachmentHolder,
    current: () => string,
    dialogs: Pick<Dialogs, 'pick'>,
  ) {
    this.#texts = texts;
    this.#holder = holder;
    this.#current = current;
    this.#dialogs = dialogs;
  }

  /** Makes the next choices read the chats again. */
  renew(): void {
    this.#known = undefined;
  }

  /** The chats with these words in their titles. */
  async choices(words: string): Promise<readonly CompletionChoice[]> {
    const chats = (await reported((this.#known ??= this.#others()))) ?? [];
    const pattern = wordsPattern(words);
    const found = chats.filter(({ title }) => pattern?.test(title) !== false);
    return found.map(({ id, title, detail }) => ({
      item: { id: `chat ${id}`, label: title, detail, icon: attachmentIcons.chat },
      choose: () => this.#attach(id),
    }));
  }

  /** Lets the person choose one in a list. */
  async pick(): Promise<void> {
    const chats = await this.#others();
    if (chats.length === 0)
      throw new UserError(vscode.l10n.t('There are no other saved chats to attach.'));
    const items = chats.map(({ id, title, detail }) => ({
      label: title,
      description: detail,
      value: id,
    }));
    const chosen = await this.#dialogs.pick(items, vscode.l10n.t('Attach Chat'));
    if (chosen !== undefined) await this.#attach(chosen);
  }

  async #others(): Promise<readonly ListedChat[]> {
    const chats = await this.#texts.list();
    return chats.filter(({ id }) => id !== this.#current());
  }

  async #attach(chat: string): Promise<void> {
    const { title, text, isTainted } = await this.#texts.text(chat, maxCharacters);
    const name = vscode.l10n.t('Chat: {0}', title === '' ? vscode.l10n.t('Untitled Chat') : title);
    const fields = { id: newId(), name, path: name, language: 'markdown', text };
    this.#holder.attach({ ...fields, kind: 'chat', ...(isTainted ? { tainted: true } : {}) });
  }
}

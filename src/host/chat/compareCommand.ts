import * as vscode from 'vscode';
import { imagesIn, imagesOfChat } from '../../core/conversation/attachedImage.ts';
import { shortModelName } from '../../core/conversation/usage.ts';
import { forkEvents } from '../../core/history/chatImport.ts';
import { titleOf, titleOfMessage } from '../../core/history/chatTitle.ts';
import type { SendEstimate } from '../service/modelPicker.ts';
import { UserError } from '../platform/errors.ts';
import type { Chat } from './chat.ts';
import { prepareMessage, type ComposerWindow } from './composerHandlers.ts';
import type { OpenChats } from './openChats.ts';
import { replyRuns } from './storeMessages.ts';

export interface CompareOptions {
  /** The chat whose message is sent. */
  readonly chat: Chat;
  readonly chats: OpenChats;
  readonly tabs: { open(id: string, isBeside: boolean): Promise<void> };
  readonly expand: ComposerWindow['expand'];
  /**
   * Lets the person choose one or two further models; undefined if they cancel.
   *
   * @param estimate returns the cost of sending to the chat's model and to these
   */
  readonly pickFurther: (
    model: string,
    estimate: (further: readonly string[]) => SendEstimate,
  ) => Promise<readonly string[] | undefined>;
}

/**
 * `aside.compare`: sends the composer's message in its chat, and to each further model in a copy of
 * the chat, which opens in a tab beside it. The models of the copies get only tools that read, so
 * that they don't all make the same edits.
 */
export async function compareModels(options: CompareOptions): Promise<void> {
  const { chat, chats, tabs, expand, pickFurther } = options;
  const { composer } = chat;
  await chat.allRead();
  chat.access.requireWrite();
  const requireEnd = (): void => {
    if (chat.isBusy) throw replyRuns();
  };
  requireEnd();
  const { draft } = composer;
  if (draft.trim() === '') throw new UserError(vscode.l10n.t('Type a message first.'));
  const prepared = await prepareMessage(chat, draft, expand);
  if (prepared === undefined) {
    composer.acceptDraft(draft);
    return;
  }
  const { message, model } = prepared;
  const further = await pickFurther(model, (others) =>
    chat.panel.costs.ofModels(message, [model, ...others]),
  );
  if (further === undefined) return;
  await chat.checkMessage(message, [model, ...further]);
  // A message may have been sent while the list was open.
  requireEnd();
  const past = chat.conversation;
  const mode = chat.mode === 'chat' ? 'chat' : 'ask';
  composer.clearAttachments();
  composer.acceptDraft(draft);
  chat.post(message, model);
  const isInTab = chats.tabOf(chat) !== undefined;
  for (const [index, other] of further.entries()) {
    const copy = chats.create();
    const title = `${titleOf(past) || titleOfMessage(message)} (${shortModelName(other)})`;
    copy.show([
      ...(forkEvents(past, title) ?? []),
      { type: 'options-change', options: { ...past.options, mode } },
    ]);
    await copy.images.takeFrom(chat.id, [...imagesOfChat(past), ...imagesIn([message])]);
    await tabs.open(copy.id, isInTab || index > 0);
    copy.post(message, other);
  }
}

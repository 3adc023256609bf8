import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { UserMessage } from '../../core/conversation/conversation.ts';
import { background } from '../../core/support/background.ts';
import type { Composer } from '../attachments/composer.ts';
import type { ExpandedMessage } from '../code/slashCommands.ts';
import { comparedModels } from '../connection/comparedModelsPick.ts';
import { askResultOf, type AskResult } from './ask.ts';
import type { Chat } from './chat.ts';

/** The argument of `aside.compare`, validated because it comes from other code. */
const compareRequest = z.object({
  models: z
    .array(z.string().check(z.minLength(1)))
    .check(z.minLength(comparedModels.min), z.maxLength(comparedModels.max))
    .check(z.refine((models) => new Set(models).size === models.length)),
  prompt: z.string().check(z.refine((prompt) => prompt.trim() !== '')),
});

interface CompareCommandOptions {
  readonly showChat: () => Promise<Chat>;
  readonly draft: CompareDraftOptions;
  readonly reveal: (preserveFocus: boolean) => Promise<void>;
}

/**
 * `aside.compare`: sends a message of other code to several models, and resolves with their turns
 * when all have ended. Without an argument, sends the composer's message.
 */
export async function compareModels(
  { showChat, draft, reveal }: CompareCommandOptions,
  request: unknown,
): Promise<readonly AskResult[] | undefined> {
  if (request !== undefined) return compareFromCommand(showChat, request);
  if (await compareDraft(draft)) await reveal(false);
  return undefined;
}

async function compareFromCommand(
  showChat: CompareCommandOptions['showChat'],
  request: unknown,
): Promise<readonly AskResult[]> {
  const { data } = compareRequest.safeParse(request);
  if (data === undefined) {
    throw new TypeError(
      vscode.l10n.t(
        'aside.compare needs models (two or three different ids) and prompt (a non-empty string).',
      ),
    );
  }
  const chat = await showChat();
  const turns = await chat.compare({ text: data.prompt, attachments: [] }, data.models);
  return turns.map(askResultOf);
}

export interface CompareDraftOptions {
  readonly chat: Chat;
  readonly composer: Composer;
  /** Expands a slash command; undefined if there is nothing to send. */
  readonly expand: (message: UserMessage) => Promise<ExpandedMessage | undefined>;
  /** Two or three models; undefined if the person cancels. */
  readonly pickModels: (message: UserMessage) => Promise<readonly string[] | undefined>;
  readonly requireModel: () => Promise<string>;
}

/**
 * Sends the composer's message, or asks for one if the composer is empty. Resolves with true if a
 * message was sent.
 */
async function compareDraft(options: CompareDraftOptions): Promise<boolean> {
  const { chat, composer, expand, pickModels, requireModel } = options;
  await requireModel();
  await chat.restored();
  await composer.attached();
  const { draft } = composer;
  const text = draft.trim() === '' ? await askForMessage() : draft;
  if (text === undefined || text.trim() === '') return false;
  const typed = { text, attachments: composer.attachments };
  // The person chooses the models, even if a prompt file specifies one.
  const message = text.startsWith('/') ? (await expand(typed))?.message : typed;
  const models = message && (await pickModels(message));
  if (message === undefined || models === undefined) return false;
  await chat.checkMessage(message, models);
  chat.access.requireWrite();
  composer.clearAttachments();
  composer.acceptDraft(text);
  // The turns show their errors.
  background(chat.compare(message, models));
  return true;
}

function askForMessage(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Compare Models'),
    placeHolder: vscode.l10n.t('What do you want to know?'),
    ignoreFocusOut: true,
  });
}

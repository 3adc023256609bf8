import * as vscode from 'vscode';
import { WordsReply } from '../../core/code/codeExtractor.ts';
import type { UserMessage } from '../../core/conversation/conversation.ts';
import { newId } from '../../core/support/id.ts';
import { oneLine } from '../../core/support/text.ts';
import { escapeNotification } from '../dialogs.ts';
import type { EditPlace } from '../review/answerCode.ts';
import { attachmentOf } from '../workspace/selection.ts';

/** Shows the panel and sends a message there. */
export type AskInChat = (message: UserMessage) => Promise<void>;

/** A message about some lines, with their code. */
export function messageAbout(place: EditPlace, text: string): UserMessage {
  const { document, start, end } = place;
  const lines =
    end > start
      ? new vscode.Range(new vscode.Position(start, 0), document.lineAt(end - 1).range.end)
      : undefined;
  const code = attachmentOf(document, lines, newId());
  return { text, attachments: code === undefined ? [] : [code] };
}

/** Characters of the words that a notification shows. */
const maxShown = 300;

/**
 * Does the work of a command whose reply is to be code. If the reply is words instead, shows them,
 * and offers to send the command's message in the chat.
 * @param message what "Ask in Chat" sends; read only when the person chooses it
 * @throws what `work` rejects with, but for a {@link WordsReply}
 */
export async function showWordsReply(
  work: () => Promise<void>,
  message: () => UserMessage,
  ask: AskInChat,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof WordsReply)) throw error;
    // Not awaited: the command is over while the person reads.
    void offerChat(error, message, ask);
  }
}

async function offerChat(
  { words }: WordsReply,
  message: () => UserMessage,
  ask: AskInChat,
): Promise<void> {
  const button = vscode.l10n.t('Ask in Chat');
  const shown = escapeNotification(wordsOf(words));
  if ((await vscode.window.showInformationMessage(shown, button)) !== button) return;
  try {
    await ask(message());
  } catch (error) {
    // The chat shows errors of the reply itself; what is left is that nothing could be sent.
    const reason = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(escapeNotification(oneLine(reason)));
  }
}

function wordsOf(words: string): string {
  return words.trim() === ''
    ? vscode.l10n.t('The reply is empty. Nothing was changed.')
    : vscode.l10n.t('The reply has no code. Nothing was changed. {0}', oneLine(words, maxShown));
}

import * as vscode from 'vscode';
import { WordsReply } from '../../core/code/codeExtractor.ts';
import type { UserMessage } from '../../core/conversation/conversation.ts';
import { background } from '../../core/support/background.ts';
import { newId } from '../../core/support/id.ts';
import { fencedCode, oneLine } from '../../core/support/text.ts';
import type { EditPlace, ProduceText } from '../review/answerCode.ts';
import { fileChangedError } from '../workspace/editorActions.ts';
import { labelFor } from '../workspace/location.ts';
import { attachmentOf } from '../workspace/selection.ts';
import { notify } from '../dialogs.ts';

export type AskInChat = (message: UserMessage) => Promise<void>;

/** A message about some lines, with their code. */
export function messageAbout(target: EditPlace, text: string): UserMessage {
  const { document, start, end } = target;
  const lines =
    end > start
      ? new vscode.Range(new vscode.Position(start, 0), document.lineAt(end - 1).range.end)
      : undefined;
  const code = attachmentOf(document, lines, newId());
  return { text, attachments: code === undefined ? [] : [code] };
}

interface CodeRequest {
  readonly produce: ProduceText;
  /** Opens the review of a reply; rejects with a {@link WordsReply} if it has no code. */
  readonly review: (produce: ProduceText) => Promise<void>;
  /** The document to review. Words are used as code only while its text is unchanged. */
  readonly document: vscode.TextDocument;
  /** The message that "Ask in Chat" sends; read only when the person chooses it. */
  readonly message: () => UserMessage;
  readonly ask: AskInChat;
}

/** Characters of the words that a notification shows. */
const maxShown = 300;

/**
 * Reviews the reply to a command. If it has no code, shows its words, and offers to review them as
 * the code, or to send the command's message in the chat.
 * @throws errors of `review`, except a {@link WordsReply}
 */
export async function showWordsReply(request: CodeRequest): Promise<void> {
  const before = request.document.getText();
  try {
    await request.review(request.produce);
  } catch (error) {
    if (!(error instanceof WordsReply)) throw error;
    // Not awaited, so that the command ends while the person reads.
    background(offerActions(error, request, before));
  }
}

async function offerActions(
  { words, code }: WordsReply,
  request: CodeRequest,
  before: string,
): Promise<void> {
  const use = vscode.l10n.t('Use as Code');
  const ask = vscode.l10n.t('Ask in Chat');
  const message = textOf(words, code !== undefined);
  const buttons = code === undefined ? [ask] : [use, ask];
  const chosen = await notify('information', message, ...buttons);
  try {
    if (chosen === use && code !== undefined) await useAsCode(code, request, before);
    else if (chosen === ask) await request.ask(request.message());
  } catch (error) {
    // The chat shows errors of the reply itself. Other errors are about sending or reviewing.
    const reason = error instanceof Error ? error.message : String(error);
    background(notify('error', oneLine(reason)));
  }
}

async function useAsCode(
  code: string,
  { review, document }: CodeRequest,
  before: string,
): Promise<void> {
  // The lines may have changed while the person was reading.
  if (document.getText() !== before) throw fileChangedError(labelFor(document.uri));
  await review((onText) => {
    onText(fencedCode(code));
    return Promise.resolve();
  });
}

function textOf(words: string, mayBeCode: boolean): string {
  if (words.trim() === '') return vscode.l10n.t('The reply is empty. Nothing was changed.');
  const excerpt = oneLine(words, maxShown);
  return mayBeCode
    ? vscode.l10n.t("The reply isn't in a code block. Nothing was changed. {0}", excerpt)
    : vscode.l10n.t('The reply has no code. Nothing was changed. {0}', excerpt);
}

import * as vscode from 'vscode';
import { codeCommands, type CodeCommandName } from '../../core/code/codeCommands.ts';
import type { Attachment, UserMessage } from '../../core/conversation/conversation.ts';
import { newId } from '../../core/support/id.ts';
import { activeCode, codeAround, codeAtCursor, type CodePlace } from '../workspace/selection.ts';
import {
  isCodeCommandArgument,
  diagnosticText,
  type CodeCommandArgument,
} from './commandTarget.ts';
import type { MaySend } from './textGenerator.ts';
import { windowDialogs } from '../dialogs.ts';
import type { AskInChat } from './wordsReply.ts';

export interface ChatCommandsOptions {
  readonly maySend: MaySend;
  readonly ask: AskInChat;
}

/** The code commands whose result is a reply in the chat. */
export class ChatCommands {
  readonly #options: ChatCommandsOptions;

  constructor(options: ChatCommandsOptions) {
    this.#options = options;
  }

  /**
   * Sends the command's instruction with the code and diagnostics of its argument, or with the
   * selection, the symbol at the cursor, or the file.
   */
  async run(name: CodeCommandName, argument: unknown): Promise<void> {
    const editor = activeCode(argument);
    const uri = isCodeCommandArgument(argument) ? argument.uri : editor?.document.uri;
    const message = isCodeCommandArgument(argument)
      ? await messageAbout(name, argument)
      : editor && (await messageAtCursor(name, editor));
    const [code] = message?.attachments ?? [];
    if (uri === undefined || message === undefined || code === undefined) {
      showNothingSelected();
      return;
    }
    await this.askAbout(message, uri);
  }

  /** Sends a message about this file once the person has allowed sending its first attachment. */
  async askAbout(message: UserMessage, uri: vscode.Uri | undefined): Promise<void> {
    const [code] = message.attachments;
    const mayAsk = uri === undefined || code === undefined;
    const { ask, maySend } = this.#options;
    if (mayAsk || (await maySend(uri, code.text))) await ask(message);
  }
}

async function messageAtCursor(name: CodeCommandName, editor: CodePlace): Promise<UserMessage> {
  const code = await codeAtCursor(editor, newId());
  const text = codeCommands[name].instruction(vscode.l10n);
  return { text, attachments: code === undefined ? [] : [code] };
}

async function messageAbout(
  name: CodeCommandName,
  { uri, range, diagnostics = [] }: CodeCommandArgument,
): Promise<UserMessage> {
  const { instruction, problemInstruction = instruction } = codeCommands[name];
  const document = await vscode.workspace.openTextDocument(uri);
  const code = await codeAround(document, range, newId());
  const hasProblems = diagnostics.length > 0;
  const text = (hasProblems ? problemInstruction : instruction)(vscode.l10n);
  const problems = hasProblems ? [problemsAttachment(diagnostics)] : [];
  return { text, attachments: [...(code === undefined ? [] : [code]), ...problems] };
}

/**
 * Diagnostics are untrusted data, like the code itself: they are attached, not part of the prompt.
 */
function problemsAttachment(diagnostics: readonly vscode.Diagnostic[]): Attachment {
  const name = vscode.l10n.t('Problems');
  const text = diagnostics.map(diagnosticText).join('\n');
  return { id: newId(), name, path: name, language: 'plaintext', text };
}

function showNothingSelected(): void {
  windowDialogs.showInformation(vscode.l10n.t('Open a file and select some code first.'));
}

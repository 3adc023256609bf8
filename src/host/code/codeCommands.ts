import * as vscode from 'vscode';
import type { Attachment, UserMessage } from '../../core/conversation/conversation.ts';
import { newId } from '../../core/support/id.ts';
import { codeAround, codeAtCursor } from '../workspace/selection.ts';
import {
  isCodeCommandArgument,
  diagnosticText,
  type CodeCommandArgument,
} from './commandTarget.ts';
import type { MaySend } from './textGenerator.ts';

export interface CodeCommandsOptions {
  readonly chat: { readonly send: (message: UserMessage, model: string) => Promise<unknown> };
  readonly maySend: MaySend;
  readonly requireModel: () => Promise<string>;
  readonly reveal: (preserveFocus: boolean) => Promise<void>;
}

/** The commands on selected code whose result goes into the panel. */
export class CodeCommands {
  readonly #options: CodeCommandsOptions;

  constructor(options: CodeCommandsOptions) {
    this.#options = options;
  }

  /**
   * `aside.explain`: asks about the selection, the symbol at the cursor, or the file; or about the
   * problem that it was given.
   */
  async explain(given: unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const uri = isCodeCommandArgument(given) ? given.uri : editor?.document.uri;
    const message = isCodeCommandArgument(given)
      ? await this.#messageAbout(given)
      : editor && (await this.#messageAtCursor(editor));
    const [code] = message?.attachments ?? [];
    if (uri === undefined || message === undefined || code === undefined) {
      showNothingSelected();
      return;
    }
    if (await this.#options.maySend(uri, code.text)) await this.ask(message);
  }

  /** Shows the panel and asks there. */
  async ask(message: UserMessage): Promise<void> {
    const { chat, requireModel, reveal } = this.#options;
    const model = await requireModel();
    await reveal(true);
    await chat.send(message, model);
  }

  async #messageAtCursor(editor: vscode.TextEditor): Promise<UserMessage> {
    const code = await codeAtCursor(editor, newId());
    const text = vscode.l10n.t('Explain this code.');
    return { text, attachments: code === undefined ? [] : [code] };
  }

  async #messageAbout({ uri, range, diagnostics = [] }: CodeCommandArgument): Promise<UserMessage> {
    const document = await vscode.workspace.openTextDocument(uri);
    const code = await codeAround(document, range, newId());
    const text =
      diagnostics.length === 0
        ? vscode.l10n.t('Explain this code.')
        : vscode.l10n.t('Explain this problem and how to fix it.');
    const problems = diagnostics.length === 0 ? [] : [problemsAttachment(diagnostics)];
    return { text, attachments: [...(code === undefined ? [] : [code]), ...problems] };
  }
}

/** What a language says of code is data, as the code itself is. */
function problemsAttachment(diagnostics: readonly vscode.Diagnostic[]): Attachment {
  const name = vscode.l10n.t('Problems');
  const text = diagnostics.map(diagnosticText).join('\n');
  return { id: newId(), name, path: name, language: 'plaintext', text };
}

function showNothingSelected(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t('Open a file and select some code first.'),
  );
}

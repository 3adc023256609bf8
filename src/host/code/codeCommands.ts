import * as vscode from 'vscode';
import type { Chat } from '../chat/chat.ts';
import { codeAtCursor } from './selection.ts';

export interface CodeCommandsOptions {
  readonly chat: Chat;
  /** Whether the text of a file may be sent: asks where it may hold secrets. */
  readonly maySend: (uri: vscode.Uri, text: string) => Promise<boolean>;
  readonly newId: () => string;
  readonly requireModel: () => Promise<string>;
  readonly reveal: (preserveFocus: boolean) => Promise<void>;
}

/** The commands on selected code whose result goes into the panel. */
export class CodeCommands {
  readonly #options: CodeCommandsOptions;

  constructor(options: CodeCommandsOptions) {
    this.#options = options;
  }

  /** `aside.explain`: asks about the selection, the symbol at the cursor, or the file. */
  async explain(): Promise<void> {
    const { chat, newId, maySend, requireModel, reveal } = this.#options;
    const editor = vscode.window.activeTextEditor;
    const code = editor === undefined ? undefined : await codeAtCursor(editor, newId());
    if (editor === undefined || code === undefined) {
      tellNothingThere();
      return;
    }
    if (!(await maySend(editor.document.uri, code.text))) return;
    const model = await requireModel();
    await reveal(true);
    const text = vscode.l10n.t('Explain this code.');
    await chat.ask({ text, attachments: [code] }, model);
  }
}

function tellNothingThere(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t('Open a file and select some code first.'),
  );
}

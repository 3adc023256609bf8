import * as vscode from 'vscode';
import type { Attachment } from '../../core/conversation/conversation.ts';
import type { Chat } from '../chat/chat.ts';
import type { Composer } from '../chat/composer.ts';
import { attachmentOf, codeAtCursor, selectionOrFile } from './selection.ts';

export interface CodeCommandsOptions {
  readonly chat: Chat;
  readonly composer: Composer;
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
    const { chat, newId, requireModel, reveal } = this.#options;
    const editor = vscode.window.activeTextEditor;
    const code = editor === undefined ? undefined : await codeAtCursor(editor, newId());
    if (code === undefined) {
      tellNothingThere();
      return;
    }
    const model = await requireModel();
    await reveal(true);
    const text = vscode.l10n.t('Explain this code.');
    await chat.ask({ text, attachments: [code] }, model);
  }

  /**
   * `aside.addToChat`: attaches the selection or the file; from the explorer, the files that were
   * chosen there.
   */
  async addToChat(clicked: unknown, chosen: unknown): Promise<void> {
    const { composer, reveal } = this.#options;
    const files = [chosen, clicked].flat().filter((given) => given instanceof vscode.Uri);
    const attachments = await this.#attachments(files);
    if (attachments.length === 0) {
      tellNothingThere();
      return;
    }
    for (const attachment of attachments) composer.attach(attachment);
    await reveal(false);
  }

  async #attachments(files: readonly vscode.Uri[]): Promise<Attachment[]> {
    const { newId } = this.#options;
    const editor = vscode.window.activeTextEditor;
    const addresses = new Set(files.map((file) => file.toString()));
    const inEditor = addresses.size === 0 || addresses.has(editor?.document.uri.toString() ?? '');
    if (editor !== undefined && inEditor && addresses.size <= 1) {
      return [selectionOrFile(editor, newId())].filter((found) => found !== undefined);
    }
    const documents = await Promise.all(
      [...addresses].map((address) => vscode.workspace.openTextDocument(vscode.Uri.parse(address))),
    );
    return documents.flatMap((document) => attachmentOf(document, undefined, newId()) ?? []);
  }
}

function tellNothingThere(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t('Open a file and select some code first.'),
  );
}

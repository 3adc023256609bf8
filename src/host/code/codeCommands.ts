import * as vscode from 'vscode';
import type { Attachment, Question } from '../../core/conversation/conversation.ts';
import type { Chat } from '../chat/chat.ts';
import type { Composer } from '../chat/composer.ts';
import { isCodeCommandArgument, type CodeCommandArgument } from './commandArgument.ts';
import { diagnosticText } from './diagnosticText.ts';
import { attachmentOf, codeAround, codeAtCursor, selectionOrFile } from './selection.ts';

export interface CodeCommandsOptions {
  readonly chat: Pick<Chat, 'ask'>;
  readonly composer: Pick<Composer, 'attach'>;
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

  /**
   * `aside.explain`: asks about the selection, the symbol at the cursor, or the file; or about the
   * problem that it was given.
   */
  async explain(given: unknown): Promise<void> {
    if (isCodeCommandArgument(given)) {
      await this.ask(await this.#questionAbout(given));
      return;
    }
    const editor = vscode.window.activeTextEditor;
    const code =
      editor === undefined ? undefined : await codeAtCursor(editor, this.#options.newId());
    if (code === undefined) {
      tellNothingThere();
      return;
    }
    await this.ask({ text: vscode.l10n.t('Explain this code.'), attachments: [code] });
  }

  /** Shows the panel and asks there. */
  async ask(question: Question): Promise<void> {
    const { chat, requireModel, reveal } = this.#options;
    const model = await requireModel();
    await reveal(true);
    await chat.ask(question, model);
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

  async #questionAbout({ uri, range, diagnostics = [] }: CodeCommandArgument): Promise<Question> {
    const { newId } = this.#options;
    const document = await vscode.workspace.openTextDocument(uri);
    const code = await codeAround(document, range, newId());
    const text =
      diagnostics.length === 0
        ? vscode.l10n.t('Explain this code.')
        : vscode.l10n.t('Explain this problem, and how to solve it.');
    const problems = diagnostics.length === 0 ? [] : [problemsAttachment(newId(), diagnostics)];
    return { text, attachments: [...(code === undefined ? [] : [code]), ...problems] };
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

/** What a language says of code is data, as the code itself is. */
function problemsAttachment(id: string, diagnostics: readonly vscode.Diagnostic[]): Attachment {
  const name = vscode.l10n.t('Problems');
  const text = diagnostics.map(diagnosticText).join('\n');
  return { id, name, path: name, language: 'plaintext', text };
}

function tellNothingThere(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t('Open a file and select some code first.'),
  );
}

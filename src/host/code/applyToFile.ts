import * as vscode from 'vscode';
import { applyMessages } from '../../core/code/codePrompt.ts';
import { normalizeReplyCode, placeCode, type PlacedCode } from '../../core/code/placeCode.ts';
import { formatTokens } from '../../core/conversation/usage.ts';
import type { WireMessage } from '../../core/service/wire.ts';
import { fencedCode } from '../../core/support/text.ts';
import { UserError } from '../errors.ts';
import type { ProduceText } from '../review/answerCode.ts';
import type { PassGate } from '../review/fileReview.ts';
import type { FileReviews } from '../review/fileReviews.ts';
import { withSecretsOf } from '../workspace/editorActions.ts';
import { labelFor } from '../workspace/location.ts';
import { fileOf, showDocument } from '../workspace/notebookCells.ts';
import { isNotebook } from '../workspace/notebooks.ts';
import { activeCode } from '../workspace/selection.ts';
import type { FindFile } from '../workspace/workspaceFile.ts';
import { insertAtCursor, openReplyAsFile, type ReplyCode } from './replyFiles.ts';
import { requireComplete, type MaySend, type TextGenerator } from './textGenerator.ts';
import { messageAbout, showWordsReply, type AskInChat } from './wordsReply.ts';

export interface ApplyToFileOptions {
  readonly reviews: Pick<FileReviews, 'propose' | 'stream'>;
  readonly gate: PassGate;
  readonly generator: TextGenerator;
  readonly find: FindFile;
  readonly requireModel: () => Promise<string>;
  readonly maySend: MaySend;
  readonly instructions: () => string;
  /** Estimates the tokens of a number of characters for the selected model. */
  readonly tokensOf: (characters: number) => number;
  readonly askInChat: AskInChat;
}

/**
 * "Apply to File": proposes code of a reply as a change to review, in the file specified by the
 * reply or in the active editor. The location is found by matching; if that is ambiguous, the
 * person can let a model locate the code, and sees the cost first.
 *
 * @throws {UserError}
 */
export async function applyToFile(code: ReplyCode, options: ApplyToFileOptions): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    throw new UserError(vscode.l10n.t('Trust this workspace to apply code from a reply.'));
  }
  const document = await documentFor(code, options.find);
  if (document === undefined) return openReplyAsFile(code, options);
  const text = withSecretsOf(document.getText(), code.text);
  await new ApplySession({ ...code, text }, document, options).run();
}

/** Undefined if the reply names a file that does not exist. */
async function documentFor(
  { path }: ReplyCode,
  find: FindFile,
): Promise<vscode.TextDocument | undefined> {
  if (path !== undefined) {
    const { uri, label, isThere } = await find(path);
    if (!isThere) return undefined;
    return isNotebook(uri) ? cellFor(uri, label) : vscode.workspace.openTextDocument(uri);
  }
  const editor = activeCode() ?? vscode.window.visibleTextEditors[0];
  if (editor !== undefined) return editor.document;
  throw new UserError(
    vscode.l10n.t(
      "The reply doesn't say which file this code is for. Open the file, then apply again.",
    ),
  );
}

/** A reply names the notebook, and the person the cell. */
function cellFor(notebook: vscode.Uri, label: string): vscode.TextDocument {
  const { document } = activeCode() ?? {};
  if (document !== undefined && fileOf(document.uri).toString() === notebook.toString())
    return document;
  throw new UserError(vscode.l10n.t('Select the cell of {0} to change, then apply again.', label));
}

class ApplySession {
  readonly #document: vscode.TextDocument;
  readonly #options: ApplyToFileOptions;
  readonly #code: string;
  constructor(
    { text, path }: ReplyCode,
    document: vscode.TextDocument,
    options: ApplyToFileOptions,
  ) {
    this.#document = document;
    this.#options = options;
    this.#code = normalizeReplyCode(text, path, document.getText());
  }

  async run(): Promise<void> {
    const location = this.#locateCode();
    if (location === undefined) return this.#chooseAction();
    const { start, end } = location;
    const code = location.lines.join('\n');
    if (this.#text.split('\n').slice(start, end).join('\n') === code) {
      throw new UserError(vscode.l10n.t('This code is already in {0}.', this.#label));
    }
    await this.#options.reviews.propose({ document: this.#document, start, end }, code);
  }

  /** Text with LF line endings. Read each time, since the person may edit while a dialog is open. */
  get #text(): string {
    return this.#document.getText().replaceAll('\r\n', '\n');
  }

  /** Excludes the empty line after the final line break, which isn't replaced. */
  get #lineCount(): number {
    const { lineCount } = this.#document;
    return this.#text.endsWith('\n') ? lineCount - 1 : lineCount;
  }

  get #label(): string {
    return labelFor(this.#document.uri);
  }

  #locateCode(): PlacedCode | undefined {
    const lines = this.#code.split('\n');
    if (this.#text.trim() === '') return { start: 0, end: this.#lineCount, lines };
    return placeCode(this.#text, this.#code);
  }

  /** Lets the person choose what to do if the location of the code is ambiguous. */
  async #chooseAction(): Promise<void> {
    const ask = vscode.l10n.t('Let Model Choose Location ({0} tokens)', this.#cost());
    const insert = vscode.l10n.t('Insert at Cursor');
    const copy = vscode.l10n.t('Copy Code');
    const chosen = await vscode.window.showQuickPick([ask, insert, copy], {
      title: vscode.l10n.t('Apply to {0}', this.#label),
      placeHolder: vscode.l10n.t("Can't tell where this code belongs in the file."),
    });
    if (chosen === ask) await this.#askModel();
    else if (chosen === insert) await this.#insert();
    else if (chosen === copy) await vscode.env.clipboard.writeText(this.#code);
  }

  #messages(): WireMessage[] {
    const { languageId: language } = this.#document;
    const file = { path: this.#label, language, text: this.#text, code: this.#code };
    return applyMessages(file, this.#options.instructions());
  }

  /** The estimated tokens of the request and of the file in the reply. */
  #cost(): string {
    const sent = this.#messages().reduce((sum, { content }) => sum + (content ?? '').length, 0);
    const characters = sent + this.#text.length + this.#code.length;
    return formatTokens(this.#options.tokensOf(characters), true);
  }

  async #askModel(): Promise<void> {
    const { reviews, generator, maySend, requireModel, askInChat } = this.#options;
    const model = await requireModel();
    if (!(await maySend(this.#document.uri, this.#text))) return;
    // The document's indentation is known only while it is in an editor.
    await showDocument(this.#document);
    const messages = this.#messages();
    const target = { document: this.#document, start: 0, end: this.#lineCount };
    const about = [this.#document.uri];
    // An incomplete reply would delete the end of the file.
    const produce: ProduceText = async (onText, signal) => {
      requireComplete(await generator.generate({ messages, model, about, signal, onText }));
    };
    const request = vscode.l10n.t('Where does this code belong in {0}?', this.#label);
    const question = `${request}\n\n${fencedCode(this.#code, this.#document.languageId)}`;
    await showWordsReply({
      produce,
      review: (text) => reviews.stream(target, text),
      document: this.#document,
      message: () => messageAbout(target, question),
      ask: askInChat,
    });
  }

  async #insert(): Promise<void> {
    await showDocument(this.#document);
    await insertAtCursor(this.#code, this.#options.gate);
  }
}

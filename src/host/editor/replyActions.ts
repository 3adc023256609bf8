import * as vscode from 'vscode';
import { applyMessages } from '../../core/code/codePrompt.ts';
import { normalizeReplyCode, placeCode } from '../../core/code/placeCode.ts';
import { formatTokens } from '../../core/conversation/usage.ts';
import { applySplices } from '../../core/edits/lineDiff.ts';
import type { Disposable } from '../../core/support/event.ts';
import { fencedCode } from '../../core/support/text.ts';
import { UserError } from '../platform/errors.ts';
import type { FileReviews } from '../review/fileReviews.ts';
import { unnamedDocument, type PassGate } from '../review/review.ts';
import { runInTerminal, type PromptTerminals } from '../tools/promptTerminals.ts';
import { openNewFile, withSecretsOf } from '../platform/editorActions.ts';
import { labelFor, fileOf, showDocument } from '../platform/location.ts';
import { isNotebook } from '../platform/notebooks.ts';
import type { ReadOnlyDocuments } from '../platform/readOnlyDocuments.ts';
import { activeCode } from '../platform/selection.ts';
import type { FindFile } from '../platform/files.ts';
import { messageAbout } from './commandTarget.ts';
import type { CommandRequests } from './textGenerator.ts';

/** Code of a reply, and the file it belongs to if the reply names one. */
export interface ReplyCode {
  readonly text: string;
  readonly language: string;
  readonly path?: string | undefined;
}

/** The actions of a code block in a reply, besides copying. All report errors as `UserError`. */
export class ReplyActions implements Disposable {
  readonly #reviews: FileReviews;
  readonly #requests: CommandRequests;
  readonly #gate: PassGate;
  readonly #find: FindFile;
  readonly #tokensOf: (characters: number) => number;
  readonly #terminals: PromptTerminals;
  readonly #texts: ReadOnlyDocuments;

  /**
   * @param find finds the file that a reply names
   * @param tokensOf estimates the tokens of a number of characters for the selected model
   */
  constructor(
    reviews: FileReviews,
    requests: CommandRequests,
    gate: PassGate,
    find: FindFile,
    tokensOf: (characters: number) => number,
    terminals: PromptTerminals,
    texts: ReadOnlyDocuments,
  ) {
    this.#reviews = reviews;
    this.#requests = requests;
    this.#gate = gate;
    this.#find = find;
    this.#tokensOf = tokensOf;
    this.#terminals = terminals;
    this.#texts = texts;
  }

  /** Opens the file that a reply names at a 1-based line. */
  async open(path: string, line: number | undefined): Promise<void> {
    const { uri, label, isThere } = await this.#find(path);
    if (!isThere) {
      throw new UserError(
        vscode.l10n.t("{0} doesn't exist yet. Use “New File” to create it.", label),
      );
    }
    const selection = new vscode.Range((line ?? 1) - 1, 0, (line ?? 1) - 1, 0);
    await vscode.commands.executeCommand('vscode.open', uri, line && { selection });
  }

  /**
   * "Apply to File": proposes code as a change to review, in the file specified by the reply or in
   * the active editor. The location is found by matching; if that is ambiguous, the person can let a
   * model locate the code, and sees the cost first.
   */
  async apply(code: ReplyCode): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      throw new UserError(vscode.l10n.t('Trust this workspace to apply code from a reply.'));
    }
    const document = await this.#documentFor(code.path);
    if (document === undefined) return this.newFile(code);
    const written = withSecretsOf(document.getText(), code.text);
    const content = normalizeReplyCode(written, code.path, document.getText());
    const text = textOf(document);
    const lines = content.split('\n');
    const location =
      text.trim() === '' ? { start: 0, end: lineCount(document), lines } : placeCode(text, content);
    if (location === undefined) return this.#chooseAction(document, content);
    const { start, end } = location;
    const placed = location.lines.join('\n');
    if (text.split('\n').slice(start, end).join('\n') === placed) {
      const label = labelFor(document.uri);
      throw new UserError(vscode.l10n.t('This code is already in {0}.', label));
    }
    await this.#reviews.propose({ document, start, end }, placed);
  }

  /** Undefined if the reply names a file that does not exist. */
  async #documentFor(path: string | undefined): Promise<vscode.TextDocument | undefined> {
    const active = activeCode();
    if (path !== undefined) {
      const { uri, label, isThere } = await this.#find(path);
      if (!isThere) return undefined;
      if (!isNotebook(uri)) return vscode.workspace.openTextDocument(uri);
      // A reply names the notebook, and the person the cell.
      const cell = active?.document;
      if (cell !== undefined && fileOf(cell.uri).toString() === uri.toString()) return cell;
      throw new UserError(
        vscode.l10n.t('Select the cell of {0} to change, then apply again.', label),
      );
    }
    const editor = active ?? vscode.window.visibleTextEditors[0];
    if (editor !== undefined) return editor.document;
    throw new UserError(
      vscode.l10n.t(
        "The reply doesn't say which file this code is for. Open the file, then apply again.",
      ),
    );
  }

  /** Lets the person choose what to do if the location of the code is ambiguous. */
  async #chooseAction(document: vscode.TextDocument, code: string): Promise<void> {
    const label = labelFor(document.uri);
    const { languageId: language } = document;
    const text = textOf(document);
    const file = { path: label, language, text, code };
    const messages = applyMessages(file, this.#requests.instructions);
    // The reply repeats the file with the code.
    const sent = messages.reduce((sum, { content }) => sum + (content ?? '').length, 0);
    const tokens = this.#tokensOf(sent + text.length + code.length);
    const ask = vscode.l10n.t('Let Model Choose Location ({0} tokens)', formatTokens(tokens, true));
    const insert = vscode.l10n.t('Insert at Cursor');
    const copy = vscode.l10n.t('Copy Code');
    const chosen = await vscode.window.showQuickPick([ask, insert, copy], {
      title: vscode.l10n.t('Apply to {0}', label),
      placeHolder: vscode.l10n.t("Can't tell where this code belongs in the file."),
    });
    if (chosen === copy) await vscode.env.clipboard.writeText(code);
    if (chosen === insert) {
      await showDocument(document);
      await this.insert(code);
    }
    if (chosen !== ask) return;
    const model = await this.#requests.model();
    // The person may have edited the file meanwhile.
    const current = applyMessages({ ...file, text: textOf(document) }, this.#requests.instructions);
    const produce = await this.#requests.prepare({
      messages: current,
      model,
      about: [document.uri],
    });
    if (produce === undefined) return;
    // The document's indentation is known only while it is in an editor.
    await showDocument(document);
    const target = { document, start: 0, end: lineCount(document) };
    const request = vscode.l10n.t('Where does this code belong in {0}?', label);
    const question = `${request}\n\n${fencedCode(code, language)}`;
    await this.#reviews.stream(target, produce, () => messageAbout(target, question));
  }

  /** Opens code as a new unsaved file, with the name that the reply gives unless that file exists. */
  async newFile({ path, text, language }: ReplyCode): Promise<void> {
    // An untrusted workspace isn't accessed.
    const named =
      path !== undefined && vscode.workspace.isTrusted
        ? await this.#find(path).catch((error: unknown) => {
            // The path leads nowhere in the workspace.
            if (error instanceof UserError) return undefined;
            throw error;
          })
        : undefined;
    const isNew = named?.isThere === false;
    const uri = isNew ? named.uri.with({ scheme: 'untitled' }) : unnamedDocument;
    const content = withSecretsOf('', text);
    const edit = { uri, before: '', after: content, isCurrent: () => true };
    await this.#gate(edit, async () => {
      if (!isNew) return openNewFile(content, language);
      const document = await vscode.workspace.openTextDocument(uri);
      const editor = await vscode.window.showTextDocument(document);
      if (document.getText() !== '') {
        throw new UserError(vscode.l10n.t('A new file {0} is already open.', named.label));
      }
      await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), content));
    });
  }

  /** Replaces the selection of the active editor, or of a visible one, with code. */
  async insert(text: string): Promise<void> {
    const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
    if (editor === undefined) {
      throw new UserError(vscode.l10n.t('No editor is open. Open a file, then insert again.'));
    }
    const { document, selections } = editor;
    const before = document.getText();
    const code = withSecretsOf(before, text);
    const splices = selections.map(({ start, end }) => ({
      start: document.offsetAt(start),
      end: document.offsetAt(end),
      text: code,
    }));
    const isCurrent = (): boolean => document.getText() === before;
    const edit = { uri: document.uri, before, after: applySplices(before, splices), isCurrent };
    await this.#gate(edit, async () => {
      const isDone = await editor.edit((builder) => {
        for (const selection of selections) builder.replace(selection, code);
      });
      if (!isDone) throw new UserError(vscode.l10n.t("This file can't be changed."));
    });
    await showDocument(document, editor.viewColumn && { viewColumn: editor.viewColumn });
  }

  /** Inserts a command into a terminal, and never runs it. */
  runInTerminal(text: string): Promise<void> {
    return runInTerminal(text, this.#terminals);
  }

  /**
   * Shows a diagram in the Markdown preview, as a read-only document. Refuses one with an address,
   * since the preview may load images.
   */
  async preview(diagram: string): Promise<void> {
    if (mayLoadAddress(diagram)) {
      throw new UserError(
        vscode.l10n.t(
          "Diagrams with addresses or images aren't previewed: the preview could load these from the network.",
        ),
      );
    }
    const name = `${vscode.l10n.t('Diagram')}.md`;
    const uri = this.#texts.keep(name, diagramDocument(diagram));
    await vscode.commands.executeCommand('markdown.showPreview', uri);
  }

  dispose(): void {
    this.#terminals.dispose();
  }
}

/** The text with LF line endings. */
function textOf(document: vscode.TextDocument): string {
  return document.getText().replaceAll('\r\n', '\n');
}

/** Excludes the empty line after the final line break, which isn't replaced. */
function lineCount(document: vscode.TextDocument): number {
  return textOf(document).endsWith('\n') ? document.lineCount - 1 : document.lineCount;
}

/** A Markdown document with a single diagram, which can't end its code block. */
export function diagramDocument(diagram: string): string {
  const runs = diagram.match(/`+/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}mermaid\n${diagram.replace(/\n$/, '')}\n${fence}\n`;
}

const address =
  /[a-z\d+.-]:\/\/|(?:^|[^:])\/\/\w|\burl\s*\(|@import|<\s*(?:img|image|link|style|svg|iframe)\b|\bimg\s*:|\bdata:/i;

/** True if a preview of the diagram might load an address, which could leak content. */
export function mayLoadAddress(diagram: string): boolean {
  return address.test(diagram);
}

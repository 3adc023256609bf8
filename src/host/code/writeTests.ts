import * as vscode from 'vscode';
import { FencedCode } from '../../core/code/fencedCode.ts';
import { testMessages } from '../../core/code/testMessages.ts';
import type { Attachment } from '../../core/conversation/conversation.ts';
import type { InlineEdits } from '../inlineEdit/inlineEdits.ts';
import { Refusal } from '../refusal.ts';
import { isCodeCommandArgument } from './commandArgument.ts';
import { GrowingText } from './growingText.ts';
import { requireWhole } from './requireWhole.ts';
import { codeAround, codeAtCursor } from './selection.ts';
import { findTestFile } from './testFile.ts';
import type { TextAnswers } from './textAnswers.ts';

export interface WriteTestsNeeds {
  readonly answers: TextAnswers;
  readonly edits: Pick<InlineEdits, 'stream'>;
  readonly newId: () => string;
  readonly requireModel: () => Promise<string>;
  /** `aside.instructions` */
  readonly instructions: () => string;
}

/** Gives the answer, piece by piece. */
type Produce = (onText: (text: string) => void, signal: AbortSignal) => Promise<void>;

/**
 * `aside.writeTests`: tests of the selection, the symbol at the cursor or the file. They stream into
 * the file of its tests as a change to review, or into a new file that is not saved.
 */
export async function writeTests(needs: WriteTestsNeeds, given: unknown): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    throw new Refusal(vscode.l10n.t('Trust this workspace to have tests written in it.'));
  }
  const { document, code } = await codeToTest(given, needs.newId());
  const model = await needs.requireModel();
  const found = await findTestFile(document);
  const tests =
    found?.exists === true ? await vscode.workspace.openTextDocument(found.uri) : undefined;
  const path = found === undefined ? undefined : vscode.workspace.asRelativePath(found.uri);
  const messages = testMessages({
    ...{ code, path, existing: tests?.getText() ?? '', instructions: needs.instructions() },
  });
  const produce: Produce = async (onText, signal) => {
    requireWhole(await needs.answers.answer({ messages, model, signal, onText }));
  };
  if (tests === undefined) {
    await streamIntoNew(await newFile(found?.uri, document.languageId), produce);
    return;
  }
  await vscode.window.showTextDocument(tests);
  const line = endOf(tests);
  await needs.edits.stream({ document: tests, start: line, end: line }, produce);
}

async function codeToTest(
  given: unknown,
  id: string,
): Promise<{ readonly document: vscode.TextDocument; readonly code: Attachment }> {
  const editor = vscode.window.activeTextEditor;
  const document = isCodeCommandArgument(given)
    ? await vscode.workspace.openTextDocument(given.uri)
    : editor?.document;
  const code = isCodeCommandArgument(given)
    ? document && (await codeAround(document, given.range, id))
    : editor && (await codeAtCursor(editor, id));
  if (document === undefined || code === undefined) {
    throw new Refusal(vscode.l10n.t('Open a file and select some code first.'));
  }
  return { document, code };
}

/** The line before which more belongs: the last one is empty in a file that ends as files do. */
function endOf(document: vscode.TextDocument): number {
  const last = document.lineCount - 1;
  return document.lineAt(last).text === '' ? last : last + 1;
}

/** A file that is not there yet, opened under the name that it gets when it is saved. */
async function newFile(
  uri: vscode.Uri | undefined,
  language: string,
): Promise<vscode.TextDocument> {
  const document =
    uri?.scheme === 'file'
      ? await vscode.workspace.openTextDocument(uri.with({ scheme: 'untitled' }))
      : await vscode.workspace.openTextDocument({ language });
  await vscode.window.showTextDocument(document);
  return document.languageId === language
    ? document
    : vscode.languages.setTextDocumentLanguage(document, language);
}

async function streamIntoNew(document: vscode.TextDocument, produce: Produce): Promise<void> {
  const text = new GrowingText(document);
  const code = new FencedCode(document.languageId);
  const title = vscode.l10n.t('Writing tests');
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  await vscode.window.withProgress(options, async (_, token) => {
    const abort = new AbortController();
    const listening = [
      token.onCancellationRequested(() => abort.abort()),
      vscode.workspace.onDidCloseTextDocument((one) => {
        if (one === document) abort.abort();
      }),
    ];
    try {
      await produce((piece) => text.add(code.push(piece)), abort.signal);
    } finally {
      text.add(code.end());
      await text.written();
      for (const one of listening) one.dispose();
    }
  });
}

import * as vscode from 'vscode';
import { codeCommands } from '../../core/code/codeCommand.ts';
import { testMessages } from '../../core/code/codePrompt.ts';
import { FencedCode } from '../../core/code/fencedCode.ts';
import type { EditPlace, InlineEdits } from '../inlineEdit/inlineEdits.ts';
import { Refusal } from '../refusal.ts';
import { codeToEdit } from './codeToEdit.ts';
import { isCodeCommandArgument } from './commandArgument.ts';
import { GrowingText } from './growingText.ts';
import { sentText, type MaySend } from './maySend.ts';
import { requireWhole } from './requireWhole.ts';
import { linesAround, linesAtCursor, linesOfFile } from './selection.ts';
import { findTests, openNewTests } from './testDocument.ts';
import type { TextAnswers } from './textAnswers.ts';
import { labelFor } from '../tools/labelFor.ts';

export interface WriteTestsNeeds {
  readonly answers: TextAnswers;
  readonly edits: Pick<InlineEdits, 'stream'>;
  readonly maySend: MaySend;
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
  const { answers, edits, maySend, requireModel, instructions } = needs;
  const code = await codeToTest(given);
  const model = await requireModel();
  const found = await findTests(code.document);
  const language = code.document.languageId;
  const tests =
    found?.isThere === true
      ? await vscode.workspace.openTextDocument(found.uri)
      : await openNewTests(found?.uri, language);
  const text = tests.getText();
  const file = { path: labelOf(tests), ...(text === '' ? {} : { text }) };
  const prompt = [codeCommands.writeTests.prompt, instructionIn(given)].join('\n\n').trim();
  const messages = testMessages(codeToEdit(code, []), file, prompt, instructions());
  if (!(await maySend(code.document.uri, sentText(messages)))) return;
  const produce: Produce = async (onText, signal) =>
    requireWhole(await answers.answer({ messages, model, signal, onText }));
  if (text === '') {
    await streamIntoNew(tests, produce);
    return;
  }
  await vscode.window.showTextDocument(tests);
  await edits.stream({ document: tests, start: 0, end: linesOfFile(tests) }, produce);
}

async function codeToTest(given: unknown): Promise<EditPlace> {
  if (!vscode.workspace.isTrusted) {
    throw new Refusal(vscode.l10n.t('Trust this workspace to have tests written in it.'));
  }
  if (isCodeCommandArgument(given)) {
    const document = await vscode.workspace.openTextDocument(given.uri);
    return { document, ...(await linesAround(document, given.range)) };
  }
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.document.getText().trim() === '') {
    throw new Refusal(vscode.l10n.t('Open a file and select some code first.'));
  }
  return { document: editor.document, ...(await linesAtCursor(editor)) };
}

function instructionIn(given: unknown): string {
  return isCodeCommandArgument(given) ? (given.instruction ?? '') : '';
}

function labelOf({ uri }: vscode.TextDocument): string {
  return labelFor(uri.with({ scheme: 'file' }));
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
      for (const one of listening) one.dispose();
      if (!document.isClosed) text.add(code.end());
      await text.written();
    }
  });
}

import * as vscode from 'vscode';
import { codeCommands, type CodeCommandName } from '../../core/code/codeCommands.ts';
import { CodeExtractor, WordsReply } from '../../core/code/codeExtractor.ts';
import { testMessages } from '../../core/code/codePrompt.ts';
import { findTestFile, testPaths } from '../../core/code/testFile.ts';
import { UserError } from '../errors.ts';
import type { EditPlace, InlineEdits } from '../inlineEdit/inlineEdits.ts';
import { labelFor } from '../workspace/location.ts';
import { linesAround, linesAtCursor, linesOfFile } from '../workspace/selection.ts';
import { codeToEdit, isCodeCommandArgument } from './commandTarget.ts';
import { StreamedDocument } from './streamedDocument.ts';
import {
  textOfMessages,
  requireComplete,
  type MaySend,
  type TextGenerator,
} from './textGenerator.ts';
import { messageAbout, showWordsReply, type AskInChat } from './wordsReply.ts';

interface WriteTestsOptions {
  readonly generator: TextGenerator;
  readonly edits: Pick<InlineEdits, 'stream'>;
  readonly maySend: MaySend;
  readonly requireModel: () => Promise<string>;
  /** `aside.instructions` */
  readonly instructions: () => string;
  readonly askInChat: AskInChat;
}

/** Produces the reply in chunks. */
type Produce = (onText: (text: string) => void, signal: AbortSignal) => Promise<void>;

/**
 * Runs a command that writes tests of the selection, the symbol at the cursor or the file. They
 * stream into the file of its tests as a change to review, or into a new file that is not saved.
 */
export async function writeTests(
  options: WriteTestsOptions,
  name: CodeCommandName,
  given: unknown,
): Promise<void> {
  const { generator, edits, maySend, requireModel, instructions } = options;
  const code = await codeToTest(given);
  const model = await requireModel();
  const found = await findTests(code.document);
  const language = code.document.languageId;
  const tests =
    found?.isThere === true
      ? await vscode.workspace.openTextDocument(found.uri)
      : await openNewTestFile(found?.uri, language);
  const text = tests.getText();
  const file = { path: labelOf(tests), ...(text === '' ? {} : { text }) };
  const task = codeCommands[name].instruction(vscode.l10n);
  const prompt = [task, instructionIn(given)].join('\n\n').trim();
  const messages = testMessages(codeToEdit(code, []), file, prompt, instructions());
  if (!(await maySend(code.document.uri, textOfMessages(messages)))) return;
  const produce: Produce = async (onText, signal) =>
    requireComplete(await generator.generate({ messages, model, signal, onText }));
  const write = async (): Promise<void> => {
    if (text === '') return fillNew(tests, produce);
    await vscode.window.showTextDocument(tests);
    await edits.stream({ document: tests, start: 0, end: linesOfFile(tests) }, produce);
  };
  const request = [codeCommands[name].description(vscode.l10n), instructionIn(given)];
  await showWordsReply(
    write,
    () => messageAbout(code, request.join('\n\n').trim()),
    options.askInChat,
  );
}

async function codeToTest(given: unknown): Promise<EditPlace> {
  if (!vscode.workspace.isTrusted) {
    throw new UserError(vscode.l10n.t('Trust this workspace to write tests in it.'));
  }
  if (isCodeCommandArgument(given)) {
    const document = await vscode.workspace.openTextDocument(given.uri);
    return { document, ...(await linesAround(document, given.range)) };
  }
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.document.getText().trim() === '') {
    throw new UserError(vscode.l10n.t('Open a file and select some code first.'));
  }
  return { document: editor.document, ...(await linesAtCursor(editor)) };
}

function instructionIn(given: unknown): string {
  return isCodeCommandArgument(given) ? (given.instruction ?? '') : '';
}

function labelOf({ uri }: vscode.TextDocument): string {
  return labelFor(uri.with({ scheme: 'file' }));
}

/** Fills a new file, which is closed again if the reply has no tests. */
async function fillNew(document: vscode.TextDocument, produce: Produce): Promise<void> {
  try {
    await streamIntoNew(document, produce);
  } catch (error) {
    if (error instanceof WordsReply && !document.isClosed) {
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
    throw error;
  }
}

async function streamIntoNew(document: vscode.TextDocument, produce: Produce): Promise<void> {
  const text = new StreamedDocument(document);
  const code = new CodeExtractor(document.languageId);
  const title = vscode.l10n.t('Writing tests…');
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  await vscode.window.withProgress(options, async (_, token) => {
    const abort = new AbortController();
    const listening = [
      token.onCancellationRequested(() => abort.abort()),
      vscode.workspace.onDidCloseTextDocument((one) => {
        if (one === document) abort.abort();
      }),
    ];
    let isWhole = false;
    try {
      await produce((piece) => text.add(code.push(piece)), abort.signal);
      isWhole = !abort.signal.aborted;
    } finally {
      for (const one of listening) one.dispose();
      if (!document.isClosed) await writeRest(text, code, isWhole);
    }
  });
}

/**
 * Writes the end of the code. Words instead of code are reported only if the reply is whole: one
 * that was stopped or failed has its own message.
 */
async function writeRest(
  text: StreamedDocument,
  code: CodeExtractor,
  isWhole: boolean,
): Promise<void> {
  try {
    text.add(code.end());
  } catch (error) {
    if (isWhole || !(error instanceof WordsReply)) throw error;
  } finally {
    await text.written();
  }
}

/** Folders of generated or third-party files. */
const notOurs = '**/{node_modules,dist,out,build,target,vendor,.venv}/**';

/** The existing or expected test file; undefined if the language has no convention. */
async function findTests(document: vscode.TextDocument): Promise<TestFileLocation | undefined> {
  const { uri, languageId } = document;
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const root = folder?.uri ?? vscode.Uri.joinPath(uri, '..');
  const path = uri.path.slice(root.path.length).replace(/^\//, '');
  const uriOf = (one: string): vscode.Uri => vscode.Uri.joinPath(root, one);
  const place = await findTestFile(path, languageId, (one) => exists(uriOf(one)));
  if (place === undefined) return undefined;
  if (place.isThere) return { uri: uriOf(place.path), isThere: true };
  const named = folder && (await findByName(folder, testNames(path, languageId)));
  return named === undefined
    ? { uri: uriOf(place.path), isThere: false }
    : { uri: named, isThere: true };
}

/** A test file, which may not exist yet. */
interface TestFileLocation {
  readonly uri: vscode.Uri;
  readonly isThere: boolean;
}

/** Names equal to that of the code are excluded: they do not identify a test file. */
function testNames(path: string, language: string): readonly string[] {
  const names = (testPaths(path, language) ?? []).map(nameOf);
  return [...new Set(names)].filter((name) => name !== nameOf(path));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Found only if exactly one file has one of the names. */
async function findByName(
  folder: vscode.WorkspaceFolder,
  names: readonly string[],
): Promise<vscode.Uri | undefined> {
  if (names.length === 0) return undefined;
  const glob = names.length === 1 ? `**/${names.join('')}` : `**/{${names.join(',')}}`;
  const pattern = new vscode.RelativePattern(folder, glob);
  const found = await vscode.workspace.findFiles(pattern, notOurs, 2);
  return found.length === 1 ? found[0] : undefined;
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** Opens an unsaved document under the name of a file that does not exist yet. */
async function openNewTestFile(
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

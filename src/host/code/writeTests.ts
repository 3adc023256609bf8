import * as vscode from 'vscode';
import { lastSegment } from '../../core/support/text.ts';
import { codeCommands, type CodeCommandName } from '../../core/code/codeCommands.ts';
import { testMessages } from '../../core/code/codePrompt.ts';
import { findTestFile, testPaths } from '../../core/code/testFile.ts';
import { UserError } from '../errors.ts';
import { answerCode, type EditPlace, type ProduceText } from '../review/answerCode.ts';
import type { FileReviews } from '../review/fileReviews.ts';
import { labelFor, cellOf } from '../workspace/location.ts';
import { activeCode, linesAround, linesAtCursor, linesOfFile } from '../workspace/selection.ts';
import { codeToEdit, isCodeCommandArgument } from './commandTarget.ts';
import {
  textOfMessages,
  requireComplete,
  type MaySend,
  type TextGenerator,
} from './textGenerator.ts';
import { messageAbout, showWordsReply, type AskInChat } from './wordsReply.ts';

interface WriteTestsOptions {
  readonly generator: TextGenerator;
  readonly reviews: Pick<FileReviews, 'stream' | 'streamNew'>;
  readonly maySend: MaySend;
  readonly requireModel: () => Promise<string>;
  /** `aside.instructions` */
  readonly instructions: () => string;
  readonly askInChat: AskInChat;
}

/**
 * Runs a command that writes tests for the selection, the symbol at the cursor or the file. They
 * are streamed into a review of the test file, or of a new one, which is created on accept.
 */
export async function writeTests(
  options: WriteTestsOptions,
  name: CodeCommandName,
  argument: unknown,
): Promise<void> {
  const { generator, reviews, maySend, requireModel, instructions } = options;
  const code = await codeToTest(argument);
  const model = await requireModel();
  const location = await findTests(code.document);
  const tests =
    location?.isThere === true ? await vscode.workspace.openTextDocument(location.uri) : undefined;
  const text = tests?.getText() ?? '';
  const label = location === undefined ? vscode.l10n.t('New Tests') : labelFor(location.uri);
  const file = { path: label, ...(text === '' ? {} : { text }) };
  const task = codeCommands[name].instruction(vscode.l10n);
  const prompt = [task, instructionIn(argument)].join('\n\n').trim();
  const messages = testMessages(codeToEdit(code, []), file, prompt, instructions());
  if (!(await maySend(code.document.uri, textOfMessages(messages)))) return;
  const about = [code.document.uri, ...(location === undefined ? [] : [location.uri])];
  const produce: ProduceText = async (onText, signal) =>
    requireComplete(await generator.generate({ messages, model, about, signal, onText }));
  const review = async (text: ProduceText): Promise<void> => {
    if (tests !== undefined) {
      await vscode.window.showTextDocument(tests);
      await reviews.stream({ document: tests, start: 0, end: linesOfFile(tests) }, text);
      return;
    }
    const { document } = code;
    const created = { uri: location?.uri, label, language: document.languageId };
    await reviews.streamNew(created, answerCode({ document, start: 0, end: 0 }, text));
  };
  const request = [codeCommands[name].description(vscode.l10n), instructionIn(argument)];
  await showWordsReply({
    produce,
    review,
    document: tests ?? code.document,
    message: () => messageAbout(code, request.join('\n\n').trim()),
    ask: options.askInChat,
  });
}

async function codeToTest(argument: unknown): Promise<EditPlace> {
  if (!vscode.workspace.isTrusted) {
    throw new UserError(vscode.l10n.t('Trust this workspace to write tests in it.'));
  }
  if (isCodeCommandArgument(argument)) {
    const document = await vscode.workspace.openTextDocument(argument.uri);
    return { document, ...(await linesAround(document, argument.range)) };
  }
  const editor = activeCode(argument);
  if (editor === undefined || editor.document.getText().trim() === '') {
    throw new UserError(vscode.l10n.t('Open a file and select some code first.'));
  }
  return { document: editor.document, ...(await linesAtCursor(editor)) };
}

function instructionIn(argument: unknown): string {
  return isCodeCommandArgument(argument) ? (argument.instruction ?? '') : '';
}

const notOurs = '**/{node_modules,dist,out,build,target,vendor,.venv}/**';

/** The existing or expected test file; undefined if the language has no convention. */
async function findTests(document: vscode.TextDocument): Promise<TestFileLocation | undefined> {
  const { uri, languageId } = document;
  // No other file can import a notebook.
  if (cellOf(uri) !== undefined) return undefined;
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const root = folder?.uri ?? vscode.Uri.joinPath(uri, '..');
  const path = uri.path.slice(root.path.length).replace(/^\//, '');
  const uriOf = (relative: string): vscode.Uri => vscode.Uri.joinPath(root, relative);
  const testFile = await findTestFile(path, languageId, (test) => exists(uriOf(test)));
  if (testFile === undefined) return undefined;
  if (testFile.isThere) return { uri: uriOf(testFile.path), isThere: true };
  const named = folder && (await findByName(folder, testNames(path, languageId)));
  return named === undefined
    ? { uri: uriOf(testFile.path), isThere: false }
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
  return lastSegment(path);
}

/** Undefined unless exactly one file has one of the names. */
async function findByName(
  folder: vscode.WorkspaceFolder,
  names: readonly string[],
): Promise<vscode.Uri | undefined> {
  if (names.length === 0) return undefined;
  const glob = names.length === 1 ? `**/${names.join('')}` : `**/{${names.join(',')}}`;
  const pattern = new vscode.RelativePattern(folder, glob);
  const files = await vscode.workspace.findFiles(pattern, notOurs, 2);
  return files.length === 1 ? files[0] : undefined;
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

import * as vscode from 'vscode';
import {
  withoutByteOrderMark,
  hasMixedLineEndings,
  withLineEndingsOf,
  isSameTextIgnoringLineEndings,
} from '../../core/edits/lineEndings.ts';
import { systemClock } from '../../core/support/clock.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { FileWrite } from './applyChanges.ts';

/**
 * Encodes a new file with the configured encoding.
 * @throws {ToolError} if the encoding lacks characters of the text.
 */
export async function encodeNew({ path, after }: FileWrite, uri: vscode.Uri): Promise<Uint8Array> {
  const text = withoutByteOrderMark(after);
  const bytes = await vscode.workspace.encode(text, { uri });
  if ((await vscode.workspace.decode(bytes, { uri })) !== text) throw unfit(path);
  return bytes;
}

/**
 * Checks that saving does not replace bytes that are invalid in the file's encoding, or characters
 * that the encoding lacks.
 * @throws {ToolError} if it would.
 */
export async function checkEncoding(
  document: vscode.TextDocument,
  change: FileWrite,
): Promise<void> {
  if (change.kind === 'delete') return;
  if (document.getText().includes('\ufffd')) {
    throw new ToolError(`${change.path} has bytes that are not text in its encoding.`);
  }
  const { encoding } = document;
  if (encoding.startsWith('utf')) return;
  const text = withoutByteOrderMark(change.after);
  const bytes = await vscode.workspace.encode(text, { encoding });
  const kept = await vscode.workspace.decode(bytes, { encoding });
  if (kept !== text) throw unfit(change.path, encoding);
}

function unfit(path: string, encoding = 'of the settings'): ToolError {
  return new ToolError(
    `${path}: the encoding ${encoding} cannot represent the new text. Nothing was written.`,
  );
}

/** The text on disk if it has mixed line endings, which a document cannot represent. */
export async function mixedText(document: vscode.TextDocument): Promise<string | undefined> {
  const { uri, encoding } = document;
  const bytes = await vscode.workspace.fs.readFile(uri);
  const text = withoutByteOrderMark(await vscode.workspace.decode(bytes, { encoding }));
  return hasMixedLineEndings(text) && isSameTextIgnoringLineEndings(text, document.getText())
    ? text
    : undefined;
}

/** How long VS Code may take to notice that a file changed on disk, in milliseconds. */
const longestReload = 5_000;

/**
 * Writes a file with mixed line endings to disk, and waits until VS Code has reloaded its document.
 * Saving the document would write uniform endings, and writing the file after such a save would make
 * the next save a conflict.
 *
 * @param before the text on disk
 * @param after the wanted text; its line endings are used if they are mixed
 */
export async function writeMixed(
  document: vscode.TextDocument,
  before: string,
  after: string,
): Promise<void> {
  const { uri, encoding } = document;
  const wanted = withoutByteOrderMark(after);
  const text = hasMixedLineEndings(wanted) ? wanted : withLineEndingsOf(before, wanted);
  await vscode.workspace.fs.writeFile(uri, await vscode.workspace.encode(text, { encoding }));
  await reloaded(document, text);
}

/** Resolves when the document has the text, or no longer follows the file. */
function reloaded(document: vscode.TextDocument, text: string): Promise<void> {
  const isDone = (): boolean =>
    document.isClosed ||
    document.isDirty ||
    isSameTextIgnoringLineEndings(document.getText(), text);
  return new Promise((resolve) => {
    const finish = (): void => {
      for (const one of pending) one.dispose();
      resolve();
    };
    const check = (changed: vscode.TextDocument): void => {
      if (changed === document && isDone()) finish();
    };
    const pending = [
      systemClock.after(longestReload, finish),
      vscode.workspace.onDidChangeTextDocument((event) => check(event.document)),
      vscode.workspace.onDidCloseTextDocument(check),
    ];
    check(document);
  });
}

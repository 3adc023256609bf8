import * as vscode from 'vscode';
import {
  withoutByteOrderMark,
  hasMixedLineEndings,
  withLineEndingsOf,
  isSameTextIgnoringLineEndings,
} from '../../core/edits/lineEndings.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { FileWrite } from './applyChanges.ts';

/**
 * The bytes of a new file, in the encoding that the settings say.
 * @throws {ToolError} where that lacks characters of the text.
 */
export async function encodeNew({ path, after }: FileWrite, uri: vscode.Uri): Promise<Uint8Array> {
  const text = withoutByteOrderMark(after);
  const bytes = await vscode.workspace.encode(text, { uri });
  if ((await vscode.workspace.decode(bytes, { uri })) !== text) throw unfit(path);
  return bytes;
}

/**
 * Bytes that are no text in the file's encoding, and characters that it lacks, would be saved as
 * others.
 * @throws {ToolError} where the change would do so.
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

/** The text of a document on the disk, where that has several kinds of line ends: an editor has one. */
export async function mixedText(document: vscode.TextDocument): Promise<string | undefined> {
  const { uri, encoding } = document;
  const bytes = await vscode.workspace.fs.readFile(uri);
  const text = withoutByteOrderMark(await vscode.workspace.decode(bytes, { encoding }));
  return hasMixedLineEndings(text) && isSameTextIgnoringLineEndings(text, document.getText())
    ? text
    : undefined;
}

/**
 * Writes the line ends of a text that was just saved as they were: the editor made them one kind.
 *
 * @param before what was on the disk
 * @param after what should be there; its own line ends count where they are of several kinds
 */
export async function writeMixed(
  document: vscode.TextDocument,
  before: string,
  after: string,
): Promise<void> {
  const { uri, encoding } = document;
  const saved = document.getText();
  const isExact = hasMixedLineEndings(after) && isSameTextIgnoringLineEndings(after, saved);
  const text = isExact ? withoutByteOrderMark(after) : withLineEndingsOf(before, saved);
  await vscode.workspace.fs.writeFile(uri, await vscode.workspace.encode(text, { encoding }));
}

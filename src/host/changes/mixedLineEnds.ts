import * as vscode from 'vscode';
import { hasMixedLineEnds, withLineEndsOf } from '../../core/edits/keptLineEnds.ts';
import { isSameText, withoutMark } from '../../core/edits/lineEnds.ts';

/** The text of a document on the disk, where that has several kinds of line ends: an editor has one. */
export async function mixedText(document: vscode.TextDocument): Promise<string | undefined> {
  const { uri, encoding } = document;
  const bytes = await vscode.workspace.fs.readFile(uri);
  const text = withoutMark(await vscode.workspace.decode(bytes, { encoding }));
  return hasMixedLineEnds(text) && isSameText(text, document.getText()) ? text : undefined;
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
  const isExact = hasMixedLineEnds(after) && isSameText(after, saved);
  const text = isExact ? withoutMark(after) : withLineEndsOf(before, saved);
  await vscode.workspace.fs.writeFile(uri, await vscode.workspace.encode(text, { encoding }));
}

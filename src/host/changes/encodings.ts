import * as vscode from 'vscode';
import {
  isSameTextIgnoringLineEndings,
  withoutByteOrderMark,
} from '../../core/edits/lineEndings.ts';
import { background } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { FileWrite } from './applyChanges.ts';

/**
 * Encodes a new file with its encoding, or the configured one.
 *
 * @throws {ToolError} if the encoding lacks characters of the text
 */
export async function encodeNew(change: FileWrite, uri: vscode.Uri): Promise<Uint8Array> {
  const { path, after, encoding } = change;
  const text = withoutByteOrderMark(after);
  if (encoding !== undefined) return encodeIn(encoding, text, path);
  const bytes = await vscode.workspace.encode(text, { uri });
  if ((await vscode.workspace.decode(bytes, { uri })) !== text) throw unfit(path);
  return bytes;
}

async function encodeIn(encoding: string, text: string, path: string): Promise<Uint8Array> {
  const bytes = await vscode.workspace.encode(text, { encoding });
  if ((await vscode.workspace.decode(bytes, { encoding })) !== text) throw unfit(path, encoding);
  return bytes;
}

/**
 * Checks that saving preserves all bytes and characters.
 *
 * @throws {ToolError} if the file has bytes that are invalid in its encoding, or the encoding lacks
 * characters of the text
 */
export async function checkEncoding(
  document: vscode.TextDocument,
  change: FileWrite,
): Promise<void> {
  if (change.kind === 'delete') return;
  await readings.get(document);
  if (document.getText().includes('\ufffd')) {
    throw new ToolError(`${change.path} has bytes that are not text in its encoding.`);
  }
  const { encoding } = document;
  if (encoding.startsWith('utf')) return;
  await encodeIn(encoding, withoutByteOrderMark(change.after), change.path);
}

function unfit(path: string, encoding = 'of the settings'): ToolError {
  return new ToolError(
    `${path}: the encoding ${encoding} cannot represent the new text. Nothing was written.`,
  );
}

/**
 * The text of a document with the line endings on disk, since a document has only one kind.
 * Undefined if the file has another text, which VS Code hasn't read yet.
 */
export async function textOnDisk(document: vscode.TextDocument): Promise<string | undefined> {
  await readings.get(document);
  const { uri, encoding } = document;
  const bytes = await vscode.workspace.fs.readFile(uri);
  const text = withoutByteOrderMark(await vscode.workspace.decode(bytes, { encoding }));
  return isSameTextIgnoringLineEndings(text, document.getText()) ? text : undefined;
}

/** Milliseconds in which VS Code usually notices that a file changed on disk. */
const usualReload = 300;
const longestReload = 5_000;

/** Folders in which VS Code has missed a change, so that waiting is useless. */
const unwatched = new Set<string>();

/** Times when Aside saved documents, on its monotonic clock. */
const saves = new WeakMap<vscode.TextDocument, number>();

/** Milliseconds in which VS Code usually copies a saved file into its local history. */
const usualCopy = 1_000;

export async function saveDocument(document: vscode.TextDocument): Promise<boolean> {
  const isSaved = await document.save();
  saves.set(document, systemClock.monotonic());
  return isSaved;
}

/**
 * Waits until VS Code has copied a file into its local history, which starts on save. If the file
 * gets shorter meanwhile, the copy never ends, and blocks each later save.
 */
export function copied(document: vscode.TextDocument): Promise<void> {
  const remaining = usualCopy - (systemClock.monotonic() - (saves.get(document) ?? -usualCopy));
  return new Promise((resolve) => {
    if (remaining <= 0) resolve();
    else systemClock.after(remaining, resolve);
  });
}

/**
 * Writes exactly this text to disk, and waits until VS Code has reloaded the document. Saving the
 * document would unify line endings, and run formatters. If only line endings differ, the document
 * must not be saved before: its next save would be a conflict. Resolves with false, and leaves the
 * file unchanged, if somebody changed the document or the file.
 */
export async function writeToDisk(
  document: vscode.TextDocument,
  text: string,
  before: string,
): Promise<boolean> {
  await readings.get(document);
  const { uri, encoding } = document;
  const [bytes, bytesBefore] = await Promise.all([
    vscode.workspace.encode(text, { encoding }),
    vscode.workspace.encode(before, { encoding }),
  ]);
  if (!(await isSavedAs(document, before))) return false;
  await vscode.workspace.fs.writeFile(uri, bytes);
  await reloaded(document, text);
  if (!document.isDirty || isSameTextIgnoringLineEndings(document.getText(), text)) return true;
  // Somebody has typed into the previous text, and couldn't save over the new one.
  const written = await vscode.workspace.decode(await vscode.workspace.fs.readFile(uri), {
    encoding,
  });
  if (isSameTextIgnoringLineEndings(written, text))
    await vscode.workspace.fs.writeFile(uri, bytesBefore);
  return false;
}

/** True if a document and its file have exactly this text, and nothing is unsaved. */
async function isSavedAs(document: vscode.TextDocument, text: string): Promise<boolean> {
  const saved = await textOnDisk(document);
  return saved === text && !document.isDirty;
}

/**
 * Waits until a document without unsaved changes has the text of its file, which may just have been
 * written. VS Code is late if the machine is busy.
 */
export async function caughtUp(document: vscode.TextDocument): Promise<void> {
  await readings.get(document);
  if (document.isDirty) return;
  const { uri, encoding } = document;
  const bytes = await vscode.workspace.fs.readFile(uri);
  await reloaded(document, await vscode.workspace.decode(bytes, { encoding }));
}

/** Resolves when the document has the text, or was edited. */
function reloaded(document: vscode.TextDocument, text: string): Promise<void> {
  const isDone = (): boolean =>
    document.isClosed ||
    document.isDirty ||
    isSameTextIgnoringLineEndings(document.getText(), text);
  return new Promise((resolve) => {
    let isReadAgain = false;
    const finish = (): void => {
      for (const disposable of pending) disposable.dispose();
      resolve();
    };
    const check = (changed: vscode.TextDocument): void => {
      // During a reload the document has another encoding.
      if (changed === document && !isReadAgain && isDone()) finish();
    };
    const folder = vscode.Uri.joinPath(document.uri, '..').toString();
    const readAgain = async (): Promise<void> => {
      isReadAgain = true;
      await readFromDisk(document);
      isReadAgain = false;
      if (isDone()) unwatched.add(folder);
      check(document);
    };
    const pending = [
      systemClock.after(unwatched.has(folder) ? 0 : usualReload, () => background(readAgain())),
      systemClock.after(longestReload, finish),
      vscode.workspace.onDidChangeTextDocument((event) => check(event.document)),
      vscode.workspace.onDidCloseTextDocument(check),
    ];
    check(document);
  });
}

/**
 * Makes VS Code reload the file of a document, by switching its encoding briefly. VS Code doesn't
 * watch nested folders that were created at once, as by `mkdir -p`. The other encoding accepts
 * every byte, so that nothing is lost if somebody types meanwhile.
 */
function readFromDisk(document: vscode.TextDocument): Promise<void> {
  const reading = readings.get(document) ?? changeEncodings(document);
  readings.set(document, reading);
  return reading.finally(() => readings.delete(document));
}

const readings = new WeakMap<vscode.TextDocument, Promise<void>>();

async function changeEncodings(document: vscode.TextDocument): Promise<void> {
  const { uri, encoding } = document;
  const other = encoding === 'iso88591' ? 'windows1252' : 'iso88591';
  try {
    await vscode.workspace.openTextDocument(uri, {
      encoding: encoding === 'utf8' ? 'utf8bom' : other,
    });
    await vscode.workspace.openTextDocument(uri, { encoding });
  } catch {
    // This fails if the person has typed: then the document must not be reloaded.
  }
}

import * as vscode from 'vscode';
import {
  isSameTextIgnoringLineEndings,
  withoutByteOrderMark,
} from '../../core/edits/lineEndings.ts';
import { relativePath } from '../../core/files/fileSearch.ts';
import { sleep } from '../../core/support/async.ts';
import { systemClock } from '../../core/support/clock.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { Location } from '../../core/files/places.ts';
import { replaceText } from '../platform/editorActions.ts';
import { toLocation, toUri, isThere } from '../platform/location.ts';
import {
  type FileWrite,
  PartlyWritten,
  StaleFile,
  type TextStore,
  textToLeave,
  type WrittenText,
} from './textStore.ts';
import { background } from '../../core/support/background.ts';

interface PendingWrite {
  readonly change: FileWrite;
  readonly uri: vscode.Uri;
  /** Undefined for a new file. */
  readonly document: vscode.TextDocument | undefined;
  readonly version: number;
  /**
   * The current text. Its line endings are those on disk, unless the document has unsaved changes.
   */
  readonly text: string;
  readonly isDirty: boolean;
  /** The text to write to disk directly; undefined if the document is saved instead. */
  readonly wanted: string | undefined;
  /** The content of a file that is created or deleted. */
  readonly bytes: Uint8Array;
}

/**
 * Accesses text files through VS Code's documents: undo works, cursors don't move, and VS Code
 * preserves encoding, byte order mark and line endings.
 */
export const editorTexts: TextStore = { read, write };

async function read(location: Location): Promise<string | undefined> {
  const uri = toUri(location);
  if (!(await isThere(uri))) return undefined;
  const document = openDocument(uri);
  if (document === undefined) {
    // Reads without opening: there may be many files, and language servers analyze each open one.
    const bytes = await vscode.workspace.fs.readFile(uri);
    return withoutByteOrderMark(await vscode.workspace.decode(bytes, { uri }));
  }
  await readings.get(document);
  if (!document.isDirty) {
    // The file may just have been written. VS Code is late if the machine is busy.
    const bytes = await vscode.workspace.fs.readFile(uri);
    const { encoding } = document;
    await reloaded(document, await vscode.workspace.decode(bytes, { encoding }));
  }
  return document.getText();
}

function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(
    (candidate) => !candidate.isClosed && candidate.uri.toString() === uri.toString(),
  );
}

/** Milliseconds before each attempt at an edit, since VS Code may refuse the first. */
const pauses = [0, 100, 400, 1600, 3200];

async function write(
  changes: readonly FileWrite[],
  signal?: AbortSignal,
): Promise<readonly WrittenText[]> {
  for (const pause of pauses) {
    if (pause > 0) await sleep(systemClock, pause, signal);
    const written = await tryToWrite(changes, signal);
    if (written !== 'refused') return written;
  }
  throw notWritten(changes);
}

/**
 * VS Code refuses all edits if the version of one document has changed, even with the same text: it
 * may just have reloaded the file. A busy window may need a moment to notify its extensions.
 */
async function tryToWrite(
  changes: readonly FileWrite[],
  signal?: AbortSignal,
): Promise<readonly WrittenText[] | 'refused'> {
  const all = await Promise.all(changes.map(prepare));
  signal?.throwIfAborted();
  const edit = new vscode.WorkspaceEdit();
  // Files are created first: if VS Code refuses the edits, no text has changed.
  const isText = ({ change }: PendingWrite): boolean => change.kind === 'edit';
  for (const pending of [...all.filter((pending) => !isText(pending)), ...all.filter(isText)])
    addTo(edit, pending);
  const reached = new Map<PendingWrite, string>();
  // An empty edit would count as refused.
  const hasNoEdit = all.every(
    ({ change, wanted }) => change.kind === 'delete' || wanted !== undefined,
  );
  try {
    if (hasNoEdit || (await vscode.workspace.applyEdit(edit))) {
      // Saves all files, even if one fails, so that all can be restored.
      const saved = await Promise.allSettled(
        all.map(async (pending) => {
          const written = await save(pending);
          reached.set(pending, written.text);
          return written;
        }),
      );
      return saved.map((result) => {
        if (result.status === 'rejected') throw result.reason;
        return result.value;
      });
    }
  } catch (error) {
    await restoreOrTell(all, reached);
    throw error;
  }
  await restoreOrTell(
    all.filter((pending) => !isText(pending)),
    reached,
  );
  return 'refused';
}

async function prepare(change: FileWrite): Promise<PendingWrite> {
  const uri = writtenUri(change);
  if (change.kind === 'create') {
    if (await isThere(uri)) throw new ToolError(`${change.path} already exists.`);
    const { path, after, encoding } = change;
    const added = withoutByteOrderMark(after);
    const bytes =
      encoding === undefined
        ? await vscode.workspace.encode(added, { uri })
        : await encode(added, encoding, path);
    if (encoding === undefined && (await vscode.workspace.decode(bytes, { uri })) !== added)
      throw unfit(path, 'of the settings');
    const nothing = { document: undefined, version: 0, text: '', isDirty: false };
    return { change, uri, ...nothing, wanted: undefined, bytes };
  }
  if (!(await isThere(uri))) throw new StaleFile(change.path);
  const document = await vscode.workspace.openTextDocument(uri);
  await checkEncoding(document, change);
  if (change.isExact === true) await copied(document);
  const { version, isDirty } = document;
  const text = isDirty ? document.getText() : await textOnDisk(document);
  if (text === undefined) throw new StaleFile(change.path);
  // A document has only one kind of line ending, and formatters run on save.
  const isDirect = change.isExact === true || text !== document.getText();
  const wanted =
    isDirect && change.kind !== 'delete' && !isDirty ? textToLeave(change, text) : undefined;
  const bytes =
    change.kind === 'delete' ? await vscode.workspace.fs.readFile(uri) : new Uint8Array();
  return { change, uri, document, version, isDirty, text, wanted, bytes };
}

/**
 * The URI under which to open the file: below its workspace folder, which may be a link. If a link
 * leads out of the folder, it is the real location, unless the named path is open with unsaved
 * changes: those were read and aren't saved.
 */
export function writtenUri({ location, named = location }: FileWrite): vscode.Uri {
  const uri = toUri(named);
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const below = folder === undefined ? undefined : relativePath(folder.uri.path, named.path);
  if (below !== undefined && location.path.endsWith(`/${below}`)) return uri;
  const isUnsaved = vscode.workspace.textDocuments.some(
    (document) => document.isDirty && document.uri.toString() === uri.toString(),
  );
  return isUnsaved ? uri : toUri(location);
}

/**
 * Adds the edits of one file, unless it is written to disk directly. Synchronous, so that no other
 * change can come in between.
 */
function addTo(edit: vscode.WorkspaceEdit, pending: PendingWrite): void {
  const { change, uri, document, version, bytes } = pending;
  if (document === undefined) {
    edit.createFile(uri, { contents: bytes, overwrite: false });
    return;
  }
  const isStale = document.isClosed || document.version !== version;
  if (isStale || !isSameTextIgnoringLineEndings(document.getText(), change.before))
    throw new StaleFile(change.path);
  if (change.kind === 'edit' && pending.wanted === undefined)
    replaceText(edit, document, change.after);
}

async function save(pending: PendingWrite): Promise<WrittenText> {
  const { change, uri, document, isDirty, wanted } = pending;
  const result = { location: toLocation(uri), replaced: pending.text };
  if (document === undefined) return { ...result, text: change.after, isSaved: true };
  if (change.kind === 'delete') {
    const { encoding } = document;
    if (!(await deleteFile(uri, pending.bytes, () => document.isDirty)))
      throw new StaleFile(change.path);
    return { ...result, text: change.after, encoding, isSaved: true };
  }
  if (wanted !== undefined) {
    if (!(await writeToDisk(document, wanted, pending.text))) throw new StaleFile(change.path);
  } else if (!isDirty && document.isDirty && !(await saveDocument(document))) {
    throw notWritten([change]);
  }
  return { ...result, text: wanted ?? document.getText(), isSaved: !document.isDirty };
}

/**
 * Restores the previous texts, except in files that somebody else has changed meanwhile.
 *
 * @throws {PartlyWritten} if there are such files
 */
async function restoreOrTell(
  all: readonly PendingWrite[],
  reached: ReadonlyMap<PendingWrite, string>,
): Promise<void> {
  const paths: string[] = [];
  for (const pending of all)
    if (!(await restore(pending, reached.get(pending)))) paths.push(pending.change.path);
  if (paths.length > 0) throw new PartlyWritten('The change failed.', paths);
}

/**
 * Restores one file.
 *
 * @param written the saved text, if it was saved
 * @returns false if the previous text could not be restored
 */
async function restore(pending: PendingWrite, written: string | undefined): Promise<boolean> {
  const { change, uri, document, text, bytes, isDirty } = pending;
  if (document === undefined) {
    return (
      !(await isThere(uri)) || deleteFile(uri, bytes, () => openDocument(uri)?.isDirty === true)
    );
  }
  if (change.kind === 'delete') {
    if (!(await isThere(uri))) await vscode.workspace.fs.writeFile(uri, bytes);
    return true;
  }
  if (pending.wanted !== undefined)
    return written === undefined || writeToDisk(document, text, written);
  if (isSameTextIgnoringLineEndings(document.getText(), text)) return true;
  if (!isSameTextIgnoringLineEndings(document.getText(), written ?? change.after)) return false;
  const edit = new vscode.WorkspaceEdit();
  replaceText(edit, document, text);
  if (!(await vscode.workspace.applyEdit(edit))) return false;
  return isDirty || !document.isDirty || saveDocument(document);
}

/**
 * Deletes a file that still has this content, and whose editor has no unsaved text. An edit of VS
 * Code would drop what the person types while it runs; this way their editor stays open.
 *
 * @returns false if somebody changed the file meanwhile: then it is still there
 */
export async function deleteFile(
  uri: vscode.Uri,
  bytes: Uint8Array,
  isDirty: () => boolean,
): Promise<boolean> {
  if (!(await isThere(uri))) return false;
  const content = await vscode.workspace.fs.readFile(uri);
  const isSame =
    content.length === bytes.length && content.every((byte, index) => byte === bytes[index]);
  if (!isSame || isDirty()) return false;
  await vscode.workspace.fs.delete(uri);
  if (!isDirty()) return !(await isThere(uri));
  if (!(await isThere(uri))) await vscode.workspace.fs.writeFile(uri, bytes);
  return false;
}

function notWritten(changes: readonly FileWrite[]): ToolError {
  const paths = changes.map(({ path }) => path).join(', ');
  return new ToolError(`VS Code could not write ${paths}. Nothing was changed.`);
}

/** @throws {ToolError} if the encoding lacks characters of the text */
async function encode(text: string, encoding: string, path: string): Promise<Uint8Array> {
  const bytes = await vscode.workspace.encode(text, { encoding });
  if ((await vscode.workspace.decode(bytes, { encoding })) !== text) throw unfit(path, encoding);
  return bytes;
}

function unfit(path: string, encoding: string): ToolError {
  return new ToolError(
    `${path}: the encoding ${encoding} cannot represent the new text. Nothing was written.`,
  );
}

/**
 * Checks that saving preserves all bytes and characters.
 *
 * @throws {ToolError} if the file has bytes that are invalid in its encoding, or the encoding lacks
 * characters of the text
 */
async function checkEncoding(document: vscode.TextDocument, change: FileWrite): Promise<void> {
  if (change.kind === 'delete') return;
  await readings.get(document);
  if (document.getText().includes('\ufffd')) {
    throw new ToolError(`${change.path} has bytes that are not text in its encoding.`);
  }
  const { encoding } = document;
  if (encoding.startsWith('utf')) return;
  await encode(withoutByteOrderMark(change.after), encoding, change.path);
}

/**
 * The text of a document with the line endings on disk, since a document has only one kind.
 * Undefined if the file has another text, which VS Code hasn't read yet.
 */
async function textOnDisk(document: vscode.TextDocument): Promise<string | undefined> {
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

async function saveDocument(document: vscode.TextDocument): Promise<boolean> {
  const isSaved = await document.save();
  saves.set(document, systemClock.monotonic());
  return isSaved;
}

/**
 * Waits until VS Code has copied a file into its local history, which starts on save. If the file
 * gets shorter meanwhile, the copy never ends, and blocks each later save.
 */
function copied(document: vscode.TextDocument): Promise<void> {
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
async function writeToDisk(
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

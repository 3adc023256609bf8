import * as vscode from 'vscode';
import {
  isSameTextIgnoringLineEndings,
  withLineEndings,
  withoutByteOrderMark,
} from '../../core/edits/lineEndings.ts';
import { splicesBetween } from '../../core/edits/splices.ts';
import { relativePath } from '../../core/search/fileSearch.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { Location } from '../../core/workspace/places.ts';
import { isThere } from '../missingFile.ts';
import { toLocation, toUri } from '../workspace/location.ts';
import { staleFile, type FileWrite, type TextStore, type WrittenText } from './applyChanges.ts';
import { checkEncoding, encodeNew, mixedText, writeMixed } from './encodings.ts';

/** A change together with the file's current state. */
interface Met {
  readonly change: FileWrite;
  readonly uri: vscode.Uri;
  /** Undefined for a file to be created. */
  readonly document: vscode.TextDocument | undefined;
  readonly version: number;
  readonly text: string;
  readonly isDirty: boolean;
  /** The text on disk if it has mixed line endings. */
  readonly mixed: string | undefined;
  /** The content of a new file. */
  readonly bytes: Uint8Array;
}

/**
 * Accesses text files through VS Code's documents: undo works, cursors stay in place, and VS Code
 * preserves encoding, byte order mark and line endings.
 */
export const editorTexts: TextStore = { read, write };

async function read(location: Location): Promise<string | undefined> {
  const uri = toUri(location);
  const exists = await isThere(uri);
  return exists ? (await vscode.workspace.openTextDocument(uri)).getText() : undefined;
}

async function write(
  changes: readonly FileWrite[],
  signal?: AbortSignal,
): Promise<readonly WrittenText[]> {
  const all = await Promise.all(changes.map(meet));
  signal?.throwIfAborted();
  const edit = new vscode.WorkspaceEdit();
  for (const one of all) addTo(edit, one);
  const reached = new Map<Met, string>();
  try {
    // VS Code rejects the edit if a document's version has changed.
    // An empty edit would count as rejected.
    const isEmpty = all.every(({ mixed }) => mixed !== undefined);
    if (!isEmpty && !(await vscode.workspace.applyEdit(edit))) throw notWritten(changes);
    return await saveAll(all, reached);
  } catch (error) {
    await restore(all, reached);
    throw error;
  }
}

/** Waits for all, even if one fails: files saved meanwhile have to be restored as well. */
async function saveAll(
  all: readonly Met[],
  reached: Map<Met, string>,
): Promise<readonly WrittenText[]> {
  const saved = await Promise.allSettled(
    all.map(async (met) => {
      const written = await save(met);
      reached.set(met, written.text);
      return written;
    }),
  );
  return saved.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

async function meet(change: FileWrite): Promise<Met> {
  const uri = writtenUri(change);
  const nothing = { document: undefined, version: 0, text: '', isDirty: false, mixed: undefined };
  if (change.kind === 'create') {
    if (await isThere(uri)) throw new ToolError(`${change.path} already exists.`);
    return { change, uri, ...nothing, bytes: await encodeNew(change, uri) };
  }
  if (!(await isThere(uri))) throw staleFile(change.path);
  const document = await vscode.workspace.openTextDocument(uri);
  await checkEncoding(document, change);
  const { version, isDirty } = document;
  const keepsEnds = change.kind === 'edit' && !isDirty;
  const mixed = keepsEnds ? await mixedText(document) : undefined;
  const met = { change, uri, document, version, isDirty, mixed, text: document.getText() };
  return { ...met, bytes: new Uint8Array() };
}

/**
 * The URI under which the file is opened: below its workspace folder, which may itself be a link.
 * If a link leads out of the folder, the real location is used, unless the given path is open with
 * unsaved changes: those were read, and are not saved.
 */
function writtenUri({ location, named = location }: FileWrite): vscode.Uri {
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
 * Adds the edits of one file, unless its line endings are mixed: such a file is written when saved.
 * Synchronous, so that no other change can come in between.
 */
function addTo(edit: vscode.WorkspaceEdit, met: Met): void {
  const { change, uri, document, version, bytes } = met;
  if (document === undefined) {
    edit.createFile(uri, { contents: bytes, overwrite: false });
    return;
  }
  const isStale = document.isClosed || document.version !== version;
  if (isStale || !isSameTextIgnoringLineEndings(document.getText(), change.before))
    throw staleFile(change.path);
  if (change.kind === 'delete') edit.deleteFile(uri);
  else if (met.mixed === undefined) replaceText(edit, document, change.after);
}

/** Replaces only the differing ranges. */
function replaceText(
  edit: vscode.WorkspaceEdit,
  document: vscode.TextDocument,
  after: string,
): void {
  const lineEnd = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  const wanted = withLineEndings(withoutByteOrderMark(after), lineEnd);
  for (const { start, end, text } of splicesBetween(document.getText(), wanted)) {
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    edit.replace(document.uri, range, text);
  }
}

/** Saves the file unless it already had unsaved changes. */
async function save({ change, uri, document, isDirty, mixed }: Met): Promise<WrittenText> {
  const location = toLocation(uri);
  if (document === undefined || change.kind === 'delete') {
    return { location, text: change.after, isSaved: true };
  }
  if (mixed !== undefined) {
    await writeMixed(document, mixed, change.after);
    return { location, text: change.after, isSaved: true };
  }
  if (!isDirty && document.isDirty && !(await document.save())) throw notWritten([change]);
  return { location, text: document.getText(), isSaved: !document.isDirty };
}

/** Restores the previous texts, except in files that someone else has changed meanwhile. */
async function restore(all: readonly Met[], reached: ReadonlyMap<Met, string>): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  for (const met of all) {
    const { change, uri, document, text, bytes } = met;
    if (change.kind === 'delete') {
      if (await isThere(uri)) continue;
      edit.createFile(uri, { contents: await vscode.workspace.encode(text, { uri }) });
    } else if (document === undefined) {
      if (await hasContent(uri, bytes)) edit.deleteFile(uri, { ignoreIfNotExists: true });
    } else if (met.mixed !== undefined) {
      if (reached.has(met)) await writeMixed(document, met.mixed, met.mixed);
    } else if (
      isSameTextIgnoringLineEndings(document.getText(), reached.get(met) ?? change.after)
    ) {
      replaceText(edit, document, text);
    }
  }
  await vscode.workspace.applyEdit(edit);
  for (const { document, isDirty } of all) {
    if (document?.isDirty === true && !isDirty) await document.save();
  }
}

function notWritten(changes: readonly FileWrite[]): ToolError {
  const paths = changes.map(({ path }) => path).join(', ');
  return new ToolError(`VS Code could not write ${paths}. Nothing was changed.`);
}

async function hasContent(uri: vscode.Uri, bytes: Uint8Array): Promise<boolean> {
  if (!(await isThere(uri))) return false;
  const found = await vscode.workspace.fs.readFile(uri);
  return found.length === bytes.length && found.every((byte, index) => byte === bytes[index]);
}

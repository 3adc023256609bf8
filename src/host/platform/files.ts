import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { OpenableTarget } from '../../core/approval/addresses.ts';
import type { Approved, ReadGate } from '../../core/approval/gate.ts';
import { withLineEndings, withoutByteOrderMark } from '../../core/edits/lineEndings.ts';
import { relativePath } from '../../core/files/fileSearch.ts';
import { raceAbort, sleep } from '../../core/support/async.ts';
import { orUndefined } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { sniffContent } from '../../core/files/fileText.ts';
import { type Location, type Target, workspacePath } from '../../core/files/places.ts';
import { resolveTarget } from '../../core/files/resolveTarget.ts';
import { UserError } from './errors.ts';
import { fileOf, type Machine, toUri, workspaceFolders } from './location.ts';
import type { NodePlatform } from './platform.ts';

/** The maximum size of a file that is read, in bytes. */
export const maxReadBytes = 2_000_000;

const reasons = { binary: 'binary', huge: 'too big', folder: 'a folder' } as const;

/** Milliseconds to wait before each retry of a language service. */
const waits = [100, 200, 400, 800, 1600];

/** The text of a file, without its byte order mark. */
export interface TextContent {
  readonly kind: 'text';
  /** The text in the editor if the file is open, else on disk, with its line endings. */
  readonly text: string;
  /** True if the editor has changes that aren't on disk. */
  readonly isDirty: boolean;
  /** Number of cells, if it is the text of a notebook. */
  readonly cells?: number | undefined;
  /** True if some bytes could not be decoded, so that saving the file would change them. */
  readonly isLossy: boolean;
  /** True if the file still has this text, in the editor and, unless it is dirty, on disk. */
  readonly isCurrent: () => Promise<boolean>;
}

/** The content of a file, or the reason why it has none. Sizes are in bytes. */
export type FileContent =
  | TextContent
  | { readonly kind: 'binary' | 'huge'; readonly size: number }
  | { readonly kind: 'folder' }
  | { readonly kind: 'missing' };

type DiskContent =
  | { readonly kind: 'text'; readonly text: string }
  | Exclude<FileContent, TextContent>;

/**
 * Reads a file that passed the gate, in the encoding that VS Code would choose.
 * @throws {ToolError} if it isn't a regular file
 */
export async function readFile(approved: Approved<Target>, gate: ReadGate): Promise<FileContent> {
  const target = approved.value;
  const uri = toUri(target.location);
  const readBytes = async (): Promise<Uint8Array> =>
    (await gate.bytes(approved, maxReadBytes)) ?? vscode.workspace.fs.readFile(uri);
  const readDisk = async (): Promise<DiskContent> => {
    const stat = await statOf(uri);
    if (stat === undefined) return { kind: 'missing' };
    if ((stat.type & vscode.FileType.Directory) !== 0) return { kind: 'folder' };
    // A pipe or a device may never end.
    if (target.kind === 'special' || (stat.type & vscode.FileType.File) === 0) {
      throw new ToolError(`${target.label} is not a regular file.`);
    }
    if (stat.size > maxReadBytes) return { kind: 'huge', size: stat.size };
    const bytes = await readBytes();
    const text = await decode(bytes, uri);
    return text === undefined ? { kind: 'binary', size: bytes.length } : { kind: 'text', text };
  };
  const document = openDocument(target);
  const shown = document?.getText();
  if (shown !== undefined && shown.length > maxReadBytes)
    return { kind: 'huge', size: shown.length };
  const content = shown === undefined ? await readDisk() : ({ kind: 'text', text: shown } as const);
  if (content.kind !== 'text') return content;
  const { text } = content;
  // In valid UTF-8, a replacement character is part of the text.
  const isLossy =
    text.includes('\u{fffd}') &&
    (await statOf(uri)) !== undefined &&
    sniffContent(await readBytes()) !== 'utf-8';
  const isCurrent = async (): Promise<boolean> => {
    const open = openDocument(target);
    if (open !== undefined && open.getText() !== text) return false;
    if (open?.isDirty === true) return true;
    const disk = await readDisk().catch((error: unknown): DiskContent => {
      // A file that was replaced meanwhile isn't read, and isn't current.
      if (error instanceof ToolError) return { kind: 'missing' };
      throw error;
    });
    if (disk.kind !== 'text') return false;
    // An editor has one kind of line ending; the file may have several.
    return open === undefined
      ? disk.text === text
      : withLineEndings(disk.text, '\n') === withLineEndings(text, '\n');
  };
  return { kind: 'text', text, isDirty: document?.isDirty === true, isLossy, isCurrent };
}

/** The open document of a file, under the requested path or its real path. */
export function openDocument({ location, named }: Target): vscode.TextDocument | undefined {
  const addresses = [location, named].map((candidate) => toUri(candidate).toString());
  return vscode.workspace.textDocuments.find(
    ({ uri, isClosed }) => !isClosed && addresses.includes(uri.toString()),
  );
}

/** Undefined if the file doesn't exist. */
export async function statOf(uri: vscode.Uri): Promise<vscode.FileStat | undefined> {
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch (error) {
    const code = error instanceof vscode.FileSystemError ? error.code : '';
    if (code === 'FileNotFound' || code === 'FileNotADirectory') return undefined;
    throw error;
  }
}

/** Decodes by `files.encoding` and the byte order mark; undefined for binary content. */
async function decode(bytes: Uint8Array, uri: vscode.Uri): Promise<string | undefined> {
  if (sniffContent(bytes) === 'binary') return undefined;
  try {
    return withoutByteOrderMark(await vscode.workspace.decode(bytes, { uri }));
  } catch {
    return undefined;
  }
}

/** A document. `isNew` is true if it was opened just now. */
export interface OpenTarget {
  readonly document: vscode.TextDocument;
  readonly isNew: boolean;
}

/**
 * Opens a file that passed the gate without showing it, so that language services know it. Returns
 * the document that the person has open, if there is one.
 * @throws {ToolError} if it isn't text
 */
export async function openTarget(
  approved: Approved<OpenableTarget>,
  gate: ReadGate,
): Promise<OpenTarget> {
  const target = approved.value;
  const open = openDocument(target);
  if (open !== undefined) return { document: open, isNew: false };
  const { kind } = await readFile(approved, gate);
  if (kind === 'missing') throw new ToolError(`${target.label} does not exist.`);
  if (kind !== 'text') throw new ToolError(`${target.label} is ${reasons[kind]}.`);
  const document = await vscode.workspace.openTextDocument(toUri(addressOf(target)));
  return { document, isNew: true };
}

/**
 * The path by which language services know a file: below its workspace folder, which may itself be a
 * link. If a link inside the folder leads elsewhere, it is the real path, which was approved.
 */
export function addressOf({ location, named }: Target): Location {
  const folder = vscode.workspace.getWorkspaceFolder(toUri(named));
  const below = folder === undefined ? undefined : relativePath(folder.uri.path, named.path);
  return below !== undefined && location.path.endsWith(`/${below}`) ? named : location;
}

/**
 * Queries a language service once it has loaded the project, with retries while it returns nothing
 * for a file that was just opened: it may still be starting, and there is no event when it is ready.
 */
export async function queryLanguageService<T>(
  { document, isNew }: OpenTarget,
  signal: AbortSignal,
  ask: () => Thenable<readonly T[] | undefined>,
): Promise<readonly T[]> {
  // Until the project is loaded, TypeScript responds from a second server, which only knows open
  // files, so that a rename would skip all others. Semantic tokens come from the server that loads the
  // project, and only once it has. Languages without semantic tokens don't wait.
  const tokens = vscode.commands.executeCommand(
    'vscode.provideDocumentRangeSemanticTokens',
    document.uri,
    new vscode.Range(0, 0, 0, 1),
  );
  await raceAbort(orUndefined(tokens), signal);
  let results = (await ask()) ?? [];
  for (const wait of isNew ? waits : []) {
    if (results.length > 0) break;
    await sleep(systemClock, wait, signal);
    results = (await ask()) ?? [];
  }
  return results;
}

/** A file in the workspace that exists or could be created, links followed. */
export interface WorkspaceFile {
  readonly uri: vscode.Uri;
  readonly label: string;
  readonly isThere: boolean;
}

export type FindFile = (path: string) => Promise<WorkspaceFile>;

/**
 * Finds the file for a path from a reply, or the location where it would be. If the workspace has
 * several folders and the path doesn't begin with the name of one, the first folder that has the file
 * is used.
 * @throws {UserError} if it isn't a file, or is outside the workspace
 */
export async function findWorkspaceFile(
  path: string,
  machine: Machine | undefined,
): Promise<WorkspaceFile> {
  const folders = workspaceFolders();
  const context = { folders, platform: machine?.platform ?? 'linux' };
  const names =
    folders.length > 1 ? folders.map((folder) => workspacePath(folder, [path], folders)) : [];
  let missing: WorkspaceFile | undefined;
  for (const candidate of [path, ...names]) {
    const target = await resolveTarget(candidate, context, machine?.view).catch(
      (error: unknown) => {
        // The message of a `ToolError` is for a model.
        if (error instanceof ToolError) return undefined;
        throw error;
      },
    );
    if (target?.inside !== true || target.kind === 'folder' || target.kind === 'special') continue;
    const uri = toUri(addressOf(target));
    const stat = await orUndefined(vscode.workspace.fs.stat(uri));
    if (stat !== undefined && (stat.type & vscode.FileType.Directory) !== 0) continue;
    const file = { uri, label: target.label, isThere: stat !== undefined };
    if (file.isThere) return file;
    missing ??= file;
  }
  if (missing !== undefined) return missing;
  throw new UserError(vscode.l10n.t("“{0}” isn't a file in this workspace.", path));
}

const globs = z.catch(z.record(z.string(), z.unknown()), {});

/**
 * True if VS Code wouldn't save a document: its file system or file is read-only, the settings say
 * so, or its owner may not write the file.
 */
export async function isReadOnly(
  document: vscode.TextDocument,
  isLocked: NodePlatform['isLocked'] | undefined,
): Promise<boolean> {
  const { fs } = vscode.workspace;
  const uri = fileOf(document.uri);
  if (uri.scheme === 'untitled') return false;
  if (fs.isWritableFileSystem(uri.scheme) !== true) return true;
  const files = vscode.workspace.getConfiguration('files', document.uri);
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  const isIn = (setting: string): boolean =>
    Object.entries(globs.parse(files.get(setting))).some(([glob, isOn]) => {
      const inFolder = folder === undefined ? [] : [new vscode.RelativePattern(folder, glob)];
      const filter = [glob, ...inFolder].map((pattern) => ({ pattern }));
      return isOn === true && vscode.languages.match(filter, document) > 0;
    });
  if (isIn('readonlyInclude') && !isIn('readonlyExclude')) return true;
  const { permissions } = (await orUndefined(fs.stat(uri))) ?? {};
  if (permissions === vscode.FilePermission.Readonly) return true;
  return uri.scheme === 'file' && (await isLocked?.(uri.fsPath)) === true;
}

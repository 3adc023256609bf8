import * as vscode from 'vscode';
import type { Approved } from '../../core/tools/approved.ts';
import { sniffContent, withoutMark } from '../../core/tools/sniffText.ts';
import type { Target } from '../../core/tools/target.ts';
import { ToolError } from '../../core/tools/tool.ts';
import { toUri } from './location.ts';

/** Bytes of a file that is still read. */
export const biggestRead = 2_000_000;

/** The text of a file, without its byte order mark. */
export interface TextContent {
  readonly kind: 'text';
  /** As it is in the editor where the file is open there, else on the disk; with its line ends. */
  readonly text: string;
  /** Whether the editor has changes that are not on the disk. */
  readonly isDirty: boolean;
  /** Whether bytes of the file could not be read as text: to save it would change them. */
  readonly isLossy: boolean;
  /** Whether the file still has this text, in the editor and, unless it is dirty, on the disk. */
  readonly isCurrent: () => Promise<boolean>;
}

/** What a file holds; sizes in bytes. */
export type FileContent =
  | TextContent
  | { readonly kind: 'binary' | 'huge'; readonly size: number }
  | { readonly kind: 'folder' }
  | { readonly kind: 'missing' };

type DiskContent =
  { readonly kind: 'text'; readonly text: string } | Exclude<FileContent, TextContent>;

/**
 * Reads a file that passed the gate, in the encoding that VS Code would choose.
 *
 * @throws {ToolError} where it is no regular file.
 */
export async function readFile({ value: target }: Approved<Target>): Promise<FileContent> {
  const document = openDocument(target);
  const found = document === undefined ? await readDisk(target) : textOf(document);
  if (found.kind !== 'text') return found;
  const { text } = found;
  return {
    kind: 'text',
    text,
    isDirty: document?.isDirty === true,
    isLossy: text.includes('\u{fffd}') && !(await isUtf8(target)),
    isCurrent: () => isCurrent(target, text),
  };
}

/** The document of a file where VS Code has it open, under the name it was asked for or its own. */
export function openDocument({ location, named }: Target): vscode.TextDocument | undefined {
  const addresses = [location, named].map((one) => toUri(one).toString());
  return vscode.workspace.textDocuments.find(
    ({ uri, isClosed }) => !isClosed && addresses.includes(uri.toString()),
  );
}

function textOf(document: vscode.TextDocument): DiskContent {
  const text = document.getText();
  const size = text.length;
  return size > biggestRead ? { kind: 'huge', size } : { kind: 'text', text };
}

async function isCurrent(target: Target, text: string): Promise<boolean> {
  const document = openDocument(target);
  if (document !== undefined && document.getText() !== text) return false;
  if (document?.isDirty === true) return true;
  const disk = await readDisk(target);
  if (disk.kind !== 'text') return false;
  // An editor has one kind of line ends, the file may have several.
  return document === undefined ? disk.text === text : plainEnds(disk.text) === plainEnds(text);
}

function plainEnds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

async function readDisk(target: Target): Promise<DiskContent> {
  const uri = toUri(target.location);
  const stat = await statOf(uri);
  if (stat === undefined) return { kind: 'missing' };
  if ((stat.type & vscode.FileType.Directory) !== 0) return { kind: 'folder' };
  // A pipe or a device may never end.
  if (target.kind === 'special' || (stat.type & vscode.FileType.File) === 0) {
    throw new ToolError(`${target.label} is no regular file.`);
  }
  if (stat.size > biggestRead) return { kind: 'huge', size: stat.size };
  const bytes = await vscode.workspace.fs.readFile(uri);
  const text = await decode(bytes, uri);
  return text === undefined ? { kind: 'binary', size: bytes.length } : { kind: 'text', text };
}

/** Undefined where there is nothing. */
export async function statOf(uri: vscode.Uri): Promise<vscode.FileStat | undefined> {
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch (error) {
    const code = error instanceof vscode.FileSystemError ? error.code : '';
    if (code === 'FileNotFound' || code === 'FileNotADirectory') return undefined;
    throw error;
  }
}

/** Whether a replacement character that the text has stands in the file itself. */
async function isUtf8({ location }: Target): Promise<boolean> {
  const uri = toUri(location);
  if ((await statOf(uri)) === undefined) return true;
  return sniffContent(await vscode.workspace.fs.readFile(uri)) === 'utf-8';
}

/** By `files.encoding` and the byte order mark; undefined for what is binary. */
async function decode(bytes: Uint8Array, uri: vscode.Uri): Promise<string | undefined> {
  if (sniffContent(bytes) === 'binary') return undefined;
  try {
    return withoutMark(await vscode.workspace.decode(bytes, { uri }));
  } catch {
    return undefined;
  }
}

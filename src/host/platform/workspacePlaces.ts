import * as vscode from 'vscode';
import type { Approved, ReadGate, VisibleFiles } from '../../core/approval/gate.ts';
import { withoutByteOrderMark } from '../../core/edits/lineEndings.ts';
import {
  excludeGlobs,
  type FileSearch,
  includeGlobs,
  type SearchScope,
  searchStart,
} from '../../core/files/fileSearch.ts';
import { Ripgrep, type RipgrepProgram } from '../../core/files/ripgrep.ts';
import { type FolderEntry, type FolderReader, WalkSearch } from '../../core/files/walkSearch.ts';
import { orUndefined } from '../../core/support/background.ts';
import { maskSecrets } from '../../core/support/secretTokens.ts';
import { truncateText } from '../../core/support/text.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { ToolContext } from '../../core/tools/tool.ts';
import { markedEncoding, sniffContent, splitLines } from '../../core/files/fileText.ts';
import {
  type LeftOut,
  type Location,
  type Target,
  workspacePath,
} from '../../core/files/places.ts';
import { maxReadBytes, statOf } from './files.ts';
import { fileOf, labelFor, toUri, workspaceFolders } from './location.ts';

export type FileSearchAt = (location: Location) => FileSearch | Promise<FileSearch>;

/**
 * Searches files on disk with ripgrep if it is available, and others by a walk through VS Code's file
 * system.
 * @param findProgram called at each search; resolves with undefined without Node or without ripgrep
 */
export function fileSearches(findProgram: () => Promise<RipgrepProgram | undefined>): FileSearchAt {
  const walk = new WalkSearch((root) => new WorkspaceReader(root));
  return async ({ scheme }) => {
    const program = scheme === 'file' ? await findProgram() : undefined;
    return program === undefined
      ? walk
      : new Ripgrep(program, (location) => toUri(location).fsPath);
  };
}

/** The files that the settings exclude from searches. */
export function excludedAt(scope: vscode.ConfigurationScope): readonly string[] {
  const settings = vscode.workspace.getConfiguration(undefined, scope);
  return excludeGlobs(
    settings.get<Record<string, unknown>>('files.exclude'),
    settings.get<Record<string, unknown>>('search.exclude'),
  );
}

/** Reads folders and files through VS Code. Skips those that cannot be read, as ripgrep does. */
class WorkspaceReader implements FolderReader {
  readonly #root: vscode.Uri;

  constructor(root: Location) {
    this.#root = toUri(root);
  }

  async entries(path: string): Promise<readonly FolderEntry[]> {
    try {
      const entries = await vscode.workspace.fs.readDirectory(this.#uri(path));
      return entries.map(([name, type]) => ({ name, kind: kindOf(type) }));
    } catch {
      return [];
    }
  }

  async kind(path: string): Promise<FolderEntry['kind'] | undefined> {
    const stat = await statOf(this.#uri(path));
    return stat === undefined ? undefined : kindOf(stat.type & ~vscode.FileType.SymbolicLink);
  }

  async text(path: string): Promise<string | undefined> {
    try {
      const uri = this.#uri(path);
      const stat = await statOf(uri);
      // A pipe may never end, and links aren't followed.
      if (stat?.type !== vscode.FileType.File || stat.size > maxReadBytes) return undefined;
      const bytes = await vscode.workspace.fs.readFile(uri);
      if (sniffContent(bytes) === 'binary') return undefined;
      return withoutByteOrderMark(new TextDecoder(markedEncoding(bytes)).decode(bytes));
    } catch {
      return undefined;
    }
  }

  #uri(path: string): vscode.Uri {
    return path === '' ? this.#root : vscode.Uri.joinPath(this.#root, path);
  }
}

function kindOf(type: vscode.FileType): FolderEntry['kind'] {
  if (type === vscode.FileType.File) return 'file';
  return type === vscode.FileType.Directory ? 'folder' : 'other';
}

/**
 * Runs the effect on the path, or on each folder of the workspace if the model gave no path. Each passes
 * the gate.
 * @throws {ToolError} if there is no path and no folder
 */
export async function readEach<T>(
  gate: ReadGate,
  path: string | undefined,
  context: ToolContext,
  effect: (target: Approved<Target>) => Promise<T>,
): Promise<readonly T[]> {
  const folders = workspaceFolders();
  const hasPath = path !== undefined && path !== '';
  if (!hasPath && folders.length === 0) throw new ToolError('No folder is open. Give a path.');
  const all = hasPath ? [path] : folders.map((folder) => workspacePath(folder, [], folders));
  const results: T[] = [];
  for (const requested of all) results.push(await gate.read(requested, context, effect));
  return results;
}

/**
 * The scope of a search below a target that passed the gate, without the files that the settings
 * exclude, and those that may not be read or named. The target itself may.
 */
export function scopeFor(
  target: Target,
  include: string | undefined,
  leftOutBelow: (root: Location) => LeftOut,
): SearchScope {
  const named = toUri(target.named);
  const folder = vscode.workspace.getWorkspaceFolder(named);
  const base = searchStart(target, folder?.uri.path);
  const exclude = excludedAt(folder ?? named);
  const { globs, has } = leftOutBelow(base.root);
  return {
    ...base,
    exclude,
    include: includeGlobs(base.start, include),
    leftOut: { globs, has: (path) => path !== base.start && has(path) },
  };
}

/** @throws {ToolError} for a target that is neither a file nor a folder */
export function requireExisting({ label, kind }: Target): void {
  if (kind === 'missing')
    throw new ToolError(`${label} does not exist. list_files shows what there is.`);
  if (kind === 'special') throw new ToolError(`${label} is neither a file nor a folder.`);
}

/** Tells which files are reached without a link. */
export class RegularFiles {
  readonly #known = new Map<string, Promise<boolean>>();

  /** True if the file is in a folder of the workspace and its path has no link. */
  async has(uri: vscode.Uri): Promise<boolean> {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    if (folder === undefined) return false;
    const below = uri.path
      .slice(folder.uri.path.length)
      .split('/')
      .filter((name) => name !== '');
    const steps = below.map((_, index) => below.slice(0, index + 1));
    const plain = await Promise.all(
      steps.map((names) => this.#isPlain(vscode.Uri.joinPath(folder.uri, ...names))),
    );
    return plain.every((isPlain) => isPlain);
  }

  /** The bytes of a file; undefined if it is reached by a link, even one made while it was read. */
  async read(uri: vscode.Uri): Promise<Uint8Array | undefined> {
    if (!(await this.has(uri))) return undefined;
    const bytes = await vscode.workspace.fs.readFile(uri);
    return (await new RegularFiles().has(uri)) ? bytes : undefined;
  }

  #isPlain(uri: vscode.Uri): Promise<boolean> {
    const key = uri.toString();
    const isPlain =
      this.#known.get(key) ??
      orUndefined(vscode.workspace.fs.stat(uri)).then(
        (stat) => stat !== undefined && (stat.type & vscode.FileType.SymbolicLink) === 0,
      );
    this.#known.set(key, isPlain);
    return isPlain;
  }
}

/**
 * The files that a language service names. They may be anywhere; only the content of those that are
 * really in the workspace and contain no secrets may be shown without approval.
 */
export class ProviderFiles {
  readonly #visible: VisibleFiles;
  readonly #plain = new RegularFiles();
  readonly #lines = new Map<string, Promise<readonly string[]>>();

  constructor(visible: VisibleFiles) {
    this.#visible = visible;
  }

  async mayShow(address: vscode.Uri): Promise<boolean> {
    const uri = fileOf(address);
    return this.#visible.mayShow(labelFor(uri)) && (await this.#plain.has(uri));
  }

  /**
   * True if results may say that something is in the file. That includes a file elsewhere, such as the
   * library that declares a symbol, but not a link, which may lead to a file with secrets.
   */
  async mayName(address: vscode.Uri): Promise<boolean> {
    const uri = fileOf(address);
    if (!this.#visible.mayShow(labelFor(uri))) return false;
    const isElsewhere = vscode.workspace.getWorkspaceFolder(uri) === undefined;
    return isElsewhere || (await this.#plain.has(uri));
  }

  /** A line, counted from 0, without the space around it; empty if it may not be shown. */
  async line(uri: vscode.Uri, line: number): Promise<string> {
    const key = uri.toString();
    const lines = this.#lines.get(key) ?? this.#read(uri);
    this.#lines.set(key, lines);
    return truncateText(((await lines)[line] ?? '').trim(), 200);
  }

  async #read(uri: vscode.Uri): Promise<readonly string[]> {
    if (!(await this.mayShow(uri))) return [];
    const open = vscode.workspace.textDocuments.find(
      (document) => document.uri.toString() === uri.toString(),
    );
    if (open !== undefined) return shownLines(open.getText());
    const stat = await statOf(uri);
    if (stat?.type !== vscode.FileType.File || stat.size > maxReadBytes) return [];
    const bytes = await vscode.workspace.fs.readFile(uri);
    if (sniffContent(bytes) === 'binary') return [];
    // A link may have replaced the file or a folder above it meanwhile.
    if (!(await new RegularFiles().has(uri))) return [];
    return shownLines(withoutByteOrderMark(await vscode.workspace.decode(bytes, { uri })));
  }
}

/** Secrets are masked before a line is cut, since a part of one does not look like one. */
function shownLines(text: string): readonly string[] {
  return splitLines(maskSecrets(text).text);
}

import * as vscode from 'vscode';
import { withoutByteOrderMark } from '../../core/edits/lineEndings.ts';
import { excludeGlobs, type FileSearch } from '../../core/search/fileSearch.ts';
import { Ripgrep, type RipgrepProgram } from '../../core/search/ripgrep.ts';
import { WalkSearch, type FolderEntry, type FolderReader } from '../../core/search/walkSearch.ts';
import { sniffContent } from '../../core/workspace/fileText.ts';
import type { Location } from '../../core/workspace/places.ts';
import { maxReadBytes, statOf } from './files.ts';
import { toUri } from './location.ts';

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
      return withoutByteOrderMark(new TextDecoder(encodingOf(bytes)).decode(bytes));
    } catch {
      return undefined;
    }
  }

  #uri(path: string): vscode.Uri {
    return path === '' ? this.#root : vscode.Uri.joinPath(this.#root, path);
  }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function kindOf(type: vscode.FileType): FolderEntry['kind'] {
  if (type === vscode.FileType.File) return 'file';
  return type === vscode.FileType.Directory ? 'folder' : 'other';
}

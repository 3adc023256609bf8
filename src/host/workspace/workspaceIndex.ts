import * as vscode from 'vscode';
import { excludeGlobs } from '../../core/search/fileSearch.ts';
import { FuzzyPathIndex } from '../../core/search/fuzzyPathIndex.ts';
import type { Disposable } from '../../core/support/event.ts';
import {
  workspacePath,
  type LeftOut,
  type Location,
  type WorkspaceFolder,
} from '../../core/workspace/places.ts';
import type { FileSearchAt } from './fileSearches.ts';
import { workspaceFolders, toLocation, toUri } from './location.ts';

/** The maximum number of files of the index. */
const maxFiles = 200_000;

/**
 * The files and folders of the workspace by name, except ignored ones. They are listed at the first
 * search, and again after files were created or deleted; until then the old list is used.
 */
export class WorkspaceIndex implements Disposable {
  readonly #listing: () => Promise<FileListing>;
  readonly #listening: vscode.Disposable;
  #listed: Promise<FuzzyPathIndex> | undefined;
  #paths: FuzzyPathIndex | undefined;
  #isStale = false;
  /** Only one list is made at a time, however many files change. */
  #isListing = false;

  constructor(listing: () => Promise<FileListing>) {
    this.#listing = listing;
    const watcher = vscode.workspace.createFileSystemWatcher('**/*', false, true, false);
    const markStale = (): void => void (this.#isStale = true);
    const forget = (): void => {
      this.#listed = undefined;
      this.#paths = undefined;
    };
    this.#listening = vscode.Disposable.from(
      watcher,
      watcher.onDidCreate(markStale),
      watcher.onDidDelete(markStale),
      vscode.workspace.onDidChangeWorkspaceFolders(forget),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (['files.exclude', 'search.exclude'].some((id) => change.affectsConfiguration(id))) {
          forget();
        }
      }),
    );
  }

  /** Paths as the person sees them, the best match first; those of folders end with `/`. */
  async find(query: string, most: number, recent: readonly string[]): Promise<readonly string[]> {
    return (await this.#current())?.find(query, most, recent) ?? [];
  }

  /** The only file with this name, as a path that the person sees. */
  async onlyFileNamed(name: string): Promise<string | undefined> {
    return (await this.#current())?.onlyFileNamed(name);
  }

  /** The URI of a path from {@link find}. */
  uriOf(path: string): vscode.Uri | undefined {
    for (const [start, folder] of startsOfPaths()) {
      if (path.startsWith(start)) return vscode.Uri.joinPath(folder, path.slice(start.length));
    }
    return undefined;
  }

  dispose(): void {
    this.#listening.dispose();
  }

  async #current(): Promise<FuzzyPathIndex | undefined> {
    if (this.#listed === undefined || (this.#isStale && !this.#isListing)) this.#list();
    return this.#paths ?? (await this.#listed);
  }

  #list(): void {
    this.#isStale = false;
    this.#isListing = true;
    const listed = this.#read();
    this.#listed = listed;
    const isNewest = (): boolean => this.#listed === listed;
    listed
      .then(
        (paths) => {
          if (isNewest()) this.#paths = paths;
        },
        () => {
          if (isNewest()) this.#listed = undefined;
        },
      )
      .finally(() => (this.#isListing = false));
  }

  async #read(): Promise<FuzzyPathIndex> {
    const listing = await this.#listing();
    const lists = await Promise.all(
      startsOfPaths().map(async ([start, folder]) => {
        const paths = await filesBelow(folder, listing);
        return paths.map((path) => start + path);
      }),
    );
    return new FuzzyPathIndex(lists.flat());
  }
}

/** The prefix of the paths of each folder; empty where the workspace has only one. */
function startsOfPaths(): readonly (readonly [start: string, folder: vscode.Uri])[] {
  const folders = workspaceFolders();
  const startOf = (folder: WorkspaceFolder): string =>
    folders.length === 1 ? '' : `${workspacePath(folder, [], folders)}/`;
  return folders.map((folder) => [startOf(folder), toUri(folder.location)]);
}

/** How files are listed. */
export interface FileListing {
  readonly searchAt: FileSearchAt;
  /** What is not even named below a folder. */
  readonly unlisted: (root: Location) => LeftOut;
}

/** The files in a folder and below, relative to it, except ignored ones. */
export async function filesBelow(
  uri: vscode.Uri,
  { searchAt, unlisted }: FileListing,
): Promise<readonly string[]> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const root = folder?.uri ?? uri;
  const start = uri.path.slice(root.path.length).replace(/^\/|\/$/g, '');
  const settings = vscode.workspace.getConfiguration(undefined, uri);
  const exclude = excludeGlobs(
    settings.get<Record<string, unknown>>('files.exclude'),
    settings.get<Record<string, unknown>>('search.exclude'),
  );
  const paths: string[] = [];
  const collect = (path: string): boolean => {
    paths.push(start === '' ? path : path.slice(start.length + 1));
    return paths.length < maxFiles;
  };
  const place = toLocation(root);
  const scope = { root: place, start, include: [], exclude, leftOut: unlisted(place) };
  await searchAt(place).files(scope, collect, new AbortController().signal);
  return paths.toSorted();
}

import * as vscode from 'vscode';
import { FuzzyPathIndex } from '../../core/files/fuzzyPathIndex.ts';
import { background, markHandled } from '../../core/support/background.ts';
import type { Disposable } from '../../core/support/event.ts';
import { workspacePath, type LeftOut, type Location } from '../../core/files/places.ts';
import { excludedAt, type FileSearchAt } from './workspacePlaces.ts';
import { workspaceFolders, toLocation, toUri } from './location.ts';

/** The maximum number of files of the index. */
const maxFiles = 200_000;

/**
 * The files and folders of the workspace by name, except ignored ones. They are listed at the first
 * search, which also begins to watch them, and again after files were created or deleted; until then the old list is used. File watchers
 * may miss a change or report it late, so {@link renew} lists the files in any case.
 */
export class WorkspaceIndex implements Disposable {
  readonly #listing: () => Promise<FileListing>;
  #watching: vscode.Disposable | undefined;
  #files: readonly string[] = [];
  #paths: FuzzyPathIndex | undefined;
  /** True if no listing has begun since files were created or deleted. */
  #isStale = true;
  /** Changes with the folders and the excluded files, which makes older lists invalid. */
  #version = 0;
  /** The listing in progress, of which there is only one, however many files change. */
  #running: Promise<void> | undefined;
  #queued: Promise<void> | undefined;

  constructor(listing: () => Promise<FileListing>) {
    this.#listing = listing;
  }

  #watch(): vscode.Disposable {
    const watcher = vscode.workspace.createFileSystemWatcher('**/*', false, true, false);
    const markStale = (): void => void (this.#isStale = true);
    const forget = (): void => {
      this.#isStale = true;
      this.#paths = undefined;
      this.#version += 1;
    };
    return vscode.Disposable.from(
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
    return (await this.#current()).find(query, most, recent);
  }

  /** The only file with this name, as a path that the person sees. */
  async onlyFileNamed(name: string): Promise<string | undefined> {
    return (await this.#current()).onlyFileNamed(name);
  }

  /** The URI of a path from {@link find}. */
  uriOf(path: string): vscode.Uri | undefined {
    for (const [start, folder] of startsOfPaths()) {
      if (path.startsWith(start)) return vscode.Uri.joinPath(folder, path.slice(start.length));
    }
    return undefined;
  }

  /** Paths of the files in a folder, relative to it. */
  async filesIn(folder: vscode.Uri): Promise<readonly string[]> {
    return filesBelow(folder, await this.#listing());
  }

  /** Lists the files again, after a listing that is already in progress. */
  renew(): void {
    background(this.#renew());
  }

  /** Resolves when the listing in progress is done; undefined without one. */
  get renewal(): Promise<void> | undefined {
    return this.#queued ?? this.#running;
  }

  dispose(): void {
    this.#watching?.dispose();
  }

  async #current(): Promise<FuzzyPathIndex> {
    const renewal = this.#isStale ? this.#renew() : this.#running;
    if (this.#paths === undefined) await renewal;
    // The folders may have changed while they were listed.
    return this.#paths ?? this.#current();
  }

  #renew(): Promise<void> {
    if (this.#running === undefined) return this.#begin();
    const begin = (): Promise<void> => {
      this.#queued = undefined;
      return this.#begin();
    };
    this.#queued ??= handled(this.#running.then(begin, begin));
    return this.#queued;
  }

  #begin(): Promise<void> {
    this.#watching ??= this.#watch();
    this.#isStale = false;
    this.#running = handled(this.#list().finally(() => (this.#running = undefined)));
    return this.#running;
  }

  async #list(): Promise<void> {
    const version = this.#version;
    try {
      const listing = await this.#listing();
      const lists = await Promise.all(
        startsOfPaths().map(async ([start, folder]) => {
          const paths = await filesBelow(folder, listing);
          return paths.map((path) => start + path);
        }),
      );
      const files = lists.flat();
      if (version !== this.#version) return;
      const isSame =
        files.length === this.#files.length &&
        files.every((file, index) => file === this.#files[index]);
      if (this.#paths !== undefined && isSame) return;
      this.#files = files;
      this.#paths = new FuzzyPathIndex(files);
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
  }
}

/** Marks a promise as handled: an old list outlives a failed attempt to renew it. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  markHandled(promise);
  return promise;
}

/** The prefix of the paths of each folder; empty if the workspace has only one. */
function startsOfPaths(): readonly (readonly [start: string, folder: vscode.Uri])[] {
  const folders = workspaceFolders();
  return folders.map((folder) => [
    folders.length === 1 ? '' : `${workspacePath(folder, [], folders)}/`,
    toUri(folder.location),
  ]);
}

export interface FileListing {
  readonly searchAt: FileSearchAt;
  /** The files below a folder that must not even be named. */
  readonly unlisted: (root: Location) => LeftOut;
}

/** The files in a folder and below, relative to it, except ignored ones. */
async function filesBelow(
  uri: vscode.Uri,
  { searchAt, unlisted }: FileListing,
): Promise<readonly string[]> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const root = folder?.uri ?? uri;
  const start = uri.path.slice(root.path.length).replace(/^\/|\/$/g, '');
  const exclude = excludedAt(uri);
  const paths: string[] = [];
  const location = toLocation(root);
  const search = await searchAt(location);
  await search.files(
    { root: location, start, include: [], exclude, leftOut: unlisted(location) },
    (path) => {
      paths.push(start === '' ? path : path.slice(start.length + 1));
      return paths.length < maxFiles;
    },
    new AbortController().signal,
  );
  return paths.toSorted();
}

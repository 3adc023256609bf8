import { ToolError } from '../support/toolError.ts';
import { readKnownFile, type FileSystemView } from './disk.ts';
import {
  foldCase,
  foldOnVolume,
  locationBelow,
  relativeSegments,
  segmentsOf,
  withSegments,
  type Location,
} from './places.ts';
import { locateRequestedPath, type PathContext } from './resolveTarget.ts';

/** Access to files for finding Git directories in a workspace. */
export interface GitLookups {
  /** Undefined if there is no local disk. */
  readonly view: FileSystemView | undefined;
  /** True if a file or folder exists in a virtual folder, which `view` doesn't cover. */
  readonly exists: (location: Location) => Promise<boolean>;
}

/**
 * Determines which files are in Git repositories. Any folder can be a Git directory, whose
 * configuration and hooks run as soon as a program opens a file near it (threats: T16). Lookups are
 * cached, so each inspection needs a new one.
 */
export class GitDirectories {
  readonly #context: PathContext;
  readonly #lookups: GitLookups;
  readonly #existing = new Map<string, Promise<boolean>>();
  #roots: Promise<readonly Location[]> | undefined;
  #referenced: Promise<readonly Location[]> | undefined;

  constructor(context: PathContext, lookups: GitLookups) {
    this.#context = context;
    this.#lookups = lookups;
  }

  /**
   * True if a file is inside a Git directory once all files of a call are written, since one of
   * them may complete the directory.
   */
  async holds(file: Location, written: readonly Location[]): Promise<boolean> {
    this.#referenced ??= referencedFolders(this.#context, this.#lookups.view);
    for (const folder of await this.#referenced)
      if (relativeSegments(folder, file, foldCase) !== undefined) return true;
    const names = segmentsOf(file.path);
    const inner = await this.#depthOfRoot(file);
    for (let depth = names.length - 1; depth >= 0; depth--) {
      const folder = withSegments(file, names.slice(0, depth));
      // A working tree may be inside of a Git directory without being a part of it.
      if (depth < inner) {
        if (file.scheme !== 'file') return false;
        const child = withSegments(file, names.slice(0, depth + 1));
        if (await this.#exists(locationBelow(child, ['.git']))) return false;
      }
      if (await this.#isGitDirectory(folder, written)) return true;
    }
    return false;
  }

  /** The number of segments of the outermost workspace folder around a file. */
  async #depthOfRoot(file: Location): Promise<number> {
    const { folders } = this.#context;
    const { view } = this.#lookups;
    this.#roots ??= Promise.all(
      folders.map(async ({ location }) => {
        const real = location.scheme === 'file' ? await view?.realPath(location) : undefined;
        return real === undefined ? [location] : [location, real];
      }),
    ).then((roots) => roots.flat());
    const around = (await this.#roots).filter(
      (root) => relativeSegments(root, file, foldCase) !== undefined,
    );
    return Math.min(
      segmentsOf(file.path).length,
      ...around.map(({ path }) => segmentsOf(path).length),
    );
  }

  /** Recognizes a Git directory as Git does. A further working tree has its objects elsewhere. */
  async #isGitDirectory(folder: Location, written: readonly Location[]): Promise<boolean> {
    const has = async (name: string): Promise<boolean> => {
      const isWritten = written.some((file) => {
        const [first] = relativeSegments(folder, file, foldCase) ?? [];
        return first !== undefined && foldOnVolume(first) === foldOnVolume(name);
      });
      return isWritten || this.#exists(locationBelow(folder, [name]));
    };
    if (!(await has('HEAD'))) return false;
    return (await has('commondir')) || ((await has('objects')) && (await has('refs')));
  }

  #exists(location: Location): Promise<boolean> {
    const key = JSON.stringify(location);
    const lookUp = async (): Promise<boolean> => {
      const { view, exists } = this.#lookups;
      try {
        if (view === undefined || location.scheme !== 'file') return await exists(location);
        return (await view.realPath(location)) !== undefined;
      } catch {
        // A path that can't be looked up counts as existing: a broken link is enough for Git.
        return true;
      }
    };
    const known = this.#existing.get(key) ?? lookUp();
    this.#existing.set(key, known);
    return known;
  }
}

/** Folders that a file `.git` of a workspace folder refers to, whatever is in them yet. */
async function referencedFolders(
  { folders, platform }: PathContext,
  view: FileSystemView | undefined,
): Promise<readonly Location[]> {
  const lookups = folders.map(async (folder): Promise<Location[]> => {
    if (view === undefined || folder.location.scheme !== 'file') return [];
    const real = await view.realPath(locationBelow(folder.location, ['.git']));
    const status = real && (await view.status(real));
    if (real === undefined || status?.kind !== 'file') return [];
    const text = new TextDecoder().decode(await readKnownFile(view, real, status, 4096));
    const path = /^gitdir:[ \t]*(\S.*)$/m.exec(text)?.[1]?.trimEnd();
    if (path === undefined) return [];
    const target = placeOf(path, { folders: [folder], platform });
    return target === undefined ? [] : [(await view.realPath(target)) ?? target];
  });
  return (await Promise.all(lookups)).flat();
}

/** Undefined for a path of another system, which no tool can reach either. */
function placeOf(path: string, pathContext: PathContext): Location | undefined {
  try {
    return locateRequestedPath(path, pathContext);
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

import type { Location, Target } from '../workspace/places.ts';

/** Where to look for files, and which of them count. */
export interface SearchScope {
  /** The folder that globs and found paths are relative to. */
  readonly root: Location;
  /** The file or folder below it to look at, relative to it; empty for all of it. */
  readonly start: string;
  /** Globs of which a path fits one; empty for all. Without a `/` they are about names. */
  readonly include: readonly string[];
  /** Globs of what is left out, with all that lies below. */
  readonly exclude: readonly string[];
}

/** A text to look for. All lower case finds upper case too. */
export interface TextQuery {
  readonly text: string;
  readonly isRegex: boolean;
  /** Lines to tell before and after each that fits. */
  readonly context: number;
}

/** A line that fits the query, or one beside it. */
export interface FoundLine {
  /** Relative to the root of the scope. */
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  /** Without its end; cut where it is very long. */
  readonly text: string;
  /** False for a line of context. */
  readonly fits: boolean;
}

/** Characters of a found line that are told at most, more or less. */
export const maxFoundLineLength = 400;

/**
 * Finds files and lines below a folder, without what `.gitignore` names, and without following
 * links. `found` may say false, which ends the search. All reject when the signal aborts, and with
 * a `ToolError` where the query or a glob is not understood.
 */
export interface FileSearch {
  /** Tells the paths of files, relative to the root of the scope, in any order. */
  files(scope: SearchScope, found: (path: string) => boolean, signal: AbortSignal): Promise<void>;
  /** Tells lines: those of a file together and in order, the files in any. */
  lines(
    scope: SearchScope,
    query: TextQuery,
    found: (line: FoundLine) => boolean,
    signal: AbortSignal,
  ): Promise<void>;
  /** The lines of a text that is not, or not like this, on the disk; told under the path. */
  linesOf(
    path: string,
    text: string,
    query: TextQuery,
    signal: AbortSignal,
  ): Promise<readonly FoundLine[]>;
}

/**
 * What to look at for a target: relative to its workspace folder, by which `.gitignore` and globs
 * go, and where that cannot be told relative to itself.
 *
 * @param folder path of the workspace folder that the target was named in
 */
export function searchStart(
  target: Target,
  folder: string | undefined,
): Pick<SearchScope, 'root' | 'start'> {
  const { location, named, kind } = target;
  const below = folder === undefined ? undefined : relativePath(folder, named.path);
  if (below !== undefined && below !== '' && location.path.endsWith(`/${below}`)) {
    return { root: cutEnd(location, below), start: below };
  }
  // Where nobody can look, a folder of the workspace passes for a file too.
  if (kind !== 'file' || below === '') return { root: location, start: '' };
  const name = location.path.slice(location.path.lastIndexOf('/') + 1);
  return { root: cutEnd(location, name), start: name };
}

/** The path relative to the folder, empty for the folder itself; undefined outside of it. */
export function relativePath(folder: string, path: string): string | undefined {
  const base = folder.replace(/\/$/, '');
  if (path === base || path === `${base}/`) return '';
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : undefined;
}

/** How a found path is called, in the words in which its target is called. */
export function foundPathLabel(target: Target, start: string, path: string): string {
  const below = start === '' ? path : (relativePath(start, path) ?? path);
  const label = target.label.replace(/\/$/, '');
  if (label === '' || label === '.') return below;
  return below === '' ? label : `${label}/${below}`;
}

/**
 * Globs for what the model asks for: those with a folder in them are tried from the root and from
 * where the search begins, since nobody knows which is meant.
 */
export function includeGlobs(start: string, glob: string | undefined): readonly string[] {
  if (glob === undefined || glob === '') return [];
  if (!glob.includes('/') || glob.startsWith('**/') || start === '') return [glob];
  return [glob, `${start}/${glob.replace(/^\.?\//, '')}`];
}

/** Globs of the settings `files.exclude` and `search.exclude`: those without `**` mean the root. */
export function excludeGlobs(
  ...settings: readonly (Readonly<Record<string, unknown>> | undefined)[]
): readonly string[] {
  const globs = settings.flatMap((setting) =>
    Object.entries(setting ?? {}).flatMap(([glob, value]) => (value === true ? [glob] : [])),
  );
  const anchored = globs.map((glob) => (/^(?:\*\*)?\//.test(glob) ? glob : `/${glob}`));
  return [...new Set(['**/.git', ...anchored])];
}

function cutEnd(location: Location, end: string): Location {
  const path = location.path.slice(0, -end.length - 1);
  return { ...location, path: path === '' || /^\/[a-z]:$/i.test(path) ? `${path}/` : path };
}

import type { LeftOut, Location, Target } from './places.ts';
import { lastSegment } from '../support/text.ts';

/** Approximate maximum number of characters of a line in a result. */
export const maxFoundLineLength = 400;

/**
 * Approximate maximum number of characters of a line that a search reads: more than it shows, so
 * that a secret at the end of the shown text is recognized and masked.
 */
export const maxReadLineLength = 2000;

/** The files and folders to search. */
export interface SearchScope {
  /** The folder that globs and results are relative to. */
  readonly root: Location;
  /** The file or folder to search, relative to the root; empty for all of it. */
  readonly start: string;
  /** Globs of which a path must match one; empty for all. Globs without a `/` match names. */
  readonly include: readonly string[];
  /** Globs of files and folders to exclude, with everything below them. */
  readonly exclude: readonly string[];
  /** Files and folders, relative to the root, that are neither opened nor reported. */
  readonly leftOut: LeftOut;
}

/** A text to search for. A query in lower case matches any case. */
export interface TextQuery {
  readonly text: string;
  readonly isRegex: boolean;
  /** Number of context lines before and after each match. */
  readonly context: number;
  /** True if files are in order of their paths, which is slower. */
  readonly isOrdered?: boolean;
}

/** A matching line or a context line. */
export interface FoundLine {
  /** Relative to the root of the scope. */
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  /** Text without its line end; truncated if it is very long. */
  readonly text: string;
  /** False for a context line. */
  readonly fits: boolean;
}

/**
 * Finds files and lines below a folder, honoring `.gitignore` and not following links. `onFile` and
 * `onLine` may return false to end the search. All methods reject when the signal aborts, and with
 * a `ToolError` if the query or a glob is invalid.
 */
export interface FileSearch {
  /** Calls `onFile` with the paths of files, relative to the root of the scope, in any order. */
  files(scope: SearchScope, onFile: (path: string) => boolean, signal: AbortSignal): Promise<void>;
  /** Calls `onLine` with lines; those of a file are together and in order. */
  lines(
    scope: SearchScope,
    query: TextQuery,
    onLine: (line: FoundLine) => boolean,
    signal: AbortSignal,
  ): Promise<void>;
  /** Searches a text that is not on disk or differs from the file; results have this path. */
  linesOf(
    path: string,
    text: string,
    query: TextQuery,
    signal: AbortSignal,
  ): Promise<readonly FoundLine[]>;
}

/**
 * The search root of a target: its workspace folder, which `.gitignore` and globs are relative to,
 * or the target itself if that folder cannot be determined.
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
  // Without disk access, a workspace folder is also reported as a file.
  if (kind !== 'file' || below === '') return { root: location, start: '' };
  const name = lastSegment(location.path);
  return { root: cutEnd(location, name), start: name };
}

/** The path relative to the folder, empty for the folder itself; undefined if it is outside. */
export function relativePath(folder: string, path: string): string | undefined {
  const base = folder.replace(/\/$/, '');
  if (path === base || path === `${base}/`) return '';
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : undefined;
}

/** The label of the path of a match, based on the label of its target. */
export function foundPathLabel(target: Target, start: string, path: string): string {
  const below = start === '' ? path : (relativePath(start, path) ?? path);
  const label = target.label.replace(/\/$/, '');
  if (label === '' || label === '.') return below;
  return below === '' ? label : `${label}/${below}`;
}

/**
 * Globs for the model's pattern, which may be several with commas. A folder means what is in it. A
 * pattern with a folder is tried relative to the root and to the start of the search, since either
 * may be meant.
 */
export function includeGlobs(start: string, pattern: string | undefined): readonly string[] {
  const globs = [''];
  let depth = 0;
  for (const character of pattern ?? '') {
    if (character === '{') depth++;
    if (character === '}') depth--;
    // Commas inside braces belong to the glob.
    if (character === ',' && depth <= 0) globs.push('');
    else globs.push(`${globs.pop() ?? ''}${character}`);
  }
  return globs.flatMap((written) => {
    const glob = written.trim();
    if (glob === '') return [];
    const isName = !/[*?[{]/.test(glob);
    const inFolder = glob.endsWith('/') ? `${glob}**` : `${glob}/**`;
    const all = glob.endsWith('/') ? [inFolder] : isName ? [glob, inFolder] : [glob];
    const isAnywhere = !glob.replace(/\/$/, '').includes('/') || glob.startsWith('**/');
    if (isAnywhere && !glob.endsWith('/')) return all;
    if (start === '') return all;
    return all.flatMap((one) => [one, `${start}/${one.replace(/^\.?\//, '')}`]);
  });
}

/**
 * Globs of the settings `files.exclude` and `search.exclude`. Those without `**` are relative to
 * the root.
 */
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

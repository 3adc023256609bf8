import type { SearchScope } from './fileSearch.ts';
import type { Location, Target } from './target.ts';

/**
 * What to look at for a target: relative to its workspace folder, by which `.gitignore` and globs
 * go, and where that cannot be told relative to itself.
 *
 * @param folder path of the workspace folder that the target was named in
 */
export function placeOf(
  target: Target,
  folder: string | undefined,
): Pick<SearchScope, 'root' | 'start'> {
  const { location, named, kind } = target;
  const below = folder === undefined ? undefined : pathBelow(folder, named.path);
  if (below !== undefined && below !== '' && location.path.endsWith(`/${below}`)) {
    return { root: cutEnd(location, below), start: below };
  }
  // Where nobody can look, a folder of the workspace passes for a file too.
  if (kind !== 'file' || below === '') return { root: location, start: '' };
  const name = location.path.slice(location.path.lastIndexOf('/') + 1);
  return { root: cutEnd(location, name), start: name };
}

/** The path relative to the folder, empty for the folder itself; undefined outside of it. */
export function pathBelow(folder: string, path: string): string | undefined {
  const base = folder.replace(/\/$/, '');
  if (path === base || path === `${base}/`) return '';
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : undefined;
}

/** How a found path is called, in the words in which its target is called. */
export function labelOf(target: Target, start: string, path: string): string {
  const below = start === '' ? path : (pathBelow(start, path) ?? path);
  const label = target.label.replace(/\/$/, '');
  if (label === '' || label === '.') return below;
  return below === '' ? label : `${label}/${below}`;
}

/**
 * Globs for what the model asks for: those with a folder in them are tried from the root and from
 * where the search begins, since nobody knows which is meant.
 */
export function includeFrom(start: string, glob: string | undefined): readonly string[] {
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

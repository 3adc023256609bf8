import type { Location } from './target.ts';

/** How a machine compares and writes paths. */
export type Platform = 'linux' | 'mac' | 'windows';

/** A folder of the workspace. */
export interface WorkspaceFolder {
  readonly name: string;
  readonly location: Location;
}

/** The names of a path, without empty ones. */
export function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** The location with other names. */
export function withSegments(location: Location, segments: readonly string[]): Location {
  return { ...location, path: `/${segments.join('/')}` };
}

/**
 * A name as a file system that ignores case may compare it. It also leaves out characters that some
 * ignore and nobody sees, so it is for finding danger, not for allowing.
 */
export function fold(name: string): string {
  if (/^[ -~]*$/.test(name)) return name.toLowerCase();
  const visible = name.normalize('NFC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return visible.toUpperCase().toLowerCase().normalize('NFC');
}

/** The names of `location` below `folder`; undefined where it does not lie there. */
export function segmentsBelow(
  folder: Location,
  location: Location,
  compare: (name: string) => string = (name) => name,
): readonly string[] | undefined {
  if (folder.scheme !== location.scheme) return undefined;
  if (folder.authority.toLowerCase() !== location.authority.toLowerCase()) return undefined;
  const base = segmentsOf(folder.path);
  const names = segmentsOf(location.path);
  const isBelow = base.every((name, index) => {
    const other = names[index];
    return other !== undefined && compare(other) === compare(name);
  });
  return isBelow ? names.slice(base.length) : undefined;
}

/** Whether both are the same place by their names. */
export function isSamePlace(first: Location, second: Location): boolean {
  return segmentsBelow(first, second)?.length === 0;
}

/** Whether the path is a root or a drive: `/`, `/c:`. */
export function isRoot({ path }: Location): boolean {
  const [first, ...others] = segmentsOf(path);
  return others.length === 0 && (first === undefined || /^[a-z]:$/i.test(first));
}

/** The path as a person reads it. */
export function writtenPath({ scheme, authority, path }: Location): string {
  if (scheme !== 'file') return `${scheme}://${authority}${path}`;
  if (authority !== '') return `//${authority}${path}`;
  return /^\/[a-z]:/i.test(path) ? path.slice(1) : path;
}

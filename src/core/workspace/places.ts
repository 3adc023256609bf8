/** An address of a file or folder, with the parts of a URI: decoded, `/` between segments. */
export interface Location {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
}

/** A file or folder that a call is about, as it really is: links followed, case as on the disk. */
export interface Target {
  /** As the model wrote it. */
  readonly requested: string;
  /** What will be touched. */
  readonly location: Location;
  /** Where it was named, before links were followed. */
  readonly named: Location;
  /** As the person knows it: relative to its workspace folder, else the whole path. */
  readonly label: string;
  /** Whether it lies in a folder of the workspace, after links were followed. */
  readonly inside: boolean;
  readonly kind: 'file' | 'folder' | 'missing' | 'special';
  /** Device and inode where the system tells them, else empty: another file has another identity. */
  readonly identity: string;
  /** How many names the file has on the disk; 1 where nobody knows. */
  readonly hardLinks: number;
  /** Whether it may be run as a program. */
  readonly executable: boolean;
}

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
export function foldCase(name: string): string {
  if (/^[ -~]*$/.test(name)) return name.toLowerCase();
  const visible = name.normalize('NFC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return visible.toUpperCase().toLowerCase().normalize('NFC');
}

/** The names of `location` below `folder`; undefined where it does not lie there. */
export function relativeSegments(
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
export function isSameLocation(first: Location, second: Location): boolean {
  return relativeSegments(first, second)?.length === 0;
}

/** Whether the path is a root or a drive: `/`, `/c:`. */
export function isRoot({ path }: Location): boolean {
  const [first, ...others] = segmentsOf(path);
  return others.length === 0 && (first === undefined || /^[a-z]:$/i.test(first));
}

/** The path as a person reads it. */
export function fullPath({ scheme, authority, path }: Location): string {
  if (scheme !== 'file') return `${scheme}://${authority}${path}`;
  if (authority !== '') return `//${authority}${path}`;
  return /^\/[a-z]:/i.test(path) ? path.slice(1) : path;
}

/**
 * Whether paths can begin with the name of a folder, where there are several: not if another one is
 * called the same, whatever the case, or a path would read the name as something else.
 */
export function canPrefixPaths(name: string, folders: readonly WorkspaceFolder[]): boolean {
  if (/^~|^\.{0,2}$|[/\\:%\p{Cc}]/u.test(name)) return false;
  return folders.filter((one) => foldCase(one.name) === foldCase(name)).length === 1;
}

/**
 * How the model and the person call a place below a workspace folder: relative to the folder, with
 * its name in front where there are several, and by its whole path where that name does not tell
 * which of them is meant. `locateRequestedPath` finds the same place by it.
 */
export function workspacePath(
  folder: WorkspaceFolder,
  names: readonly string[],
  folders: readonly WorkspaceFolder[],
): string {
  if (folders.length === 1) return names.length === 0 ? '.' : names.join('/');
  const { name, location } = folder;
  if (canPrefixPaths(name, folders)) return [name, ...names].join('/');
  return fullPath(withSegments(location, [...segmentsOf(location.path), ...names]));
}

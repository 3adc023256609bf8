/** The location of a file or folder, as the decoded parts of a URI with `/` between segments. */
export interface Location {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
}

/** The resolved file or folder of a call: links followed, case as on disk. */
export interface Target {
  /** The path as the model wrote it. */
  readonly requested: string;
  readonly location: Location;
  /** The requested location, before links were followed. */
  readonly named: Location;
  /** The path shown to the person: relative to its workspace folder, otherwise absolute. */
  readonly label: string;
  /** True if the resolved location is inside the workspace. */
  readonly inside: boolean;
  readonly kind: 'file' | 'folder' | 'missing' | 'special';
  /** Device and inode if the system reports them, otherwise empty: different for every file. */
  readonly identity: string;
  /** Number of hard links; 1 if unknown. */
  readonly hardLinks: number;
  readonly executable: boolean;
}

/** Files and folders below a folder that are neither opened nor reported. */
export interface LeftOut {
  /** Globs, relative to the folder and ignoring case, for most of them: those are not opened. */
  readonly globs: readonly string[];
  /** True if a path, relative to the folder, is omitted or below an omitted one. */
  readonly has: (path: string) => boolean;
}

/** The platform, which determines how paths are compared and written. */
export type Platform = 'linux' | 'mac' | 'windows';

export interface WorkspaceFolder {
  readonly name: string;
  readonly location: Location;
}

/** The segments of a path, without empty ones. */
export function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** The location with different path segments. */
export function withSegments(location: Location, segments: readonly string[]): Location {
  return { ...location, path: `/${segments.join('/')}` };
}

/** The location of names below a folder. */
export function locationBelow(folder: Location, names: readonly string[]): Location {
  return withSegments(folder, [...segmentsOf(folder.path), ...names]);
}

/**
 * Folds a name like a file system that ignores case. It also drops invisible characters that some
 * file systems ignore, so it is suited to detect danger, not to allow something.
 */
export function foldCase(name: string): string {
  if (/^[ -~]*$/.test(name)) return name.toLowerCase();
  const visible = name.normalize('NFC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return visible.toUpperCase().toLowerCase().normalize('NFC');
}

/**
 * A name without dots and spaces at its end, which Windows volumes ignore; any machine can have
 * mounted one. Like `foldCase`, it is for detecting danger, not for allowing.
 */
export function foldOnVolume(name: string): string {
  return foldCase(name).replace(/(?<![. ])[. ]+$/, '');
}

/** True if a name may be the short form of a longer, unknown one on such a volume (`GIT~1`). */
export function isShortName(name: string): boolean {
  return /^(?=[^.]{1,8}(\.|$))[^.]+~\d+(\.[^.]{0,3})?$/.test(name);
}

/** The path segments of `location` below `folder`; undefined if it is not inside. */
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

/** True if both locations have the same path. */
export function isSameLocation(first: Location, second: Location): boolean {
  return relativeSegments(first, second)?.length === 0;
}

/** True if the path is a root or a drive: `/`, `/c:`. */
export function isRoot({ path }: Location): boolean {
  const [first, ...others] = segmentsOf(path);
  return others.length === 0 && (first === undefined || /^[a-z]:$/i.test(first));
}

/** The full path for display. */
export function fullPath({ scheme, authority, path }: Location): string {
  if (scheme !== 'file') return `${scheme}://${authority}${path}`;
  if (authority !== '') return `//${authority}${path}`;
  return /^\/[a-z]:/i.test(path) ? path.slice(1) : path;
}

/**
 * True if the name of a folder can prefix paths in a workspace with several folders: not if another
 * folder has the same name in any case, or if a path would interpret the name differently.
 */
export function canPrefixPaths(name: string, folders: readonly WorkspaceFolder[]): boolean {
  if (/^~|^\.{0,2}$|[/\\:%\p{Cc}]/u.test(name)) return false;
  return folders.filter((folder) => foldCase(folder.name) === foldCase(name)).length === 1;
}

/**
 * The path that the model and the person use for a location below a workspace folder: relative to
 * the folder, prefixed with its name if there are several folders, or absolute if that name is
 * ambiguous. `locateRequestedPath` resolves it to the same location.
 */
export function workspacePath(
  folder: WorkspaceFolder,
  names: readonly string[],
  folders: readonly WorkspaceFolder[],
): string {
  if (folders.length === 1) return names.length === 0 ? '.' : names.join('/');
  const { name, location } = folder;
  if (canPrefixPaths(name, folders)) return [name, ...names].join('/');
  return fullPath(locationBelow(location, names));
}

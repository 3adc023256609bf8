import type { FileSystemView } from './disk.ts';
import {
  workspacePath,
  foldCase,
  relativeSegments,
  segmentsOf,
  withSegments,
  fullPath,
  type WorkspaceFolder,
  type Location,
  type Target,
} from './places.ts';
import { locateRequestedPath, type PathContext } from './requestedPath.ts';

/** A workspace folder as it is named and as it really is. */
interface RealFolder {
  readonly folder: WorkspaceFolder;
  readonly location: Location;
}

/** What was found out about a place, and how its names go on below a folder. */
type ResolvedFacts = Pick<Target, 'location' | 'kind' | 'identity' | 'hardLinks' | 'executable'>;

/**
 * Finds out which file or folder a model names: links followed, for a new file those of the deepest
 * folder that exists. `view` is undefined where nobody can tell links; names alone count then, and
 * the identity is empty.
 * @throws {ToolError} for a path that is refused as it is written; anything else where the disk
 * cannot be read.
 */
export async function resolveTarget(
  requested: string,
  pathContext: PathContext,
  view: FileSystemView | undefined,
): Promise<Target> {
  const named = locateRequestedPath(requested, pathContext);
  const disk = named.scheme === 'file' ? view : undefined;
  const found = disk === undefined ? unchecked(named) : await statTarget(named, disk);
  const folders = await Promise.all(pathContext.folders.map((folder) => real(folder, view)));
  const below = await belowFolder(found.location, folders, disk);
  return {
    requested,
    named,
    ...found,
    inside: below !== undefined,
    label: below ?? fullPath(found.location),
  };
}

/** Without a disk to look at, nobody knows what it is. */
function unchecked(location: Location): ResolvedFacts {
  return { location, kind: 'file', identity: '', hardLinks: 1, executable: false };
}

async function statTarget(named: Location, disk: FileSystemView): Promise<ResolvedFacts> {
  const names = segmentsOf(named.path);
  for (let depth = names.length; depth >= 0; depth--) {
    const ancestor = await disk.realPath(withSegments(named, names.slice(0, depth)));
    if (ancestor === undefined) continue;
    const status = await disk.status(ancestor);
    // It was there a moment ago: somebody changes the disk under the check.
    if (status === undefined) throw new Error('The file changed while it was being checked.');
    if (depth === names.length) return { location: ancestor, ...status };
    const location = withSegments(ancestor, [...segmentsOf(ancestor.path), ...names.slice(depth)]);
    const { identity } = status;
    return { location, kind: 'missing', identity, hardLinks: 1, executable: false };
  }
  throw new Error('No part of this path exists.');
}

async function real(
  folder: WorkspaceFolder,
  view: FileSystemView | undefined,
): Promise<RealFolder> {
  const disk = folder.location.scheme === 'file' ? view : undefined;
  const location = (await disk?.realPath(folder.location)) ?? folder.location;
  return { folder, location };
}

/** The label of a place in a workspace folder, the innermost one; undefined where it is in none. */
async function belowFolder(
  location: Location,
  folders: readonly RealFolder[],
  disk: FileSystemView | undefined,
): Promise<string | undefined> {
  const innermostFirst = folders.toSorted(
    (first, second) =>
      segmentsOf(second.location.path).length - segmentsOf(first.location.path).length,
  );
  for (const { folder, location: root } of innermostFirst) {
    const names =
      relativeSegments(root, location) ?? (await belowInOtherCase(root, location, disk));
    if (names === undefined) continue;
    const all = folders.map((one) => one.folder);
    return workspacePath(folder, names, all);
  }
  return undefined;
}

/**
 * The same names in another case or another Unicode form may be the same folder, if the volume does
 * not tell them apart: the disk itself is asked.
 */
async function belowInOtherCase(
  root: Location,
  location: Location,
  disk: FileSystemView | undefined,
): Promise<readonly string[] | undefined> {
  const names = relativeSegments(root, location, foldCase);
  if (names === undefined || disk === undefined) return undefined;
  const all = segmentsOf(location.path);
  const ancestor = withSegments(location, all.slice(0, all.length - names.length));
  const [one, other] = await Promise.all([disk.status(root), disk.status(ancestor)]);
  return one !== undefined && one.identity === other?.identity ? names : undefined;
}

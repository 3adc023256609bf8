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

interface RealFolder {
  readonly folder: WorkspaceFolder;
  readonly location: Location;
}

/** Facts that the file system reports about a location. */
export type ResolvedFacts = Pick<
  Target,
  'location' | 'kind' | 'identity' | 'hardLinks' | 'executable'
>;

/**
 * Resolves the file or folder that a model requested. Links are followed; for a new file, those of
 * the deepest existing folder. If `view` is undefined, links cannot be resolved: only the path
 * counts, and the identity is empty.
 *
 * @param isExcluded whether the content of a workspace folder, whose links were followed, does not
 *   count as inside the workspace
 * @throws {ToolError} for a path that is refused as written; other errors if the disk cannot be
 *   read
 */
export async function resolveTarget(
  requested: string,
  pathContext: PathContext,
  view: FileSystemView | undefined,
  isExcluded: (root: Location) => Promise<boolean> = () => Promise.resolve(false),
): Promise<Target> {
  const named = locateRequestedPath(requested, pathContext);
  const disk = named.scheme === 'file' ? view : undefined;
  const facts = await resolveLocation(named, view);
  const folders = await Promise.all(
    pathContext.folders.map((folder) => resolveFolder(folder, view)),
  );
  const label = await belowFolder(facts.location, folders, disk, isExcluded);
  return {
    requested,
    named,
    ...facts,
    inside: label !== undefined,
    label: label ?? fullPath(facts.location),
  };
}

/**
 * Follows the links of a location. A missing file is located below the deepest existing folder.
 *
 * @param view undefined if links cannot be resolved: a file is assumed then
 * @throws if the disk can't be read
 */
export async function resolveLocation(
  named: Location,
  view: FileSystemView | undefined,
): Promise<ResolvedFacts> {
  const disk = named.scheme === 'file' ? view : undefined;
  if (disk === undefined)
    return { location: named, kind: 'file', identity: '', hardLinks: 1, executable: false };
  const names = segmentsOf(named.path);
  for (let depth = names.length; depth >= 0; depth--) {
    const ancestor = await disk.realPath(withSegments(named, names.slice(0, depth)));
    if (ancestor === undefined) continue;
    const status = await disk.status(ancestor);
    // It existed a moment ago: the disk changed during the check.
    if (status === undefined) throw new Error('The file changed while it was being checked.');
    if (depth === names.length) return { location: ancestor, ...status };
    const location = withSegments(ancestor, [...segmentsOf(ancestor.path), ...names.slice(depth)]);
    const { identity } = status;
    return { location, kind: 'missing', identity, hardLinks: 1, executable: false };
  }
  throw new Error('No part of this path exists.');
}

async function resolveFolder(
  folder: WorkspaceFolder,
  view: FileSystemView | undefined,
): Promise<RealFolder> {
  const disk = folder.location.scheme === 'file' ? view : undefined;
  const location = (await disk?.realPath(folder.location)) ?? folder.location;
  return { folder, location };
}

/** The label of a location in its innermost workspace folder; undefined outside. */
async function belowFolder(
  location: Location,
  folders: readonly RealFolder[],
  disk: FileSystemView | undefined,
  isExcluded: (root: Location) => Promise<boolean>,
): Promise<string | undefined> {
  const innermostFirst = folders.toSorted(
    (first, second) =>
      segmentsOf(second.location.path).length - segmentsOf(first.location.path).length,
  );
  for (const { folder, location: root } of innermostFirst) {
    const names =
      relativeSegments(root, location) ?? (await belowInOtherCase(root, location, disk));
    if (names === undefined || (await isExcluded(root))) continue;
    const all = folders.map((real) => real.folder);
    return workspacePath(folder, names, all);
  }
  return undefined;
}

/**
 * Names that differ only in case or Unicode normalization may be the same folder, depending on the
 * volume, so the identities on disk are compared.
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
  const [rootStatus, ancestorStatus] = await Promise.all([
    disk.status(root),
    disk.status(ancestor),
  ]);
  return rootStatus !== undefined && rootStatus.identity === ancestorStatus?.identity
    ? names
    : undefined;
}

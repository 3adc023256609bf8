import { trimEndOf } from '../support/text.ts';
import type { FileSystemView } from './disk.ts';
import {
  foldCase,
  isRoot,
  relativeSegments,
  segmentsOf,
  withSegments,
  type Location,
} from './places.ts';

/** Schemes under which the root is the root of a whole disk, not of a small virtual file system. */
const diskSchemes = new Set(['file', 'vscode-remote']);

/** Folders, other than `/` and drives, that contain a whole disk: of WSL, macOS and a chroot. */
const wholeDisks = /^\/(?:mnt\/[a-z]|System\/Volumes\/[^/]+|proc\/[^/]+\/root)$/i;

/**
 * True if a workspace folder is so broad that its files can't count as the workspace's own: the
 * root of a disk, the home folder, or a parent of it. A repository can add such a folder in a
 * `.code-workspace` file, or as a link (threats: T22).
 *
 * @param root the folder with links followed
 * @param home the home folder with links followed, if there is one
 * @param view undefined without a local disk
 */
export async function isBroadRoot(
  root: Location,
  home: Location | undefined,
  view: FileSystemView | undefined,
): Promise<boolean> {
  if (!diskSchemes.has(root.scheme)) return false;
  if (isWholeDisk(root)) return true;
  if (home === undefined) return false;
  if (relativeSegments(root, home, foldCase) !== undefined) return true;
  return root.scheme === 'file' && view !== undefined && holdsByIdentity(root, home, view);
}

/** The root of a share is a disk of another machine. */
function isWholeDisk(root: Location): boolean {
  if (isRoot(root) || wholeDisks.test(trimEndOf(root.path, '/'))) return true;
  return root.scheme === 'file' && root.authority !== '' && segmentsOf(root.path).length < 2;
}

/** A folder can be mounted twice: then only its identity shows that it is the same. */
async function holdsByIdentity(
  root: Location,
  home: Location,
  disk: FileSystemView,
): Promise<boolean> {
  const rootStatus = await orUndefined(disk.status(root));
  if (rootStatus === undefined) return false;
  const others = await Promise.all(
    withParents(home).map((parent) => orUndefined(disk.status(parent))),
  );
  return others.some((other) => other?.identity === rootStatus.identity);
}

function withParents(location: Location): readonly Location[] {
  const names = segmentsOf(location.path);
  return [...names.keys(), names.length].map((count) =>
    withSegments(location, names.slice(0, count)),
  );
}

/** A home folder that cannot be examined is only compared by its path. */
async function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch {
    return undefined;
  }
}

import { ToolError } from '../support/toolError.ts';
import type { Location, WorkspaceFolder } from './places.ts';

/** Status of a file or folder, after following links. */
export interface FileStatus {
  readonly kind: 'file' | 'folder' | 'special';
  /** Device, inode and creation time as text: different for every file. */
  readonly identity: string;
  readonly hardLinks: number;
  readonly executable: boolean;
}

/**
 * The view of the file system that the gate needs. Available with Node, but not in browsers or for
 * virtual workspaces. Throws everything that can't be determined, which the gate denies.
 */
export interface FileSystemView {
  /**
   * Resolves all links of a location; undefined if nothing exists there.
   *
   * @throws if a link is broken or circular, or a folder is not accessible
   */
  realPath(location: Location): Promise<Location | undefined>;
  /** The status of a file or folder; undefined if nothing exists there. */
  status(location: Location): Promise<FileStatus | undefined>;
  /** Names of the links directly in a folder. */
  links(folder: Location): Promise<readonly string[]>;
  /**
   * Reads the first bytes of a file that {@link status} described, through one handle, so that no
   * other file is read if a link is changed meanwhile (threats: T22).
   *
   * @param identity of the file that is meant
   * @returns undefined if another file is there now, or no regular one
   */
  read(location: Location, identity: string, bytes: number): Promise<Uint8Array | undefined>;
  /**
   * The paths of those files that Git tracks, and whose changes it shows; undefined without Git.
   *
   * @throws if Git can't tell
   */
  trackedByGit?(
    repository: Location,
    files: readonly Location[],
  ): Promise<ReadonlySet<string> | undefined>;
}

/**
 * Reads the first bytes of a file that was examined before.
 *
 * @throws {ToolError} if another file is there now, or no regular one
 */
export async function readKnownFile(
  view: FileSystemView,
  location: Location,
  { identity }: Pick<FileStatus, 'identity'>,
  bytes: number,
): Promise<Uint8Array> {
  const read = await view.read(location, identity, bytes);
  if (read === undefined) throw replacedFile();
  return read;
}

/** True if two identities belong to the same file. */
export function isSameIdentity(first: string, second: string): boolean {
  return deviceAndInode(first) === deviceAndInode(second);
}

/**
 * An identity without the creation time, which some file systems don't store, or change with every
 * write.
 */
export function deviceAndInode(identity: string): string {
  return identity.slice(0, Math.max(0, identity.lastIndexOf('-')));
}

/** The error for a file that was replaced since it was inspected. */
export function replacedFile(): ToolError {
  return new ToolError('It changed while it was being read. Try again.', 'denied');
}

/**
 * Identifies a workspace by its folders and their device, inode and creation time, so that another
 * workspace at the same location later is not taken for it (threats: T19). Empty if it cannot be
 * determined.
 */
export async function workspaceIdentity(
  folders: readonly WorkspaceFolder[],
  view: FileSystemView | undefined,
): Promise<string> {
  if (view === undefined || folders.length === 0) return '';
  const parts = await Promise.all(
    folders.map(async ({ location }) => {
      if (location.scheme !== 'file') return undefined;
      const real = await view.realPath(location);
      const status = real && (await view.status(real));
      return real && status && [location.authority, location.path, real.path, status.identity];
    }),
  );
  return parts.includes(undefined) ? '' : JSON.stringify(parts);
}

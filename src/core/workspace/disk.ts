import { ToolError } from '../support/toolError.ts';
import { segmentsOf, withSegments, type Location, type WorkspaceFolder } from './places.ts';
import { locateRequestedPath, type PathContext } from './requestedPath.ts';

/** What the file system tells of a file or folder, links followed. */
export interface FileStatus {
  readonly kind: 'file' | 'folder' | 'special';
  /** Device, inode and time of birth in one text: another file has another one. */
  readonly identity: string;
  /** How many names it has. */
  readonly hardLinks: number;
  readonly executable: boolean;
}

/**
 * The disk, as far as the gate must know it. There is one where Node is; on the web and for virtual
 * workspaces there is none. Whatever cannot be found out is thrown, and the gate denies.
 */
export interface FileSystemView {
  /**
   * The same place with all links followed; undefined where nothing has that name.
   * @throws where a link leads nowhere or in a circle, or a folder may not be entered.
   */
  realPath(location: Location): Promise<Location | undefined>;
  /** Undefined where nothing has that name. */
  status(location: Location): Promise<FileStatus | undefined>;
  /** Names of the links directly in a folder. */
  links(folder: Location): Promise<readonly string[]>;
  /** The first bytes of a file. */
  head(location: Location, bytes: number): Promise<Uint8Array>;
}

/**
 * What tells a workspace from another one that lies at the same place later: its folders with their
 * device, inode and time of birth (threats: T19). Empty where nobody can tell.
 */
export async function workspaceIdentity(
  folders: readonly WorkspaceFolder[],
  view: FileSystemView | undefined,
): Promise<string> {
  if (view === undefined || folders.length === 0) return '';
  const parts = await Promise.all(folders.map((folder) => identityOf(folder, view)));
  return parts.includes(undefined) ? '' : JSON.stringify(parts);
}

async function identityOf(
  { location }: WorkspaceFolder,
  view: FileSystemView,
): Promise<readonly string[] | undefined> {
  if (location.scheme !== 'file') return undefined;
  const real = await view.realPath(location);
  const status = real && (await view.status(real));
  return real && status && [location.authority, location.path, real.path, status.identity];
}

/**
 * Where the repositories of the workspace folders lie, when they are not in a folder `.git` but in
 * one that a file `.git` names: what is written there runs as it would in `.git` (threats: T16).
 */
export async function gitFolders(
  { folders, platform }: PathContext,
  view: FileSystemView | undefined,
): Promise<readonly Location[]> {
  const found = folders.map(async (folder): Promise<Location[]> => {
    if (view === undefined || folder.location.scheme !== 'file') return [];
    const { location } = folder;
    const pointer = withSegments(location, [...segmentsOf(location.path), '.git']);
    const real = await view.realPath(pointer);
    if (real === undefined || (await view.status(real))?.kind !== 'file') return [];
    const text = new TextDecoder().decode(await view.head(real, 4096));
    const path = /^gitdir:[ \t]*(.+?)\s*$/m.exec(text)?.[1];
    if (path === undefined) return [];
    const named = placeOf(path, { folders: [folder], platform });
    return named === undefined ? [] : [(await view.realPath(named)) ?? named];
  });
  return (await Promise.all(found)).flat();
}

/** Undefined for a place of another system: no tool can reach it either. */
function placeOf(path: string, pathContext: PathContext): Location | undefined {
  try {
    return locateRequestedPath(path, pathContext);
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

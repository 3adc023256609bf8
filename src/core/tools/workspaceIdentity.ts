import type { FileSystemView } from './fileSystemView.ts';
import type { WorkspaceFolder } from './places.ts';

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

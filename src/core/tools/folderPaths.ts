import { fold, segmentsOf, withSegments, writtenPath, type WorkspaceFolder } from './places.ts';

/**
 * Whether paths can begin with the name of a folder, where there are several: not if another one is
 * called the same, whatever the case, or a path would read the name as something else.
 */
export function canLead(name: string, folders: readonly WorkspaceFolder[]): boolean {
  if (/^~|^\.{0,2}$|[/\\:%\p{Cc}]/u.test(name)) return false;
  return folders.filter((one) => fold(one.name) === fold(name)).length === 1;
}

/**
 * How the model and the person call a place below a workspace folder: relative to the folder, with
 * its name in front where there are several, and by its whole path where that name does not tell
 * which of them is meant. `locateRequested` finds the same place by it.
 */
export function pathIn(
  folder: WorkspaceFolder,
  names: readonly string[],
  folders: readonly WorkspaceFolder[],
): string {
  if (folders.length === 1) return names.length === 0 ? '.' : names.join('/');
  const { name, location } = folder;
  if (canLead(name, folders)) return [name, ...names].join('/');
  return writtenPath(withSegments(location, [...segmentsOf(location.path), ...names]));
}

import type { FileSystemView } from './fileSystemView.ts';
import { segmentsOf, withSegments } from './places.ts';
import { locateRequested, type Surroundings } from './requestedPath.ts';
import type { Location } from './target.ts';
import { ToolError } from './tool.ts';

/**
 * Where the repositories of the workspace folders lie, when they are not in a folder `.git` but in
 * one that a file `.git` names: what is written there runs as it would in `.git` (threats: T16).
 */
export async function gitFolders(
  { folders, platform }: Surroundings,
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
function placeOf(path: string, surroundings: Surroundings): Location | undefined {
  try {
    return locateRequested(path, surroundings);
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

import { ToolError } from '../support/toolError.ts';
import { readKnownFile, type FileSystemView } from '../workspace/disk.ts';
import {
  fullPath,
  isSameLocation,
  segmentsOf,
  withSegments,
  type Location,
  type Target,
} from '../workspace/places.ts';
import type { PathContext } from '../workspace/requestedPath.ts';
import { resolveTarget } from '../workspace/resolveTarget.ts';
import type { Situation } from './action.ts';
import { isDenied } from './deniedPlaces.ts';
import { addedLocalReferences, addsRemoteReference, asciiOf } from './remoteReference.ts';
import { isSecret } from './secrets.ts';

/** Larger schemas, and schemas beyond this number, count as unknown. */
const limits = { bytes: 1024 * 1024, files: 32 };

/** Resolves paths, and knows the locations that must not be read. */
export type FollowContext = PathContext & Pick<Situation, 'denied'>;

/** A file that refers to others, with the paths of its references. */
interface Referring {
  readonly from: Location;
  readonly paths: readonly string[];
}

/**
 * True if a change adds a reference to a local file that has, itself or through other files, a
 * reference that an editor fetches (threats: T25). Also true if a file must not be read, or if this
 * can't be determined.
 *
 * @param target the changed file
 * @param view undefined without a local disk
 */
export async function addsReferenceToRemote(
  { named, location }: Pick<Target, 'named' | 'location'>,
  { before, after }: { readonly before: string; readonly after: string },
  context: FollowContext,
  view: FileSystemView | undefined,
): Promise<boolean> {
  const paths = addedLocalReferences(before, after);
  if (paths.length === 0) return false;
  if (view === undefined || location.scheme !== 'file') return true;
  const places = isSameLocation(named, location) ? [location] : [location, named];
  const queue: Referring[] = places.map((from) => ({ from, paths }));
  const seen = new Set<string>();
  for (const { from, paths: all } of queue) {
    for (const path of all) {
      const file = await lookUp(path, from, context, view);
      if (file === 'unknown') return true;
      if (file === undefined || seen.has(file.path)) continue;
      seen.add(file.path);
      if (seen.size > limits.files) return true;
      const text = await readText(file, view);
      if (text === undefined || addsRemoteReference('', text)) return true;
      queue.push({ from: file, paths: addedLocalReferences('', text) });
    }
  }
  return false;
}

/** The file that a path leads to; undefined if there is none to follow. */
async function lookUp(
  path: string,
  from: Location,
  context: FollowContext,
  view: FileSystemView,
): Promise<Location | 'unknown' | undefined> {
  try {
    const target = await resolveTarget(absolute(path, from), context, view);
    if (target.kind !== 'file') return undefined;
    const isReadable = target.inside && !isDenied(target, context.denied);
    return isReadable && !isSecret(target, undefined) ? target.location : 'unknown';
  } catch (error) {
    if (error instanceof ToolError) return 'unknown';
    throw error;
  }
}

/** Resolves a path relative to the file that contains it, decoding its percent encoding. */
function absolute(path: string, from: Location): string {
  const names = segmentsOf(decodeOnce(path));
  const folder = path.startsWith('/') ? [] : segmentsOf(from.path).slice(0, -1);
  return fullPath(withSegments(from, [...folder, ...names]));
}

function decodeOnce(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function readText(file: Location, view: FileSystemView): Promise<string | undefined> {
  const status = await view.status(file);
  if (status?.kind !== 'file') return undefined;
  const bytes = await readKnownFile(view, file, status, limits.bytes);
  return bytes.length < limits.bytes ? asciiOf(bytes) : undefined;
}

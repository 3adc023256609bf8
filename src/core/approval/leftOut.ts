import {
  foldCase,
  relativeSegments,
  segmentsOf,
  withSegments,
  type LeftOut,
  type Location,
} from '../workspace/places.ts';
import { isWithinAny } from './deniedPlaces.ts';
import { hasSecretName, mayBeKey, secretGlobs } from './secrets.ts';

/**
 * The files that a list omits: denied places, whose names are secret too.
 *
 * @param folder base of the list
 */
export function unlistedBelow(folder: Location, denied: readonly Location[]): LeftOut {
  const locationOf = placesBelow(folder);
  return {
    globs: denied.flatMap((location) => globOf(folder, location)),
    has: (path) => isWithinAny(locationOf(path), denied),
  };
}

/**
 * The files that a search omits: denied places, and files with secrets. Whether, where and how
 * often they match would reveal their content bit by bit (threats: T44).
 *
 * @param folder base of the search
 */
export function unsearchedBelow(folder: Location, denied: readonly Location[]): LeftOut {
  const unlisted = unlistedBelow(folder, denied);
  const locationOf = placesBelow(folder);
  const isSecret = ({ path }: Location): boolean => hasSecretName(path) || mayBeKey(path);
  return {
    globs: [...unlisted.globs, ...secretGlobs],
    has: (path) => isSecret(locationOf(path)) || unlisted.has(path),
  };
}

function placesBelow(folder: Location): (path: string) => Location {
  const above = segmentsOf(folder.path);
  return (path) => withSegments(folder, [...above, ...path.split('/')]);
}

/** The glob of a denied place below the folder. A `*` at its end remains a wildcard. */
function globOf(folder: Location, denied: Location): readonly string[] {
  const names = relativeSegments(folder, denied, foldCase) ?? [];
  if (names.length === 0) return [];
  const isOpen = denied.path.endsWith('*');
  const path = `/${names.join('/')}`.replace(/\*$/, '').replace(/[*?{}[\]\\!]/g, '\\$&');
  return [isOpen ? `${path}*` : path];
}

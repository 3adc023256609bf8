import { segmentsOf, withSegments } from '../../core/tools/places.ts';
import type { Location } from '../../core/tools/target.ts';

/**
 * Our own storage, and the data of this VS Code around it: settings, secrets, grants and history.
 * @param globalStorage where VS Code lets us store for all workspaces
 */
export function ownPlaces(
  globalStorage: Location,
  others: readonly (Location | undefined)[],
): readonly Location[] {
  const given = others.filter((place) => place !== undefined);
  return [globalStorage, ...userData(globalStorage), ...given];
}

/** `<user data>/User/globalStorage/<extension>` tells where the rest is. */
function userData(globalStorage: Location): readonly Location[] {
  const names = segmentsOf(globalStorage.path);
  const [user, folder] = names.slice(-3);
  if (names.length < 4 || user !== 'User' || folder !== 'globalStorage') return [];
  return [withSegments(globalStorage, names.slice(0, -3))];
}

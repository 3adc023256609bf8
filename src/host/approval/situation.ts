import * as vscode from 'vscode';
import type { KnownSituation } from '../../core/approval/action.ts';
import { deniedPlaces } from '../../core/approval/deniedPlaces.ts';
import { RealPlaces } from '../../core/approval/realPlaces.ts';
import { segmentsOf, withSegments, type Location } from '../../core/workspace/places.ts';
import type { PathContext } from '../../core/workspace/requestedPath.ts';
import { workspaceFolders, toLocation, type Machine } from '../workspace/location.ts';

/** The folders in which VS Code stores what belongs to Aside. */
interface StorageFolders {
  readonly globalStorageUri: vscode.Uri;
  readonly storageUri: vscode.Uri | undefined;
  readonly logUri: vscode.Uri;
}

export interface SituationOptions {
  readonly context: StorageFolders;
  readonly machine: Machine | undefined;
  readonly askAll: () => boolean;
  readonly tainted: (conversation: string | undefined) => boolean;
}

/** Returns a function that reads the current state of VS Code and of a chat for the policy. */
export function situationOf({
  context,
  machine,
  askAll,
  tainted,
}: SituationOptions): (conversation?: string) => KnownSituation & PathContext {
  const { globalStorageUri, storageUri, logUri } = context;
  const others = [storageUri, logUri].map((uri) => uri && toLocation(uri));
  const denied = deniedPlaces(
    machine?.homes ?? [],
    ownPlaces(toLocation(globalStorageUri), others),
  );
  return (conversation) => ({
    trusted: vscode.workspace.isTrusted,
    askAll: askAll(),
    tainted: tainted(conversation),
    folders: workspaceFolders(),
    platform: machine?.platform ?? 'linux',
    home: machine?.homes.at(-1),
    denied,
  });
}

/** The places that nothing is read from without asking. */
export function deniedPlacesOf(
  context: StorageFolders,
  machine: Machine | undefined,
): () => Promise<readonly Location[]> {
  const situation = situationOf({
    context,
    machine,
    askAll: () => false,
    tainted: () => false,
  });
  const places = new RealPlaces(machine?.view);
  return async () => (await places.find(situation())).denied;
}

/**
 * The storage of Aside, and the user data of this VS Code: settings, secrets, grants and history.
 * @param globalStorage the storage of Aside for all workspaces
 */
export function ownPlaces(
  globalStorage: Location,
  others: readonly (Location | undefined)[],
): readonly Location[] {
  const known = others.filter((location) => location !== undefined);
  return [globalStorage, ...userData(globalStorage), ...known];
}

/** The folder of the user data, from `<user data>/User/globalStorage/<extension>`. */
function userData(globalStorage: Location): readonly Location[] {
  const names = segmentsOf(globalStorage.path);
  const [user, folder] = names.slice(-3);
  if (names.length < 4 || user !== 'User' || folder !== 'globalStorage') return [];
  return [withSegments(globalStorage, names.slice(0, -3))];
}

import { orUndefined } from '../support/background.ts';
import type { FileSystemView } from '../workspace/disk.ts';
import {
  isSameLocation,
  relativeSegments,
  segmentsOf,
  withSegments,
  type Location,
} from '../workspace/places.ts';
import type { KnownSituation, Situation } from './action.ts';
import { isProtectedInHome } from './protectedFiles.ts';

type Found = Pick<Situation, 'denied' | 'linkedFromHome'>;

/**
 * Resolves the locations of the policy: people with a dotfiles folder link to it from the home
 * folder, and the files are just as private under that folder's path (threats: T22). Locations that
 * cannot be resolved are protected by name only.
 */
export class RealPlaces {
  readonly #view: FileSystemView | undefined;
  #folders = '';
  #search: Promise<Found> | undefined;
  latest: Found | undefined;

  constructor(view: FileSystemView | undefined) {
    this.#view = view;
  }

  /** Resolves the locations on the first call, and again after the workspace folders changed. */
  async find(situation: KnownSituation): Promise<Found> {
    const folders = JSON.stringify(situation.folders);
    if (folders !== this.#folders) this.#search = undefined;
    this.#folders = folders;
    this.#search ??= findPlaces(situation, this.#view);
    return (this.latest = await this.#search);
  }
}

type Disk = Pick<FileSystemView, 'realPath' | 'links'>;

/** Caches resolved paths, since most locations share their parents. */
function withCache(view: Disk): Disk {
  const cache = new Map<string, Promise<Location | undefined>>();
  return {
    links: (folder) => view.links(folder),
    realPath(location) {
      const key = JSON.stringify(location);
      const resolved = cache.get(key) ?? view.realPath(location);
      cache.set(key, resolved);
      return resolved;
    },
  };
}

async function findPlaces(
  { denied, home, folders }: KnownSituation,
  disk: FileSystemView | undefined,
): Promise<Found> {
  if (disk === undefined) return { denied, linkedFromHome: [] };
  const view = withCache(disk);
  const links = await Promise.all(home === undefined ? [] : linksOfHome(home, denied, view));
  const [real, linkedFromHome] = await Promise.all([
    linkTargets(denied, view),
    linkTargets(links.flat(), view),
  ]);
  const all = [...denied, ...real];
  const inFolders = await Promise.all(
    folders.map(async ({ location }) => {
      const [root] = await linkTargets([location], view);
      return root === undefined
        ? []
        : all.flatMap((target) => withWorkspacePath(target, root, location));
    }),
  );
  return { denied: [...all, ...inFolders.flat()], linkedFromHome };
}

type Links = Promise<readonly Location[]>;

/**
 * Links in the home folder that shells and programs read: some people link the whole folder, others
 * each file in it.
 */
function linksOfHome(home: Location, denied: readonly Location[], view: Disk): readonly Links[] {
  const places = denied.filter((location) => relativeSegments(home, location) !== undefined);
  // VS Code keeps its settings in a subfolder.
  const settings = places.map((folder) => childOf(folder, 'User'));
  return [
    linksIn(home, view, isProtectedInHome),
    ...[childOf(home, '.config'), ...places, ...settings].map((folder) => linksIn(folder, view)),
  ];
}

async function linksIn(folder: Location, view: Disk, counts?: (name: string) => boolean): Links {
  const names = (await orUndefined(view.links(folder))) ?? [];
  return names.filter(counts ?? Boolean).map((name) => childOf(folder, name));
}

function childOf(folder: Location, name: string): Location {
  return withSegments(folder, [...segmentsOf(folder.path), name]);
}

async function linkTargets(places: readonly Location[], view: Disk): Promise<readonly Location[]> {
  const candidates = places.flatMap((location) => [location, ...withoutStar(location)]);
  const targets = await Promise.all(
    candidates.map(async (location) => {
      const real = await realOf(location, view);
      return real === undefined || isSameLocation(real, location) ? [] : [real];
    }),
  );
  return targets.flat();
}

/** A name without its wildcard may itself be a link. */
function withoutStar(location: Location): readonly Location[] {
  return location.path.endsWith('*') ? [{ ...location, path: location.path.slice(0, -1) }] : [];
}

/** Resolves links in the existing part of a path; the rest may be created later. */
async function realOf(location: Location, view: Disk): Promise<Location | undefined> {
  const names = segmentsOf(location.path);
  for (let depth = names.length; depth > 0; depth--) {
    const real = await orUndefined(view.realPath(withSegments(location, names.slice(0, depth))));
    if (real === undefined) continue;
    return withSegments(real, [...segmentsOf(real.path), ...names.slice(depth)]);
  }
  return undefined;
}

/** The location under the workspace's path for `root`, if it is inside that folder. */
function withWorkspacePath(
  location: Location,
  root: Location,
  name: Location,
): readonly Location[] {
  const below = relativeSegments(root, location);
  return below === undefined ? [] : [withSegments(name, [...segmentsOf(name.path), ...below])];
}

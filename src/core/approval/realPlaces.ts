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

/** The places that the policy knows by name, and where links there lead. */
type Found = Pick<Situation, 'denied' | 'linkedFromHome'>;

/**
 * Finds where the places of the policy really are: who keeps them in a folder of dotfiles has links
 * in the home, and by the names of that folder they are no less private (threats: T22). What cannot
 * be found out stays known by name alone.
 */
export class RealPlaces {
  readonly #view: FileSystemView | undefined;
  #folders = '';
  #finding: Promise<Found> | undefined;
  /** What was found last, for those who cannot wait. */
  latest: Found | undefined;

  constructor(view: FileSystemView | undefined) {
    this.#view = view;
  }

  /** Looks once, and again only where the folders of the workspace are others. */
  async find(situation: KnownSituation): Promise<Found> {
    const folders = JSON.stringify(situation.folders);
    if (folders !== this.#folders) this.#finding = undefined;
    this.#folders = folders;
    this.#finding ??= findPlaces(situation, this.#view);
    return (this.latest = await this.#finding);
  }
}

type Disk = Pick<FileSystemView, 'realPath' | 'links'>;

/** Most places have the same folders on their way: each is looked at once. */
function remembering(view: Disk): Disk {
  const known = new Map<string, Promise<Location | undefined>>();
  return {
    links: (folder) => view.links(folder),
    realPath(location) {
      const key = JSON.stringify(location);
      const found = known.get(key) ?? view.realPath(location);
      known.set(key, found);
      return found;
    },
  };
}

async function findPlaces(
  { denied, home, folders }: KnownSituation,
  disk: FileSystemView | undefined,
): Promise<Found> {
  if (disk === undefined) return { denied, linkedFromHome: [] };
  const view = remembering(disk);
  const links = await Promise.all(home === undefined ? [] : linksOfHome(home, denied, view));
  const [real, linkedFromHome] = await Promise.all([
    goalsOf(denied, view),
    goalsOf(links.flat(), view),
  ]);
  const all = [...denied, ...real];
  const inFolders = await Promise.all(
    folders.map(async ({ location }) => {
      const [root] = await goalsOf([location], view);
      return root === undefined ? [] : all.flatMap((place) => renamed(place, root, location));
    }),
  );
  return { denied: [...all, ...inFolders.flat()], linkedFromHome };
}

type Links = Promise<readonly Location[]>;

/** Those in the home that shells and programs read: some link the folder, others each file of it. */
function linksOfHome(home: Location, denied: readonly Location[], view: Disk): readonly Links[] {
  const places = denied.filter((place) => relativeSegments(home, place) !== undefined);
  // The settings of VS Code lie in a folder of their own.
  const settings = places.map((place) => inside(place, 'User'));
  return [
    linksIn(home, view, isProtectedInHome),
    ...[inside(home, '.config'), ...places, ...settings].map((folder) => linksIn(folder, view)),
  ];
}

async function linksIn(folder: Location, view: Disk, counts?: (name: string) => boolean): Links {
  const names = (await orNothing(view.links(folder))) ?? [];
  return names.filter(counts ?? Boolean).map((name) => inside(folder, name));
}

function inside(folder: Location, name: string): Location {
  return withSegments(folder, [...segmentsOf(folder.path), name]);
}

/** What the places really are, of those that are something else than their name says. */
async function goalsOf(places: readonly Location[], view: Disk): Promise<readonly Location[]> {
  const named = places.flatMap((place) => [place, ...withoutStar(place)]);
  const found = await Promise.all(
    named.map(async (place) => {
      const real = await realOf(place, view);
      return real === undefined || isSameLocation(real, place) ? [] : [real];
    }),
  );
  return found.flat();
}

/** Of names that stand for several, the one that is as short: it may be a link itself. */
function withoutStar(place: Location): readonly Location[] {
  return place.path.endsWith('*') ? [{ ...place, path: place.path.slice(0, -1) }] : [];
}

/** The place with the links followed of what is there of its way: the rest may come later. */
async function realOf(place: Location, view: Disk): Promise<Location | undefined> {
  const names = segmentsOf(place.path);
  for (let depth = names.length; depth > 0; depth--) {
    const real = await orNothing(view.realPath(withSegments(place, names.slice(0, depth))));
    if (real === undefined) continue;
    return withSegments(real, [...segmentsOf(real.path), ...names.slice(depth)]);
  }
  return undefined;
}

/** The place below `root` by the name that the workspace has for it, if it lies there. */
function renamed(place: Location, root: Location, name: Location): readonly Location[] {
  const below = relativeSegments(root, place);
  return below === undefined ? [] : [withSegments(name, [...segmentsOf(name.path), ...below])];
}

async function orNothing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch {
    return undefined;
  }
}

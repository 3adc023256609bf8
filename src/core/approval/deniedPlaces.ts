import { orUndefined } from '../support/background.ts';
import type { FileSystemView } from '../files/disk.ts';
import {
  foldCase,
  isSameLocation,
  type Location,
  locationBelow,
  relativeSegments,
  segmentsOf,
  type Target,
  withSegments,
} from '../files/places.ts';
import type { KnownSituation, Situation } from './policy.ts';
import { isProtectedInHome } from './protectedFiles.ts';

/** Data of VS Code and its forks on remote machines. */
const servers =
  'vscode-server vscode-server-insiders vscode-server-oss vscode-remote vscodium-server vscodium-server-insiders cursor-server windsurf-server'
    .split(' ')
    .map((name) => `.${name}/data`);

/** Names of programs packaged as Snap or Flatpak, which keep their data in their own folders. */
const snapNames = 'brave chromium code code-insiders codium firefox opera opera-* vivaldi';
const flatpakNames =
  'com.google.Chrome* com.brave.Browser* com.microsoft.Edge* com.opera.Opera* com.vivaldi.Vivaldi* org.chromium.Chromium* io.github.ungoogled_software.* org.mozilla.* io.gitlab.librewolf-community app.zen_browser.* com.visualstudio.code* com.vscodium.*';

/**
 * Folders in the home folder that no tool may access: keys, browser profiles, VS Code's data. A `*`
 * at the end matches any suffix: browsers have a folder for each edition.
 */
const homeFolders = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.config/gcloud',
  '.local/share/keyrings',
  '.local/share/code-server',
  '.mozilla',
  '.librewolf',
  '.zen',
  'Library/Keychains',
  'Library/Cookies',
  'Library/Safari',
  'Library/Containers/com.apple.Safari*',
  ...servers,
  ...snapNames.split(' ').map((name) => `snap/${name}`),
  ...flatpakNames.split(' ').map((name) => `.var/app/${name}`),
];

/** Folders of programs within the folders where a system keeps application data. */
const programNames = [
  'Code',
  'Code - *',
  'VSCodium',
  'VSCodium - *',
  'Cursor',
  'Windsurf',
  'Windsurf - *',
  'Google/Chrome*',
  'google-chrome*',
  'Chromium',
  'Microsoft/Edge*',
  'Microsoft Edge*',
  'microsoft-edge*',
  'BraveSoftware',
  'Vivaldi',
  'vivaldi-*',
  'Opera',
  'opera-*',
  'Opera Software',
  'com.operasoftware.*',
  'Arc',
  'Packages/TheBrowserCompany.*',
  'Mozilla',
  'Firefox',
  'LibreWolf',
  'zen',
];
const programFolders = [
  '.config',
  'Library/Application Support',
  'AppData/Roaming',
  'AppData/Local',
];

/** Folders that expose devices and processes as files. */
const systemFolders = ['/proc', '/sys', '/dev'];

/**
 * The locations that no tool may read or change, whatever is allowed.
 *
 * @param home the home folder, as named and resolved
 * @param appData Aside's storage and the data of this VS Code
 */
export function deniedPlaces(
  home: readonly Location[],
  appData: readonly Location[],
): readonly Location[] {
  const inPrograms = programFolders.flatMap((folder) =>
    programNames.map((name) => `${folder}/${name}`),
  );
  const paths = [...homeFolders, ...inPrograms].map(segmentsOf);
  return [
    ...appData,
    ...home.flatMap((folder) => paths.map((path) => locationBelow(folder, path))),
    ...systemFolders.map((path) => ({ scheme: 'file', authority: '', path })),
  ];
}

/** Cache of the path prefixes of locations, which are compared frequently. */
const prefixes = new WeakMap<readonly Location[], readonly string[]>();

/** True if the path of a location is inside one of the places. */
export function isWithinAny(location: Location, places: readonly Location[]): boolean {
  const known =
    prefixes.get(places) ?? places.map((denied) => prefixOf(denied).replace(/\*\/$/, ''));
  prefixes.set(places, known);
  const path = prefixOf(location);
  return known.some((prefix) => path.startsWith(prefix));
}

function prefixOf({ scheme, authority, path }: Location): string {
  return foldCase([scheme, authority, ...segmentsOf(path), ''].join('/'));
}

/** True if the target, or the path that was requested for it, is inside one of the places. */
export function isDenied(
  { named, location }: Pick<Target, 'named' | 'location'>,
  places: readonly Location[],
): boolean {
  return isWithinAny(location, places) || isWithinAny(named, places);
}

type ResolvedPlaces = Pick<Situation, 'denied' | 'linkedFromHome'>;

/**
 * Resolves the locations of the policy: people with a dotfiles folder link to it from the home
 * folder, and the files are just as private under that folder's path (threats: T22). Locations that
 * cannot be resolved are protected by name only.
 */
export class RealPlaces {
  readonly #view: FileSystemView | undefined;
  #folders = '';
  #search: Promise<ResolvedPlaces> | undefined;
  latest: ResolvedPlaces | undefined;

  constructor(view: FileSystemView | undefined) {
    this.#view = view;
  }

  /** Resolves the locations on the first call, and again after the workspace folders changed. */
  async find(situation: KnownSituation): Promise<ResolvedPlaces> {
    const folders = JSON.stringify(situation.folders);
    if (folders !== this.#folders) this.#search = undefined;
    this.#folders = folders;
    this.#search ??= resolvePlaces(situation, this.#view);
    return (this.latest = await this.#search);
  }
}

async function resolvePlaces(
  { denied, home, folders }: KnownSituation,
  view: FileSystemView | undefined,
): Promise<ResolvedPlaces> {
  if (view === undefined) return { denied, linkedFromHome: [] };
  // Most locations share their parents.
  const realPaths = new Map<string, Promise<Location | undefined>>();
  /** Resolves links in the existing part of a path; the rest may be created later. */
  const realOf = async (location: Location): Promise<Location | undefined> => {
    const names = segmentsOf(location.path);
    for (let depth = names.length; depth > 0; depth--) {
      const existing = withSegments(location, names.slice(0, depth));
      const key = JSON.stringify(existing);
      const resolved = realPaths.get(key) ?? view.realPath(existing);
      realPaths.set(key, resolved);
      const real = await orUndefined(resolved);
      if (real !== undefined) return locationBelow(real, names.slice(depth));
    }
    return undefined;
  };
  const linkTargets = async (places: readonly Location[]): Promise<readonly Location[]> => {
    // A name without its wildcard may itself be a link.
    const plain = places
      .filter(({ path }) => path.endsWith('*'))
      .map((location) => ({ ...location, path: location.path.slice(0, -1) }));
    const targets = await Promise.all(
      [...places, ...plain].map(async (location) => {
        const real = await realOf(location);
        return real === undefined || isSameLocation(real, location) ? [] : [real];
      }),
    );
    return targets.flat();
  };
  const linksIn = async (folder: Location): Promise<readonly Location[]> => {
    const names = (await orUndefined(view.links(folder))) ?? [];
    return names.map((name) => locationBelow(folder, [name]));
  };
  // Links that shells and programs read: some people link the whole folder, others each file in it.
  const linksOfHome = async (): Promise<readonly Location[]> => {
    if (home === undefined) return [];
    const inHome = denied.filter((location) => relativeSegments(home, location) !== undefined);
    // VS Code keeps its settings in a subfolder.
    const settings = inHome.map((folder) => locationBelow(folder, ['User']));
    const links = await Promise.all([
      linksIn(home).then((all) =>
        all.filter(({ path }) => isProtectedInHome(segmentsOf(path).at(-1) ?? '')),
      ),
      ...[locationBelow(home, ['.config']), ...inHome, ...settings].map(linksIn),
    ]);
    return linkTargets(links.flat());
  };
  const [real, linkedFromHome] = await Promise.all([linkTargets(denied), linksOfHome()]);
  const all = [...denied, ...real];
  // The same places under the workspace's path, where the workspace folder is itself a link.
  const inFolders = await Promise.all(
    folders.map(async ({ location }) => {
      const [root] = await linkTargets([location]);
      return all.flatMap((place) => {
        const names = root && relativeSegments(root, place);
        return names === undefined ? [] : [locationBelow(location, names)];
      });
    }),
  );
  return { denied: [...all, ...inFolders.flat()], linkedFromHome };
}

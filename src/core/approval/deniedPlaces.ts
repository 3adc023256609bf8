import {
  foldCase,
  segmentsOf,
  withSegments,
  type Location,
  type Target,
} from '../workspace/places.ts';

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
    ...home.flatMap((folder) =>
      paths.map((path) => withSegments(folder, [...segmentsOf(folder.path), ...path])),
    ),
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

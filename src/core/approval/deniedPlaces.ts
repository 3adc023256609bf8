import {
  foldCase,
  segmentsOf,
  withSegments,
  type Location,
  type Target,
} from '../workspace/places.ts';

/** What VS Code and its kin keep on a machine that a window of theirs is connected to. */
const servers =
  'vscode-server vscode-server-insiders vscode-server-oss vscode-remote vscodium-server vscodium-server-insiders cursor-server windsurf-server'
    .split(' ')
    .map((name) => `.${name}/data`);

/** Programs that a Linux runs in a box, with their data in it. */
const ofSnap = 'brave chromium code code-insiders codium firefox opera opera-* vivaldi';
const ofFlatpak =
  'com.google.Chrome* com.brave.Browser* com.microsoft.Edge* com.opera.Opera* com.vivaldi.Vivaldi* org.chromium.Chromium* io.github.ungoogled_software.* org.mozilla.* io.gitlab.librewolf-community app.zen_browser.* com.visualstudio.code* com.vscodium.*';

/**
 * Folders of the home whose content no tool touches: keys, profiles of browsers, VS Code's data. A
 * `*` at the end stands for more of the name: browsers have a folder for each of their editions.
 */
const ofHome = [
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
  ...ofSnap.split(' ').map((name) => `snap/${name}`),
  ...ofFlatpak.split(' ').map((name) => `.var/app/${name}`),
];

/** Folders in those where a system keeps what programs store for a person. */
const ofPrograms = [
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

/** Where a system shows devices and processes as files. */
const ofSystem = ['/proc', '/sys', '/dev'];

/**
 * The places that no tool reads or changes, whatever anybody allows.
 * @param home the person's, as it is named and as it really is
 * @param own our storage and the data of this VS Code
 */
export function deniedPlaces(
  home: readonly Location[],
  own: readonly Location[],
): readonly Location[] {
  const inPrograms = programFolders.flatMap((folder) =>
    ofPrograms.map((name) => `${folder}/${name}`),
  );
  const paths = [...ofHome, ...inPrograms].map(segmentsOf);
  return [
    ...own,
    ...home.flatMap((place) =>
      paths.map((path) => withSegments(place, [...segmentsOf(place.path), ...path])),
    ),
    ...ofSystem.map((path) => ({ scheme: 'file', authority: '', path })),
  ];
}

/** The beginnings of all paths in places: they are compared again and again. */
const beginnings = new WeakMap<readonly Location[], readonly string[]>();

/** Whether the location lies in one of the places, by its names. */
export function isWithinAny(location: Location, places: readonly Location[]): boolean {
  const known = beginnings.get(places) ?? places.map(beginningOfPlace);
  beginnings.set(places, known);
  const path = beginningOf(location);
  return known.some((beginning) => path.startsWith(beginning));
}

function beginningOfPlace(place: Location): string {
  return beginningOf(place).replace(/\*\/$/, '');
}

function beginningOf({ scheme, authority, path }: Location): string {
  return foldCase([scheme, authority, ...segmentsOf(path), ''].join('/'));
}

/** Whether the target lies in such a place, or was named so. */
export function isDenied(
  { named, location }: Pick<Target, 'named' | 'location'>,
  places: readonly Location[],
): boolean {
  return isWithinAny(location, places) || isWithinAny(named, places);
}

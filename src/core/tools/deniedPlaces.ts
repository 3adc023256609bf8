import { fold, segmentsOf, withSegments } from './places.ts';
import type { Location, Target } from './target.ts';

/** Folders of the home whose content no tool touches: keys, profiles of browsers, VS Code's data. */
const ofHome = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.config/gcloud',
  '.local/share/keyrings',
  '.vscode-server/data',
  '.vscode-server-insiders/data',
  '.vscode-remote/data',
  '.local/share/code-server',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
  '.config/microsoft-edge',
  '.config/BraveSoftware',
  'snap/firefox',
  'snap/chromium',
  '.var/app/org.mozilla.firefox',
  'Library/Keychains',
  'Library/Cookies',
  'Library/Safari',
];

/** Folders in those where a system keeps what programs store for a person. */
const ofPrograms = [
  'Code',
  'Code - Insiders',
  'VSCodium',
  'Cursor',
  'Google/Chrome',
  'Chromium',
  'Microsoft/Edge',
  'Microsoft Edge',
  'BraveSoftware',
  'Mozilla',
  'Firefox',
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
  const known = beginnings.get(places) ?? places.map(beginningOf);
  beginnings.set(places, known);
  const path = beginningOf(location);
  return known.some((beginning) => path.startsWith(beginning));
}

function beginningOf({ scheme, authority, path }: Location): string {
  return fold([scheme, authority, ...segmentsOf(path), ''].join('/'));
}

/** Whether the target lies in such a place, or was named so. */
export function isDenied(
  { named, location }: Pick<Target, 'named' | 'location'>,
  places: readonly Location[],
): boolean {
  return isWithinAny(location, places) || isWithinAny(named, places);
}

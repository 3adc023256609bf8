/** The journeys that `npm test` takes on every host, by the names of their files: the main things. */
export const mainJourneys: Readonly<Record<string, string>> = {
  demo: 'first run in the demo',
  review: 'edit and decide hunk by hunk',
  restore: 'restore files to before a message',
  switchModel: 'switch the model in the middle of a chat',
  keptChats: 'export, delete, restore and import a chat',
};

/** Files about pages that need no VS Code, and are the same on every host. */
export const pageFiles: readonly string[] = ['accessibility/trees', 'labels', 'sight/states'];

/**
 * Files that take long, about things that tests of units and in VS Code try too: `npm test` leaves them to
 * `npm test -- --whole`.
 */
export const longFiles: readonly string[] = [
  'accessibility/trees',
  'compare',
  'crash',
  'formulas',
  'labels',
  'languageModels',
  'limits',
  'longChat',
  'notebooks',
  'ownChat',
  'remote',
  'reviewChanges',
  'severalChats',
  'severalWindows',
  'shorten',
  'themeColors',
  'themes',
];

/** Files that take longest of those that `npm test` takes, the longest first. */
export const firstFiles: readonly string[] = [
  'firstAfternoon',
  'walkthrough',
  'connection',
  'review',
];

/** Files whose journeys have windows with the same settings, unlike those of most others. */
export const sameWindows: readonly (readonly string[])[] = [
  ['attachments', 'images', 'instructions'],
  ['request', 'partChoices'],
  ['modes', 'protectedFiles', 'stopTools'],
  ['replies', 'tools'],
];

/** Whether a process that has run one of these files can leave a window to the other. */
export function sharesWindow(file: string, other: string): boolean {
  const isOf = (names: readonly string[], name: string): boolean =>
    names.some((part) => name === `${part}.journey.ts`);
  return sameWindows.some((names) => isOf(names, file) && isOf(names, other));
}

export interface LeftOut {
  readonly title: string;
  readonly reason: string;
}

/** Journeys that the host of this run cannot have. */
export const leftOut: LeftOut[] = [];

export function leaveOut(title: string, reason: string): void {
  leftOut.push({ title, reason });
}

/** Set by the run for its processes. */
const onlyMain = process.env['ASIDE_MAIN'] === 'yes';

export const isShort = process.env['ASIDE_SHORT'] === 'yes';

export function isWanted(title: string): boolean {
  return !onlyMain || Object.values(mainJourneys).includes(title);
}

/** Main journeys, which `npm test` runs on every host, by file name. */
export const mainJourneys: Readonly<Record<string, string>> = {
  demo: 'first run in the demo',
  review: 'edit and decide hunk by hunk',
  restore: 'restore files to before a message',
  switchModel: 'switch the model in the middle of a chat',
  keptChats: 'export, delete, restore and import a chat',
};

/** Files that test pages without VS Code, and give the same results on every host. */
export const pageFiles: readonly string[] = [
  'accessibility/trees',
  'labels',
  'sight/states',
  'sight/deltas',
];

/**
 * Slow files whose subjects unit tests and tests in VS Code cover too. `npm test` skips them; `npm
 * test -- --whole` runs them.
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

/** Slowest files that `npm test` runs, the slowest first. */
export const firstFiles: readonly string[] = [
  'firstAfternoon',
  'walkthrough',
  'connection',
  'review',
];

export interface SkippedJourney {
  readonly title: string;
  readonly reason: string;
}

/** Journeys that the host of this run can't run. */
export const skipped: SkippedJourney[] = [];

export function skip(title: string, reason: string): void {
  skipped.push({ title, reason });
}

const onlyMain = process.env['ASIDE_MAIN'] === 'yes';

export const isShort = process.env['ASIDE_SHORT'] === 'yes';

export function isWanted(title: string): boolean {
  return !onlyMain || Object.values(mainJourneys).includes(title);
}

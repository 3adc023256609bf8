/** What `npm test` runs, by file name: each thing that a person must be able to do. */
export const chosenJourneys: Readonly<Record<string, string>> = {
  connection: 'correct a wrong key',
  stop: 'stop a long reply and continue it',
  tools: 'fix a failing test',
  review: 'edit and decide hunk by hunk',
  selection: 'explain a selection and fix it',
  switchModel: 'switch the model in the middle of a chat',
  limits: 'see the usage, and stop at a budget',
  savedChats: 'return to chats after a reload',
  errors: '401, 402, 404 and 429, each with its remedy',
  attachments: 'choose attachments',
  steps: 'with the keyboard alone',
  trust: 'an untrusted repository gets no tools and gives no instructions',
};

/** Main journeys, which `npm test -- --all` also runs on other hosts, by file name. */
export const mainJourneys: Readonly<Record<string, string>> = {
  demo: 'first run in the demo',
  review: 'edit and decide hunk by hunk',
  restore: 'restore files to before a message',
  switchModel: 'switch the model in the middle of a chat',
  keptChats: 'export, delete, restore and import a chat',
};

const lists = { chosen: chosenJourneys, main: mainJourneys };

/** The files that a run needs: those of a list, or undefined for all. */
export function filesOf(only: string | undefined): readonly string[] | undefined {
  if (only === undefined || only === 'others') return undefined;
  if (only === 'chosen' || only === 'main') return Object.keys(lists[only]);
  throw new Error(`There are chosen, main and other journeys, and no ${only} ones.`);
}

/** True if a run takes a journey: one of a list, one that isn't chosen, or any. */
export function isWanted(title: string): boolean {
  const only = process.env['ASIDE_ONLY'];
  if (only === 'chosen' || only === 'main') return Object.values(lists[only]).includes(title);
  return only !== 'others' || !Object.values(chosenJourneys).includes(title);
}

export interface SkippedJourney {
  readonly title: string;
  readonly reason: string;
}

/** Journeys that the host of this run can't run. */
export const skipped: SkippedJourney[] = [];

export function skip(title: string, reason: string): void {
  skipped.push({ title, reason });
}

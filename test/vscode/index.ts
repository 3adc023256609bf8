/** What VS Code loads and runs inside its extension host. */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { format } from 'node:util';
import { reportSecondTries, retries } from '../support/secondTry.ts';

/** Set by the launcher, which tells the report by it from what the workbench logs. */
const mark = process.env['ASIDE_REPORT_MARK'] ?? '';

/**
 * The files in which Aside itself runs. They come last: VS Code allows one file system for reviews, and
 * the tests of reviews register their own.
 */
const filesThatRunAside: readonly string[] = [
  'activation',
  'ask',
  'attachments',
  'externalTools',
  'keptChats',
  'languageModels',
  'menus',
  'models',
  'openChat',
];

/** Rejects when a test failed, which ends VS Code with exit code 1. */
export async function run(): Promise<void> {
  // The Node of the oldest VS Code gives something else for a module that is required.
  const { default: Mocha } = await import('mocha');
  Mocha.reporters.Base.consoleLog = (...parts: unknown[]) => console.log(mark + format(...parts));
  const mocha = new Mocha({
    ui: 'bdd',
    color: true,
    // Three times what the longest takes while another window runs beside it.
    timeout: 90_000,
    forbidOnly: true,
    forbidPending: true,
    retries,
  });
  const files = globSync('**/*.test.cjs', { cwd: __dirname }).sort();
  if (files.length === 0) throw new Error(`There is no test in ${__dirname}.`);
  const runsAside = (file: string): boolean =>
    filesThatRunAside.includes(basename(file, '.test.cjs'));
  const ordered = [...files.filter((file) => !runsAside(file)), ...files.filter(runsAside)];
  for (const file of ordered) mocha.addFile(join(__dirname, file));
  const report = (line: string): void => console.log(mark + line);
  const failures = await new Promise<number>((resolve) =>
    reportSecondTries(mocha.run(resolve), report),
  );
  if (failures > 0) throw new Error(`${failures} tests failed.`);
}

/** Entry that VS Code runs inside its extension host. */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { format } from 'node:util';
import { reportSecondTries, retries } from '../support/secondTry.ts';

/** Set by the launcher to distinguish the report from the workbench's log. */
const mark = process.env['ASIDE_REPORT_MARK'] ?? '';

/**
 * Files that run Aside itself. They come last: VS Code allows one file system for reviews, and the
 * tests of reviews register their own.
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

/** Rejects if a test failed, which ends VS Code with exit code 1. */
export async function run(): Promise<void> {
  // The oldest VS Code's Node returns something else for `require`.
  const { default: Mocha } = await import('mocha');
  Mocha.reporters.Base.consoleLog = (...parts: unknown[]) => console.log(mark + format(...parts));
  const mocha = new Mocha({
    ui: 'bdd',
    color: true,
    // Milliseconds: three times the duration of the longest test beside another window.
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

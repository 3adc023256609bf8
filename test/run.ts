/**
 * Runs the tests that a change must pass, two parts at a time. `--all` also runs all other journeys,
 * the main ones on other hosts, a walk, and the streams that are recorded in a folder, if one is
 * given. The last line is `N passed, N failed`.
 */
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { picturesFolder } from './journeys/support/pictures.ts';
import { reportParts, runParts, type Part, type PartResult } from './support/runParts.ts';
import { fetchVsCode } from './support/vscode/fetchVsCode.ts';
import { findBrowser } from './support/vscode/findBrowser.ts';
import type { HostName } from './support/vscode/hosts.ts';

const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [recordings] = positionals;

await rm(picturesFolder, { recursive: true, force: true });
const results: PartResult[] = [
  ...(await runParts([
    counted('units', 'test:unit', '--', '!test/unit/webview/'),
    passing('package', 'package'),
    passing('lint', 'lint'),
    passing('types', 'types'),
    passing('format', 'format:check'),
    counted('the view', 'test:unit', '--', 'test/unit/webview/'),
  ])),
];
const isPackaged = results.some(({ name, failed }) => name === 'package' && failed === 0);
if (isPackaged) {
  // Installs both once, before two parts need them at the same time. What fails here fails again
  // in the parts, which report it.
  await Promise.allSettled([fetchVsCode(), findBrowser()]);
  results.push(
    ...(await runParts([
      counted('in VS Code', 'test/vscode/run.ts'),
      journeys('chosen journeys', 'newest', '--only', 'chosen', '--processes', '1'),
    ])),
  );
}
if (isPackaged && values.all) {
  // These use two processes themselves.
  results.push(...(await runParts([journeys('other journeys', 'newest', '--only', 'others')], 1)));
  results.push(
    ...(await runParts([
      ...(['web', 'oldest', 'virtual'] as const).map((host) =>
        journeys(`journeys on ${host}`, host, '--only', 'main', '--processes', '1'),
      ),
      counted('walk', 'test/walk/run.ts', '--minutes', '0.5', '--seed', '7'),
      passing('the same package again', 'test/samePackage.ts'),
      ...(recordings === undefined ? [] : [counted('streams', 'conformance', '--', recordings)]),
    ])),
  );
}
reportParts(results);

function passing(name: string, ...run: Part['run']): Part {
  return { name, run, printsCount: false };
}

function counted(name: string, ...run: Part['run']): Part {
  return { name, run, printsCount: true };
}

function journeys(name: string, host: HostName, ...parameters: readonly string[]): Part {
  return counted(name, 'test/journeys/run.ts', '--keep', '--on', host, ...parameters);
}

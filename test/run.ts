/**
 * Runs all kinds of tests. Parts that don't disturb each other run in parallel. More than two second
 * tries fail. The last line is `N passed, N failed`. `--whole` includes the long journeys. A parameter
 * is a folder with recorded streams to replay.
 */
import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { picturesFolder } from './journeys/support/pictures.ts';
import type { Half } from './vscode/buildSuite.ts';
import {
  checkSecondTries,
  reportParts,
  runParts,
  type Part,
  type PartResult,
} from './support/runParts.ts';

const viewTests = 'test/unit/webview/';

const { values, positionals } = parseArgs({
  options: { whole: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [recordings] = positionals;
const build: Part = { name: 'package', run: ['package'], printsCount: false };
const same: Part = {
  name: 'the same package again',
  run: ['test/samePackage.ts'],
  printsCount: false,
  needs: build.name,
};
const lint: Part = { name: 'lint', run: ['lint'], printsCount: false };
const units: Part = { name: 'units', run: ['test:unit', '--', `!${viewTests}`], printsCount: true };
const view: Part = { name: 'the view', run: ['test:unit', '--', viewTests], printsCount: true };
const types: Part = { name: 'types', run: ['types'], printsCount: false };
const elsewhere = (['web', 'oldest', 'virtual'] as const).map((host) => ({
  ...journeys(host, '--main', '--processes', '1'),
  needs: same.name,
}));
const walk: Part = {
  name: 'walk',
  run: ['test/walk/run.ts', '--minutes', '0.5', '--seed', '7'],
  printsCount: true,
  needs: same.name,
};
const played: readonly Part[] =
  recordings === undefined
    ? []
    : [{ name: 'conformance', run: ['conformance', '--', recordings], printsCount: true }];

await rm(picturesFolder, { recursive: true, force: true });
// Longest first, so that none runs alone at the end. No part needs the package while it is built,
// and the first that does fetches VS Code and the browser long before others need them.
const results: PartResult[] = [
  ...(await runParts([
    ...[build, lint, same, inVsCode('second'), units],
    ...[...elsewhere, inVsCode('first'), walk, view, ...played, types],
  ])),
];
// Journeys use two processes themselves.
if (results.some(({ name, failed }) => name === same.name && failed === 0)) {
  const short = values.whole ? [] : ['--short'];
  results.push(...(await runParts([journeys('newest', '--keep', ...short)], 1)));
}
reportParts([...results, checkSecondTries(results)]);

function inVsCode(half: Half): Part {
  return {
    name: `in VS Code, ${half}`,
    run: ['test/vscode/run.ts', '--half', half],
    printsCount: true,
    needs: same.name,
  };
}

function journeys(host: string, ...parameters: readonly string[]): Part {
  const run = ['test/journeys/run.ts', '--on', host, ...parameters] as const;
  return { name: `journeys on ${host}`, run, printsCount: true };
}

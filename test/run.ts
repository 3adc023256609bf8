/**
 * All kinds of tests; parts that don't disturb each other run side by side. The last line is `N passed, N
 * failed`. `--whole` tries also the long journeys. A parameter names a folder of recorded streams to play
 * as well.
 */
import { parseArgs } from 'node:util';
import type { Half } from './vscode/buildSuite.ts';
import { reportParts, runParts, type Part, type PartResult } from './support/runParts.ts';

const viewTests = 'test/unit/webview/';

const { values, positionals } = parseArgs({
  options: { whole: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [recordings] = positionals;
const build: Part = { name: 'package', run: ['package'], printsCount: false };
const types: Part = { name: 'types', run: ['types'], printsCount: false };
const same: Part = {
  name: 'the same package again',
  run: ['test/samePackage.ts'],
  printsCount: false,
};
const lint: Part = { name: 'lint', run: ['lint'], printsCount: false };
const view: Part = { name: 'the view', run: ['test:unit', '--', viewTests], printsCount: true };
const units: Part = { name: 'units', run: ['test:unit', '--', `!${viewTests}`], printsCount: true };
const walk = ['test/walk/run.ts', '--minutes', '1', '--seed', '7'] as const;
const played: readonly Part[] =
  recordings === undefined
    ? []
    : [{ name: 'conformance', run: ['conformance', '--', recordings], printsCount: true }];

const results: PartResult[] = [...(await runParts([lint, build, types]))];
const isPackaged = results.some(({ name, failed }) => name === build.name && failed === 0);
// What the others run is the package.
if (!isPackaged) results.push(...(await runParts([units, view, ...played])));
else {
  results.push(...(await runParts([same])));
  // The longest first.
  results.push(
    ...(await runParts([inVsCode('second'), units, view, inVsCode('first'), ...played])),
  );
  results.push(...(await runParts([journeys('newest', ...(values.whole ? [] : ['--short']))], 1)));
  const elsewhere = (['oldest', 'virtual', 'web'] as const).map((host) =>
    journeys(host, '--main', '--processes', '1'),
  );
  const walking: Part = { name: 'walk', run: walk, printsCount: true };
  results.push(...(await runParts([...elsewhere, walking])));
}
reportParts(results);

function inVsCode(half: Half): Part {
  return {
    name: `in VS Code, ${half}`,
    run: ['test/vscode/run.ts', '--half', half],
    printsCount: true,
  };
}

function journeys(host: string, ...parameters: readonly string[]): Part {
  const run = ['test/journeys/run.ts', '--on', host, ...parameters] as const;
  return { name: `journeys on ${host}`, run, printsCount: true };
}

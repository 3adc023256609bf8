/**
 * All kinds of tests; parts that don't disturb each other run side by side. The last line is `N passed, N
 * failed`. `--whole` tries also the long journeys. A parameter names a folder of recorded streams to play
 * as well.
 */
import { parseArgs } from 'node:util';
import { reportParts, runRows, type Part, type PartResult } from './support/runParts.ts';

const { values, positionals } = parseArgs({
  options: { whole: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [recordings] = positionals;
const build: Part = { name: 'package', run: ['package'], printsCount: false };
const types: Part = { name: 'types', run: ['types'], printsCount: false };
const lint: Part = { name: 'lint', run: ['lint'], printsCount: false };
// In one process, as VS Code runs beside.
const units: Part = { name: 'unit tests', run: ['test:unit', '--', 'test/'], printsCount: true };
const inHost: Part = { name: 'in VS Code', run: ['test/vscode/run.ts'], printsCount: true };
const walk = ['test/walk/run.ts', '--minutes', '1', '--seed', '7'] as const;
const played: readonly Part[] =
  recordings === undefined
    ? []
    : [{ name: 'conformance', run: ['conformance', '--', recordings], printsCount: true }];

const results: PartResult[] = [...(await runRows([build], [types, lint]))];
const isPackaged = results.some(({ name, failed }) => name === build.name && failed === 0);
// What the others run is the package.
if (!isPackaged) results.push(...(await runRows([units, ...played])));
else {
  results.push(...(await runRows([units, ...played], [inHost])));
  results.push(...(await runRows([journeys('newest', ...(values.whole ? [] : ['--short']))])));
  const elsewhere = (['oldest', 'virtual', 'web'] as const).map((host) => journeys(host, '--main'));
  const walking: Part = { name: 'walk', run: walk, printsCount: true };
  results.push(...(await runRows(elsewhere, [walking])));
}
reportParts(results);

function journeys(host: string, ...parameters: readonly string[]): Part {
  const run = ['test/journeys/run.ts', '--on', host, ...parameters] as const;
  return { name: `journeys on ${host}`, run, printsCount: true };
}

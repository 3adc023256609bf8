/**
 * Runs unit and service tests with every case of their properties, and all tests that need VS Code
 * on every host that supports them, one host at a time. Ends with a summary for each host, the
 * reasons for skipped tests, and a last line `N passed, N failed`.
 */
import { reportParts, runParts, type Part, type PartResult } from './support/runParts.ts';
import { hostNames, hosts, type HostName } from './support/vscode/hosts.ts';

const withoutSuite: Readonly<Partial<Record<HostName, string>>> = {
  web: 'tests in VS Code: they need Node',
  served: 'tests in VS Code: they need Node',
};

const results: PartResult[] = [];
const build: Part = { name: 'package', run: ['package'], printsCount: false };
const laws: Part = { name: 'laws', run: ['test:unit', '--', '--whole'], printsCount: true };
results.push(...(await runParts([build, laws])));
// The other parts test the package.
if (results.some(({ name, failed }) => name === build.name && failed === 0))
  for (const host of hostNames) results.push(...(await runParts(partsOf(host), 1)));

for (const host of hostNames) {
  console.log(`── ${host}: ${hosts[host].words}`);
  const reason = withoutSuite[host];
  if (reason !== undefined) console.log(`Not on ${host}: ${reason}`);
  for (const { name, output } of results)
    if (name.endsWith(` on ${host}`)) console.log(output.match(/^Not on .*$/gm)?.join('\n') ?? '');
}
reportParts(results);

function partsOf(host: HostName): readonly Part[] {
  const suite: Part = {
    name: `in VS Code on ${host}`,
    run: ['test/vscode/run.ts', '--on', host],
    printsCount: true,
  };
  const journeys: Part = {
    name: `journeys on ${host}`,
    run: ['test/journeys/run.ts', '--on', host],
    printsCount: true,
  };
  return withoutSuite[host] === undefined ? [suite, journeys] : [journeys];
}

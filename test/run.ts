/**
 * Every test, one part after the other; a part that fails does not stop the next. The last line is
 * `N passed, N failed`. A parameter names a folder of recorded streams to play as well.
 */
import { countTests, type Count } from './support/countTests.ts';
import { runNpm } from './support/runNpm.ts';

interface Part {
  /** A script of `package.json`, and what follows it. */
  readonly script: readonly [string, ...string[]];
  /** Whether it ends with a number of tests; else it counts as one. */
  readonly printsCount: boolean;
}

const recordings = process.argv[2];
const parts: readonly Part[] = [
  { script: ['types'], printsCount: false },
  { script: ['lint'], printsCount: false },
  { script: ['test:unit'], printsCount: true },
  { script: ['test:vscode'], printsCount: true },
  { script: ['test:journeys'], printsCount: true },
  { script: ['walk', '--', '--minutes', '1', '--seed', '7'], printsCount: true },
  ...(recordings === undefined
    ? []
    : [{ script: ['conformance', '--', recordings], printsCount: true } as const]),
];

const counts: Count[] = [];
for (const part of parts) counts.push(await run(part));

for (const [index, { script }] of parts.entries()) {
  const { passed = 0, failed = 0 } = counts[index] ?? {};
  console.log(`${script[0].padEnd(15)}${passed} passed, ${failed} failed`);
}
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function run({ script, printsCount }: Part): Promise<Count> {
  let output = '';
  const code = await runNpm(['run', ...script], { onOutput: (text) => (output += text) });
  return countTests(output, code, printsCount);
}

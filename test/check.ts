/**
 * Runs everything that finds mistakes in one or two minutes, for use after every change. Three parts
 * run in parallel, since tests also wait. Each prints its output at its end.
 */
import { runNpm } from './support/runNpm.ts';

interface Result {
  readonly name: string;
  readonly seconds: string;
  readonly passed: boolean;
}

interface Part {
  readonly name: string;
  /** A script of `package.json`, and its parameters. */
  readonly script: readonly string[];
}

/**
 * Files that only `npm test` runs: the files of the package need two builds, and the others pass very
 * long chats and replies through the view or the client.
 */
const onlyInFullRun = ['!test/unit/packageFiles.', '!/longChat.', '!/work.', '!/faults/large.'];

const waiting: Part[] = [
  { name: 'lint', script: ['lint'] },
  { name: 'tests of the host', script: unitTests('test/unit/host/', ...onlyInFullRun) },
  { name: 'tests of the view', script: unitTests('test/unit/webview/', ...onlyInFullRun) },
  {
    name: 'other tests',
    script: unitTests('!test/unit/host/', '!test/unit/webview/', ...onlyInFullRun),
  },
  { name: 'types', script: ['types'] },
  { name: 'format', script: ['format:check'] },
  { name: 'unused code', script: ['unused'] },
  { name: 'workflows', script: ['workflows'] },
  { name: 'compile', script: ['compile'] },
];
const start = performance.now();
const results: Result[] = [];
await Promise.all([runWaiting(), runWaiting(), runWaiting()]);

for (const { name, seconds, passed } of results)
  console.log(`${name.padEnd(21)}${passed ? 'passed' : 'FAILED'} ${seconds.padStart(6)} s`);
console.log(`${'check'.padEnd(28)}${secondsSince(start).padStart(6)} s`);
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;

function unitTests(...files: readonly string[]): string[] {
  return ['test:unit', '--', ...files, '--reporter', 'dot'];
}

/** Runs one part after the other until none is waiting. */
async function runWaiting(): Promise<void> {
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift())
    results.push(await run(part));
}

async function run({ name, script }: Part): Promise<Result> {
  const from = performance.now();
  let output = '';
  const onOutput = (text: string): void => void (output += text);
  const code = await runNpm(['run', '--silent', ...script], { quiet: true, onOutput });
  const seconds = secondsSince(from);
  console.log(`── ${name}, ${seconds} s\n${output}`);
  return { name, seconds, passed: code === 0 };
}

function secondsSince(from: number): string {
  return ((performance.now() - from) / 1000).toFixed(1);
}

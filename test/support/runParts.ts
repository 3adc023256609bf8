import { join } from 'node:path';
import { countTests, failuresIn, type Count } from './countTests.ts';
import { projectFolder } from './paths.ts';
import { runCommand } from './runCommand.ts';
import { runNpm } from './runNpm.ts';
import { secondTriesIn } from './secondTry.ts';

/** A part of a run of tests. */
export interface Part {
  readonly name: string;
  /** A script of `package.json`, or a file that this Node runs, and what follows it. */
  readonly run: readonly [string, ...string[]];
  /** Whether it ends with a number of tests; else it counts as one. */
  readonly printsCount: boolean;
  /** The name of the part that must have passed before. */
  readonly needs?: string;
}

export interface PartResult extends Count {
  readonly name: string;
  readonly output: string;
}

/**
 * Runs parts, the first ones first, so many side by side; one that fails stops only those that need it.
 * Where several run at a time, the output of a part is printed when it has ended.
 */
export async function runParts(
  parts: readonly Part[],
  atATime = 2,
): Promise<readonly PartResult[]> {
  const waiting = [...parts];
  const running = new Set<Promise<unknown>>();
  const results: PartResult[] = [];
  const isReady = ({ needs }: Part): boolean =>
    needs === undefined || results.some(({ name, failed }) => name === needs && failed === 0);
  const start = async (part: Part): Promise<void> => {
    results.push(await runPart(part, atATime > 1));
  };
  for (;;) {
    const next = running.size < atATime ? waiting.find(isReady) : undefined;
    if (next !== undefined) {
      waiting.splice(waiting.indexOf(next), 1);
      const run = start(next).finally(() => running.delete(run));
      running.add(run);
    } else if (running.size > 0) await Promise.race(running);
    else break;
  }
  for (const { name, needs } of waiting) console.log(`── ${name} was not run: it needs ${needs}`);
  return results;
}

async function runPart({ name, run, printsCount }: Part, quiet: boolean): Promise<PartResult> {
  const from = performance.now();
  if (!quiet) console.log(`── ${name}`);
  let output = '';
  const onOutput = (text: string): void => void (output += text);
  const code = await execute(run, onOutput, quiet);
  const minutes = ((performance.now() - from) / 60_000).toFixed(1);
  console.log(quiet ? `── ${name}, ${minutes} min\n${output}` : `── ${name}, ${minutes} min`);
  return { name, output, ...countTests(output, code, printsCount) };
}

function execute(
  [script, ...parameters]: Part['run'],
  onOutput: (text: string) => void,
  quiet: boolean,
): Promise<number> {
  if (!script.endsWith('.ts')) return runNpm(['run', script, ...parameters], { onOutput, quiet });
  const file = join(projectFolder, script);
  return runCommand(process.execPath, [file, ...parameters], { onOutput, quiet });
}

/**
 * Prints what failed, the tests that needed a second try, what became of each part and, as the last
 * line, of all. Sets the exit code.
 */
export function reportParts(results: readonly PartResult[]): void {
  for (const { name, failed, output } of results)
    if (failed > 0) console.log(`── Failed: ${name}\n${failuresIn(output)}`);
  const secondTries = results.flatMap(({ output }) => secondTriesIn(output));
  for (const line of secondTries) console.log(line);
  console.log(`${secondTries.length} second tries`);
  for (const { name, passed, failed } of results)
    console.log(`${name.padEnd(26)}${passed} passed, ${failed} failed`);
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

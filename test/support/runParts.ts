import { join } from 'node:path';
import { countTests, failuresIn, type Count } from './countTests.ts';
import { projectFolder } from './paths.ts';
import { runCommand } from './runCommand.ts';
import { runNpm } from './runNpm.ts';
import { secondTriesIn } from './secondTry.ts';

/** A part of a run of tests. */
export interface Part {
  readonly name: string;
  /** A script of `package.json`, or a file to run with Node, and parameters. */
  readonly run: readonly [string, ...string[]];
  /** True if the output ends with a number of tests; otherwise the part counts as one. */
  readonly printsCount: boolean;
  /** Name of a part that must pass first. */
  readonly needs?: string;
}

export interface PartResult extends Count {
  readonly name: string;
  readonly output: string;
}

/**
 * Runs parts in order, several at a time. A part that fails stops only those that need it. If
 * several run at a time, each prints its output at its end.
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

/** The most second tries of a run that passes. */
const mostSecondTries = 2;

/** A result that fails if too many tests of the parts needed a second try. */
export function checkSecondTries(results: readonly PartResult[]): PartResult {
  const isOk = results.flatMap(({ output }) => secondTriesIn(output)).length <= mostSecondTries;
  const output = isOk
    ? ''
    : `  1 failing\n  More than ${mostSecondTries} tests needed a second try.`;
  return { name: 'second tries', output, passed: isOk ? 1 : 0, failed: isOk ? 0 : 1 };
}

/**
 * Prints failures, tests that needed a second try, the result of each part and, as the last line,
 * the total. Sets the exit code.
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

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
}

export interface PartResult extends Count {
  readonly name: string;
  readonly output: string;
  readonly seconds: string;
}

/**
 * Runs parts in order, several at a time, also after one that failed. If several run at a time, each
 * prints its output at its end.
 */
export async function runParts(
  parts: readonly Part[],
  atATime = 2,
): Promise<readonly PartResult[]> {
  const waiting = [...parts];
  const results: PartResult[] = [];
  const runWaiting = async (): Promise<void> => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift())
      results.push(await runPart(part, atATime > 1));
  };
  await Promise.all(Array.from({ length: atATime }, runWaiting));
  return results;
}

async function runPart({ name, run, printsCount }: Part, quiet: boolean): Promise<PartResult> {
  const from = performance.now();
  if (!quiet) console.log(`── ${name}`);
  let output = '';
  const onOutput = (text: string): void => void (output += text);
  const code = await execute(run, onOutput, quiet);
  const seconds = ((performance.now() - from) / 1000).toFixed(0);
  console.log(quiet ? `── ${name}, ${seconds} s\n${output}` : `── ${name}, ${seconds} s`);
  return { name, output, seconds, ...countTests(output, code, printsCount) };
}

function execute(
  [script, ...parameters]: Part['run'],
  onOutput: (text: string) => void,
  quiet: boolean,
): Promise<number> {
  if (!script.endsWith('.ts'))
    return runNpm(['run', '--silent', script, ...parameters], { onOutput, quiet });
  const file = join(projectFolder, script);
  return runCommand(process.execPath, [file, ...parameters], { onOutput, quiet });
}

/**
 * Prints failures, tests that needed a second try, the result of each part and, as the last line,
 * the total. Sets the exit code.
 */
export function reportParts(results: readonly PartResult[]): void {
  for (const { name, failed, output } of results)
    if (failed > 0) console.log(`── Failed: ${name}\n${failuresIn(output)}`);
  const secondTries = results.flatMap(({ output }) => secondTriesIn(output));
  if (secondTries.length > 0) console.log(secondTries.join('\n'));
  for (const { name, seconds, passed, failed } of results)
    console.log(`${seconds.padStart(5)} s  ${name.padEnd(26)}${passed} passed, ${failed} failed`);
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

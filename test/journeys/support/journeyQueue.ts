import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { retries, secondTry } from '../../support/secondTry.ts';
import { fileEnd, fileResult, type FileResult } from './fileResult.ts';

/** Processes to stop when this one exits. */
const lanes = new Set<ChildProcess>();
process.once('exit', () => {
  for (const lane of lanes) lane.kill('SIGTERM');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130));

/**
 * Runs files with journeys in parallel processes; each takes the next file when it is free. The
 * output of a file is printed as a whole.
 */
export async function runJourneys(
  files: readonly string[],
  processes: number,
  environment: NodeJS.ProcessEnv,
): Promise<readonly FileResult[]> {
  const waiting = [...files];
  const results: FileResult[] = [];
  const runWaiting = async (): Promise<void> => {
    // A process that crashed is replaced by a new one.
    while (waiting.length > 0) results.push(...(await runLane(waiting, environment)));
  };
  await Promise.all(Array.from({ length: processes }, runWaiting));
  return results;
}

/** Files whose process ended before their journeys did. */
const crashed = new Set<string>();

const emptyResult = {
  passed: 0,
  skipped: [],
  seconds: 0,
  opening: { windows: 0, seconds: 0 },
};

/** Starts a process, which has its own browser, and gives it files until none is left. */
async function runLane(
  waiting: string[],
  environment: NodeJS.ProcessEnv,
): Promise<readonly FileResult[]> {
  const lane = spawn(process.execPath, [join(import.meta.dirname, '../lane.ts')], {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(lane, 'close');
  lanes.add(lane);
  const results: FileResult[] = [];
  let output: string[] = [];
  let running = assignNext(lane.stdin, waiting);
  for await (const line of createInterface(lane.stdout)) {
    if (!line.startsWith(fileEnd)) {
      output.push(line);
      continue;
    }
    const result = fileResult.parse(JSON.parse(line.slice(fileEnd.length)));
    results.push(result);
    // Prints nothing for files whose journeys were all skipped.
    if (result.passed + result.failed.length > 0) console.log(output.join('\n').trim());
    output = [];
    running = assignNext(lane.stdin, waiting);
  }
  await ended;
  lanes.delete(lane);
  if (running === undefined) return results;
  console.log(output.join('\n').trim());
  const reason = `The process of ${running} ended before its journeys did.`;
  if (retries > 0 && !crashed.has(running)) {
    console.log(secondTry(running, reason));
    crashed.add(running);
    waiting.push(running);
    return results;
  }
  return [...results, { ...emptyResult, file: running, failed: [reason] }];
}

/** Writes the next file to a process, or ends its input if there is none. */
function assignNext(input: NodeJS.WritableStream, waiting: string[]): string | undefined {
  const next = waiting.shift();
  if (next === undefined) input.end();
  else input.write(`${next}\n`);
  return next;
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sharesWindow } from './chosenJourneys.ts';
import { fileEnd, fileResult, type FileResult } from './fileResult.ts';

/** End with this process, and each of them ends what it started. */
const lanes = new Set<ChildProcess>();
process.once('exit', () => {
  for (const lane of lanes) lane.kill('SIGTERM');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130));

/**
 * Runs files of journeys in processes side by side; each takes the next file when it has run one. The
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
    // A process that ended before its file did is replaced by another one.
    while (waiting.length > 0) results.push(...(await runLane(waiting, environment)));
  };
  await Promise.all(Array.from({ length: processes }, runWaiting));
  return results;
}

const noResult = {
  passed: 0,
  leftOut: [],
  seconds: 0,
  opening: { windows: 0, seconds: 0 },
};

/** One process: it has a browser of its own. */
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
  let running = giveNext(lane.stdin, waiting, undefined);
  for await (const line of createInterface(lane.stdout)) {
    if (!line.startsWith(fileEnd)) {
      output.push(line);
      continue;
    }
    const result = fileResult.parse(JSON.parse(line.slice(fileEnd.length)));
    results.push(result);
    // Of a file whose journeys were all left out there is nothing to tell.
    if (result.passed + result.failed.length > 0) console.log(withoutEmptyEnds(output));
    output = [];
    running = giveNext(lane.stdin, waiting, running);
  }
  await ended;
  lanes.delete(lane);
  if (running === undefined) return results;
  console.log(withoutEmptyEnds(output));
  const failed = [`The process of ${running} ended before its journeys did.`];
  return [...results, { ...noResult, file: running, failed }];
}

/** Ends the input when no file waits. */
function giveNext(
  input: NodeJS.WritableStream,
  waiting: string[],
  last: string | undefined,
): string | undefined {
  const neighbour = waiting.findIndex((file) => last !== undefined && sharesWindow(file, last));
  const [next] = waiting.splice(Math.max(neighbour, 0), 1);
  if (next === undefined) input.end();
  else input.write(`${next}\n`);
  return next;
}

function withoutEmptyEnds(lines: readonly string[]): string {
  return lines.join('\n').trim();
}

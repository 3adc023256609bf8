/**
 * One of several processes that run journeys in parallel. Reads file names from its input, runs
 * each file, and prints its result.
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Mocha from 'mocha';
import { reportSecondTries, retries } from '../support/secondTry.ts';
import { withoutVsCode } from '../support/withoutVsCode.ts';
import { skipped } from './support/chosenJourneys.ts';
import { closeWindows, opening } from './support/journeyWindow.ts';
import { fileEnd, type FileResult } from './support/fileResult.ts';
import { Stage } from './support/stage.ts';

/** Milliseconds: three times the duration of the longest journey on an idle machine. */
const longestJourney = 500_000;

for await (const file of createInterface(process.stdin)) {
  const result = await runFile(file);
  console.log(`${fileEnd}${JSON.stringify(result)}`);
}
await closeWindows();
await Stage.close();
// A failed journey may leave handles open.
process.exit(0);

async function runFile(file: string): Promise<FileResult> {
  const checks = { forbidOnly: true, forbidPending: true };
  const mocha = new Mocha({ timeout: longestJourney, slow: 20_000, retries, ...checks });
  mocha.addFile(join(import.meta.dirname, file));
  skipped.length = 0;
  const start = performance.now();
  const before = { ...opening };
  await withoutVsCode(() => mocha.loadFilesAsync());
  let passed = 0;
  const failed: string[] = [];
  await new Promise((resolve) => {
    const runner = mocha.run(resolve);
    runner.on('pass', () => (passed += 1));
    runner.on('fail', (test: Mocha.Runnable) => failed.push(test.fullTitle()));
    reportSecondTries(runner, console.log);
  });
  // Removes Mocha's listeners for uncaught errors, which would also handle those of later files.
  mocha.dispose();
  const windows = opening.windows - before.windows;
  return {
    file,
    passed,
    failed,
    skipped,
    seconds: secondsSince(start),
    opening: { windows, seconds: opening.seconds - before.seconds },
  };
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

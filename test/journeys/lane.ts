/**
 * One of the processes that run journeys side by side: reads names of files, runs each of them, and
 * says after each what became of it.
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Mocha from 'mocha';
import { reportSecondTries, retries } from '../support/secondTry.ts';
import { withoutVsCode } from '../support/withoutVsCode.ts';
import { leftOut } from './support/chosenJourneys.ts';
import { closeWindows, opening } from './support/journeyWindow.ts';
import { fileEnd, type FileResult } from './support/fileResult.ts';
import { Stage } from './support/stage.ts';

/** Milliseconds: three times what the longest journey takes on a machine that does nothing else. */
const longestJourney = 500_000;

for await (const file of createInterface(process.stdin)) {
  const result = await runFile(file);
  console.log(`${fileEnd}${JSON.stringify(result)}`);
}
await closeWindows();
await Stage.close();
// A journey that failed may have left something open.
process.exit(0);

async function runFile(file: string): Promise<FileResult> {
  const checks = { forbidOnly: true, forbidPending: true };
  const mocha = new Mocha({ timeout: longestJourney, slow: 20_000, retries, ...checks });
  mocha.addFile(join(import.meta.dirname, file));
  leftOut.length = 0;
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
  // It listens for errors of the process that nobody caught, also those of the files after it.
  mocha.dispose();
  const windows = opening.windows - before.windows;
  return {
    file,
    passed,
    failed,
    leftOut,
    seconds: secondsSince(start),
    opening: { windows, seconds: opening.seconds - before.seconds },
  };
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

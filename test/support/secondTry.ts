import { stripVTControlCharacters } from 'node:util';
import type Mocha from 'mocha';

/**
 * Retries of a test that drives a whole VS Code. CI machines may stall for seconds; on other
 * machines a failure should be visible at once.
 */
export const retries = process.env['CI'] === undefined ? 0 : 1;

const mark = '  Second try: ';

/** Maximum lines of a reason that are repeated at the end of a run. */
const reasonLines = 3;

/** Text in an output that tells which test got a second try, and why. */
export function secondTry(title: string, reason: string): string {
  return `${mark}${title}\n    ${reason}`;
}

/** Tests that got a {@link secondTry} in an output, each with the beginning of its reason. */
export function secondTriesIn(output: string): readonly string[] {
  const lines = stripVTControlCharacters(output).split('\n');
  return lines.flatMap((line, at) =>
    line.startsWith(mark) ? [lines.slice(at, at + 1 + reasonLines).join('\n')] : [],
  );
}

/** Subset of Mocha's runner. */
interface RetryingRunner {
  on(
    event: 'retry',
    listener: (test: Pick<Mocha.Test, 'fullTitle'>, error: Error) => void,
  ): unknown;
}

/** Reports the tests of a run that get a second try. */
export function reportSecondTries(runner: RetryingRunner, report: (line: string) => void): void {
  runner.on('retry', (test, error) => {
    report(secondTry(test.fullTitle(), error.stack ?? error.message));
  });
}

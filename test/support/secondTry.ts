import { stripVTControlCharacters } from 'node:util';
import type Mocha from 'mocha';

/**
 * How often a test that drives a whole VS Code is tried again: once where the run decides about a
 * change, since such a machine may stall for seconds. Never where a person looks for a failure.
 */
export const retries = process.env['CI'] === undefined ? 0 : 1;

const mark = '  Second try: ';

/** How many lines of a reason are repeated at the end of a run. */
const reasonLines = 3;

/** The tests that {@link reportSecondTries} named in the output of a run, each with the beginning of its reason. */
export function secondTriesIn(output: string): readonly string[] {
  const lines = stripVTControlCharacters(output).split('\n');
  return lines.flatMap((line, at) =>
    line.startsWith(mark) ? [lines.slice(at, at + 1 + reasonLines).join('\n')] : [],
  );
}

/** The part of a runner of mocha that tells of second tries. */
interface Retrying {
  on(
    event: 'retry',
    listener: (test: Pick<Mocha.Test, 'fullTitle'>, error: Error) => void,
  ): unknown;
}

/** Says which tests needed their second try, and why. */
export function reportSecondTries(runner: Retrying, report: (line: string) => void): void {
  runner.on('retry', (test, error) => {
    report(`${mark}${test.fullTitle()}\n    ${error.stack ?? error.message}`);
  });
}

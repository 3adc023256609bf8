import { stripVTControlCharacters } from 'node:util';
import type Mocha from 'mocha';

/**
 * How often a test that drives a whole VS Code is tried again: once where the run decides about a
 * change, since such a machine may stall for seconds. Never where a person looks for a failure.
 */
export const retries = process.env['CI'] === undefined ? 0 : 1;

const mark = '  Second try: ';

/** The lines of {@link reportSecondTries} that name tests, from the output of a run. */
export function secondTriesIn(output: string): readonly string[] {
  return stripVTControlCharacters(output)
    .split('\n')
    .filter((line) => line.startsWith(mark));
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

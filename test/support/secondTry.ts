import type Mocha from 'mocha';

/**
 * How often a test that drives a whole VS Code is tried again: once where the run decides about a
 * change, since such a machine may stall for seconds. Never where a person looks for a failure.
 */
export const retries = process.env['CI'] === undefined ? 0 : 1;

/** Says which tests needed their second try, and why. */
export function reportSecondTries(runner: Mocha.Runner, report: (line: string) => void): void {
  runner.on('retry', (test: Mocha.Test, error: Error) => {
    report(`  Second try: ${test.fullTitle()}\n    ${error.stack ?? error.message}`);
  });
}

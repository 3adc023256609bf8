import { stripVTControlCharacters } from 'node:util';

export interface Count {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Counts the tests of one part of a test run from its output: mocha's summary, or a line `N passed,
 * N failed`. A part that prints neither counts as one. A failing exit code always counts as a
 * failure.
 */
export function countTests(output: string, exitCode: number, printsCount: boolean): Count {
  const count = readCount(stripVTControlCharacters(output));
  if (count === undefined)
    return exitCode === 0 && !printsCount ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  if (exitCode === 0 || count.failed > 0) return count;
  return { passed: count.passed, failed: 1 };
}

function readCount(output: string): Count | undefined {
  const line = last(output, /^(\d+) passed, (\d+) failed$/gm);
  if (line !== undefined) return { passed: Number(line[1]), failed: Number(line[2]) };
  const passing = last(output, /^ *(\d+) passing\b/gm);
  const failing = last(output, /^ *(\d+) failing$/gm);
  if (passing === undefined) return undefined;
  // Mocha prints the failing after the passing.
  const failed = failing !== undefined && failing.index > passing.index ? Number(failing[1]) : 0;
  return { passed: Number(passing[1]), failed };
}

/** A test may print such lines itself; the summary comes last. */
function last(output: string, pattern: RegExp): RegExpExecArray | undefined {
  return [...output.matchAll(pattern)].at(-1);
}

/** How many lines about failures are repeated at the end of a run, for each part. */
const mostLines = 60;

/** What mocha printed about failed tests at the end of its output, or the end of another output that failed. */
export function failuresIn(output: string): string {
  const plain = stripVTControlCharacters(output);
  const failing = last(plain, /^ *(\d+) failing$/gm);
  const lines = plain
    .slice(failing?.index ?? 0)
    .trimEnd()
    .split('\n');
  return (failing === undefined ? lines.slice(-mostLines) : lines.slice(0, mostLines)).join('\n');
}

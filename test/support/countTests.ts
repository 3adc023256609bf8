import { stripVTControlCharacters } from 'node:util';

export interface Count {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Counts the tests of one part of a test run in its output: Mocha's summary, or a line `N passed, N
 * failed`. A part that prints neither counts as one. A failing exit code always counts as a
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
  // Mocha prints failures after passes.
  const failed = failing !== undefined && failing.index > passing.index ? Number(failing[1]) : 0;
  return { passed: Number(passing[1]), failed };
}

/** The last match: a test may print such lines itself, but the summary is at the end. */
function last(output: string, pattern: RegExp): RegExpExecArray | undefined {
  return [...output.matchAll(pattern)].at(-1);
}

/** Maximum lines about failures that are repeated at the end of a run, per part. */
const maxLines = 60;

/** Mocha's report of failed tests at the end of an output, or just the end of another failed output. */
export function failuresIn(output: string): string {
  const plain = stripVTControlCharacters(output);
  const failing = last(plain, /^ *(\d+) failing$/gm);
  const lines = plain
    .slice(failing?.index ?? 0)
    .trimEnd()
    .split('\n');
  return (failing === undefined ? lines.slice(-maxLines) : lines.slice(0, maxLines)).join('\n');
}

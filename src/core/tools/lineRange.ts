import * as z from 'zod/mini';
import { cutText } from '../support/cutText.ts';

/** A line as the model counts it, from 1. Plainer than `z.int`, whose bounds cost tokens. */
export function lineNumber(): z.ZodMiniType<number> {
  const isLine = (given: number): boolean => Number.isInteger(given) && given >= 1;
  return z.number().check(z.refine(isLine, 'must be a whole number from 1 on'));
}

/** The lines of a text without their ends. An end of a line at the very end begins no other. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Characters of a line that are shown: the lines of minified code have millions. */
const longestShown = 4000;

/** The same for who asks where a long line goes on. */
const longestContinued = 20_000;

/** Lines with their numbers, as much of them as fit. */
export interface NumberedLines {
  /** One line each, a tab between number and text: no character of code is changed by it. */
  readonly text: string;
  /** The first and last that are shown, counted from 1. */
  readonly first: number;
  readonly last: number;
}

/** What of a text is asked for; all of it where nothing is said. */
export interface LineRange {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly column?: number | undefined;
}

/**
 * Numbers the lines from `start` to `end`, both counted from 1 and included, and shows of each what
 * begins at `column`, which is counted from 1 too.
 *
 * @param room characters that the text may have; one line is shown in any case
 */
export function numberLines(
  lines: readonly string[],
  range: LineRange,
  room: number,
): NumberedLines {
  const first = range.start ?? 1;
  const end = Math.min(range.end ?? lines.length, lines.length);
  const shown: string[] = [];
  let length = 0;
  for (let line = first; line <= end; line++) {
    const numbered = `${line}\t${cutLine(lines[line - 1] ?? '', range.column)}`;
    length += numbered.length + 1;
    if (shown.length > 0 && length > room) break;
    shown.push(numbered);
  }
  return { text: shown.join('\n'), first, last: first + shown.length - 1 };
}

function cutLine(line: string, column: number | undefined): string {
  const start = (column ?? 1) - 1;
  const limit = start + (column === undefined ? longestShown : longestContinued);
  if (line.length <= limit) return line.slice(start);
  const shown = cutText(line, limit);
  const note = `${line.length - shown.length} more characters, from column ${shown.length + 1}`;
  return `${shown.slice(start)}… (${note})`;
}

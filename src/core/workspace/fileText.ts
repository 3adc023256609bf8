import * as z from 'zod/mini';
import { truncateText } from '../support/text.ts';

/** How many bytes tell whether a file is text. */
const sniffed = 8000;

/** Whether the bytes look like text, and whether they are UTF-8. */
type ContentKind = 'utf-8' | 'other-text' | 'binary';

/**
 * Tells text from the rest: what has a byte order mark is text, and what has a NUL is none, but for
 * UTF-16 without a mark, which has them on one side only.
 */
export function sniffContent(bytes: Uint8Array): ContentKind {
  const start = bytes.subarray(0, sniffed);
  if (hasByteOrderMark(start, 0xff, 0xfe) || hasByteOrderMark(start, 0xfe, 0xff))
    return 'other-text';
  if (start.includes(0)) return looksLikeUtf16(start) ? 'other-text' : 'binary';
  if (isUtf8(bytes)) return 'utf-8';
  return mostlyControls(start) ? 'binary' : 'other-text';
}

function hasByteOrderMark(bytes: Uint8Array, ...mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

/** Zeros in most of the even places, or most of the odd, and in none of the others. */
function looksLikeUtf16(bytes: Uint8Array): boolean {
  const even = bytes.filter((_, index) => index % 2 === 0);
  const odd = bytes.filter((_, index) => index % 2 === 1);
  return isHighHalf(even, odd) || isHighHalf(odd, even);
}

function isHighHalf(high: Uint8Array, low: Uint8Array): boolean {
  const zeros = high.reduce((sum, byte) => sum + (byte === 0 ? 1 : 0), 0);
  return zeros > high.length * 0.7 && !low.includes(0) && !mostlyControls(low);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Letters of other encodings are above; control characters are those of pictures and archives. */
function mostlyControls(bytes: Uint8Array): boolean {
  const controls = bytes.reduce((sum, byte) => sum + (isControl(byte) ? 1 : 0), 0);
  return controls > bytes.length / 20;
}

function isControl(byte: number): boolean {
  return byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27;
}

/** A line as the model counts it, from 1. Plainer than `z.int`, whose bounds cost tokens. */
export function lineNumber(): z.ZodMiniType<number> {
  const isLine = (given: number): boolean => Number.isInteger(given) && given >= 1;
  return z.number().check(z.refine(isLine, 'must be a whole number of 1 or more'));
}

/** The lines of a text without their ends. An end of a line at the very end begins no other. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Characters of a line that are shown: the lines of minified code have millions. */
const maxShownLength = 4000;

/** The same for who asks where a long line goes on. */
const maxContinuedLength = 20_000;

/** Lines with their numbers, as much of them as fit. */
interface NumberedLines {
  /** One line each, a tab between number and text: no character of code is changed by it. */
  readonly text: string;
  /** The first and last that are shown, counted from 1. */
  readonly first: number;
  readonly last: number;
}

/** What of a text is asked for; all of it where nothing is said. */
interface LineRange {
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
  const limit = start + (column === undefined ? maxShownLength : maxContinuedLength);
  if (line.length <= limit) return line.slice(start);
  const shown = truncateText(line, limit);
  const note = `${line.length - shown.length} more characters, from column ${shown.length + 1}`;
  return `${shown.slice(start)}… (${note})`;
}

import * as z from 'zod/mini';
import { truncateText } from '../support/text.ts';

/** Maximum number of displayed characters of a line: minified code has lines with millions. */
const maxShownLength = 4000;

/** The maximum if a start column is given, to continue a long line. */
const maxContinuedLength = 20_000;

/** Number of bytes that are inspected to detect text. */
const sniffedBytes = 8000;

/** Encoding of content, by its first bytes. */
type ContentKind = 'utf-8' | 'other-text' | 'binary';

/**
 * Detects text: content with a byte order mark is text, and content with a NUL is binary, except
 * UTF-16 without a mark, which has NULs only at even or only at odd offsets.
 */
export function sniffContent(bytes: Uint8Array): ContentKind {
  const start = bytes.subarray(0, sniffedBytes);
  if (markedEncoding(start) !== 'utf-8') return 'other-text';
  if (start.includes(0)) {
    // UTF-16 has zeros at most even offsets and none at odd ones, or the other way round.
    const even = start.filter((_, index) => index % 2 === 0);
    const odd = start.filter((_, index) => index % 2 === 1);
    return isHighHalf(even, odd) || isHighHalf(odd, even) ? 'other-text' : 'binary';
  }
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return mostlyControls(start) ? 'binary' : 'other-text';
  }
}

function isHighHalf(high: Uint8Array, low: Uint8Array): boolean {
  const zeros = high.filter((byte) => byte === 0).length;
  return zeros > high.length * 0.7 && !low.includes(0) && !mostlyControls(low);
}

/**
 * Control characters indicate images and archives; letters in other encodings have higher values.
 */
function mostlyControls(bytes: Uint8Array): boolean {
  // Tab, line feed, form feed, carriage return and escape are part of texts.
  const controls = bytes.filter((byte) => byte < 32 && ![9, 10, 12, 13, 27].includes(byte));
  return controls.length > bytes.length / 20;
}

/** The encoding that a byte order mark names; UTF-8 without one. */
export function markedEncoding([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Schema of a line number, counted from 1. Simpler than `z.int`, whose bounds cost tokens. */
export function lineNumber(): z.ZodMiniType<number> {
  return z
    .number()
    .check(
      z.refine(
        (value) => Number.isInteger(value) && value >= 1,
        'must be a whole number of 1 or more',
      ),
    );
}

/**
 * Splits a text into lines without line endings. A line ending at the very end does not start
 * another line.
 */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Numbered lines, limited in length. */
interface NumberedLines {
  /** One line each, with a tab between number and text, so that code is not changed. */
  readonly text: string;
  /** First and last line that are shown, counted from 1. */
  readonly first: number;
  readonly last: number;
}

/** The requested part of a text; undefined fields do not limit it. */
interface LineRange {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly column?: number | undefined;
}

/**
 * Numbers the lines from `start` to `end`, counted from 1 and inclusive, and shows each line from
 * `column` on, also counted from 1.
 *
 * @param room maximum number of characters; at least one line is shown
 */
export function numberLines(
  lines: readonly string[],
  range: LineRange,
  room: number,
): NumberedLines {
  const first = range.start ?? 1;
  const end = Math.min(range.end ?? lines.length, lines.length);
  const output: string[] = [];
  let length = 0;
  for (let line = first; line <= end; line++) {
    const numbered = `${line}\t${cutLine(lines[line - 1] ?? '', range.column)}`;
    length += numbered.length + 1;
    if (output.length > 0 && length > room) break;
    output.push(numbered);
  }
  return { text: output.join('\n'), first, last: first + output.length - 1 };
}

function cutLine(line: string, column: number | undefined): string {
  const start = (column ?? 1) - 1;
  const limit = start + (column === undefined ? maxShownLength : maxContinuedLength);
  if (line.length <= limit) return line.slice(start);
  const visible = truncateText(line, limit);
  const note = `${line.length - visible.length} more characters, from column ${visible.length + 1}`;
  return `${visible.slice(start)}… (${note})`;
}

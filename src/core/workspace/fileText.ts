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
  if (hasByteOrderMark(start, 0xff, 0xfe) || hasByteOrderMark(start, 0xfe, 0xff))
    return 'other-text';
  if (start.includes(0)) return looksLikeUtf16(start) ? 'other-text' : 'binary';
  if (isUtf8(bytes)) return 'utf-8';
  return mostlyControls(start) ? 'binary' : 'other-text';
}

function hasByteOrderMark(bytes: Uint8Array, ...mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

/** True if most bytes at even offsets are zero and none at odd offsets, or the other way round. */
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

/**
 * Control characters indicate images and archives; letters in other encodings have higher values.
 */
function mostlyControls(bytes: Uint8Array): boolean {
  const controls = bytes.reduce((sum, byte) => sum + (isControl(byte) ? 1 : 0), 0);
  return controls > bytes.length / 20;
}

function isControl(byte: number): boolean {
  return byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27;
}

/** Schema of a line number, counted from 1. Simpler than `z.int`, whose bounds cost tokens. */
export function lineNumber(): z.ZodMiniType<number> {
  const isLine = (value: number): boolean => Number.isInteger(value) && value >= 1;
  return z.number().check(z.refine(isLine, 'must be a whole number of 1 or more'));
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

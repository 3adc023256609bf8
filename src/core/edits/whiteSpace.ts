/** A text with less white space, and where each of its characters was. */
export interface Squeezed {
  readonly text: string;
  /** For each character of `text` its offset in the whole text. */
  readonly offsets: Uint32Array;
}

/**
 * - `trailing`: white space at the ends of lines is left out
 * - `all`: indentation too, and every run inside a line is one space
 */
export type Tolerance = 'trailing' | 'all';

const lineFeed = 10;

/** Leaves out white space that is not told apart. Line ends, which are `\n`, stay. */
export function squeeze(text: string, tolerance: Tolerance): Squeezed {
  // Characters are kept in arrays, without a function for each: a file has a million.
  const codes = new Uint16Array(text.length);
  const offsets = new Uint32Array(text.length);
  let length = 0;
  // Where white space that may be followed by something begins.
  let space = 0;
  let isIndent = true;
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset);
    const isLineEnd = code === lineFeed;
    if (!isLineEnd && isSpace(code)) continue;
    if (!isLineEnd && space < offset) {
      const kept = tolerance === 'trailing' ? offset : isIndent ? space : space + 1;
      for (; space < kept; space++) {
        codes[length] = tolerance === 'trailing' ? text.charCodeAt(space) : 32;
        offsets[length++] = space;
      }
    }
    codes[length] = code;
    offsets[length++] = offset;
    space = offset + 1;
    isIndent = isLineEnd;
  }
  const squeezed = new TextDecoder('utf-16le', { ignoreBOM: true });
  return {
    text: squeezed.decode(codes.subarray(0, length)),
    offsets: offsets.subarray(0, length),
  };
}

/** The indentation of a line. */
export function indentOf(line: string): string {
  return line.slice(0, endOf(line, 0, true));
}

/** Whether a text is nothing but white space. */
export function isBlank(text: string): boolean {
  return endOf(text, 0, true) === text.length;
}

/** Where a run of white space, or of anything else, ends. */
function endOf(text: string, start: number, space: boolean): number {
  let end = start;
  while (end < text.length && isSpace(text.charCodeAt(end)) === space) end++;
  return end;
}

/** The spaces of Unicode that stand apart: no-break, Ogham, narrow no-break, mathematical, ideographic. */
const otherSpaces: ReadonlySet<number> = new Set([0xa0, 0x1680, 0x202f, 0x205f, 0x3000]);

function isSpace(code: number): boolean {
  if (code > 32 && code < 0xa0) return false;
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13);
  return (code >= 0x2000 && code <= 0x200a) || otherSpaces.has(code);
}

/** A text with less white space, and where each of its characters was. */
export interface CollapsedText {
  readonly text: string;
  /** For each character of `text` its offset in the whole text. */
  readonly offsets: Uint32Array;
}

/**
 * - `trailing`: white space at the ends of lines is left out
 * - `all`: indentation too, and every run inside a line is one space
 */
export type WhitespaceTolerance = 'trailing' | 'all';

const lineFeed = 10;

/** Leaves out white space that is not told apart. Line ends, which are `\n`, stay. */
export function collapseWhitespace(text: string, tolerance: WhitespaceTolerance): CollapsedText {
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

/** Where the line of an offset begins: at 0 too, before which a search backwards would not end. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** The indentation of a line as a model wrote it, and as it is in the file. */
export interface IndentPair {
  readonly written: string;
  readonly real: string;
}

/**
 * Indents a line for the file, as its neighbours, which are in both, are indented there. Levels
 * that the neighbours do not have are counted on from the nearest.
 * @param written the indentation of the line as the model wrote it
 * @param near the neighbours to go by, nearest first where several are the same
 * @param all all neighbours, which tell what a level is in the file
 */
export function shiftIndent(
  written: string,
  near: readonly IndentPair[],
  all: readonly IndentPair[],
): string {
  const [first] = near;
  if (first === undefined) return written;
  const distance = (pair: IndentPair): number => Math.abs(written.length - pair.written.length);
  const { written: from, real } = near.reduce(
    (best, pair) => (distance(pair) < distance(best) ? pair : best),
    first,
  );
  if (written === from) return real;
  const change = Math.round((written.length - from.length) * ratioOf(all));
  if (change < 0) return real.slice(0, Math.max(0, real.length + change));
  const usesTabs = all.some((pair) => pair.real.includes('\t'));
  const usesSpaces = all.some((pair) => pair.real.includes(' '));
  const filler = usesTabs || (!usesSpaces && written.includes('\t')) ? '\t' : ' ';
  return real + filler.repeat(change);
}

/** Characters of indentation in the file for one that the model wrote. */
function ratioOf(pairs: readonly IndentPair[]): number {
  const sorted = pairs.toSorted((one, other) => one.written.length - other.written.length);
  const least = sorted[0];
  const most = sorted.at(-1);
  if (least === undefined || most === undefined) return 1;
  const written = most.written.length - least.written.length;
  const real = most.real.length - least.real.length;
  if (written > 0 && real > 0) return real / written;
  // One level alone: tabs and spaces still tell how much of the one is the other.
  const differ = most.written.includes('\t') !== most.real.includes('\t');
  const known = most.written !== '' && most.real !== '';
  return differ && known ? most.real.length / most.written.length : 1;
}

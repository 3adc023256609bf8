const lineFeed = 10;

/** A text with less white space, and the original offset of each character. */
export interface CollapsedText {
  readonly text: string;
  /** Offset of each character of `text` in the original text. */
  readonly offsets: Uint32Array;
}

/**
 * - `trailing`: white space at line ends is ignored
 * - `all`: indentation is ignored too, and each run of white space within a line counts as one
 *   space
 * - `alike`: characters that look alike count as the same, too
 */
export type Tolerance = 'trailing' | 'all' | 'alike';

/** Removes what the tolerance ignores. Line ends, which are `\n`, stay. */
export function collapse(text: string, tolerance: Tolerance): CollapsedText {
  if (tolerance !== 'alike') return collapseWhitespace(text, tolerance);
  const simple = simplify(text);
  const { text: collapsed, offsets } = collapseWhitespace(simple.text, 'all');
  return { text: collapsed, offsets: offsets.map((offset) => simple.offsets[offset] ?? 0) };
}

/** Plain characters, each with those that models write for it, or it for them. */
const lookalikes: readonly (readonly [plain: string, others: string])[] = [
  ['"', '“”„‟″'],
  ["'", '‘’‚‛′'],
  ['-', '‐‑‒–—―−'],
  ['...', '…'],
];
const plainOf = new Map(
  lookalikes.flatMap(([plain, others]) => others.split('').map((other) => [other, plain] as const)),
);

/** Replaces characters by plain ones that look alike, and decomposes letters with accents. */
export function simplifyCharacters(text: string): string {
  return simplify(text).text;
}

function simplify(text: string): {
  readonly text: string;
  readonly offsets: readonly number[];
} {
  const pieces: string[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const plain = code < 0x80 ? character : (plainOf.get(character) ?? character.normalize('NFD'));
    pieces.push(plain);
    for (let index = 0; index < plain.length; index++) offsets.push(offset);
    offset += character.length;
  }
  return { text: pieces.join(''), offsets };
}

function collapseWhitespace(text: string, tolerance: 'trailing' | 'all'): CollapsedText {
  // Character codes in typed arrays, without a callback per character: a file can have a million.
  const codes = new Uint16Array(text.length);
  const offsets = new Uint32Array(text.length);
  let length = 0;
  // Start of white space that text may follow.
  let space = 0;
  let isIndent = true;
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset);
    const isLineEnd = code === lineFeed;
    if (!isLineEnd && isSpace(code)) continue;
    if (!isLineEnd && space < offset) {
      const keptEnd = tolerance === 'trailing' ? offset : isIndent ? space : space + 1;
      for (; space < keptEnd; space++) {
        codes[length] = tolerance === 'trailing' ? text.charCodeAt(space) : 32;
        offsets[length++] = space;
      }
    }
    codes[length] = code;
    offsets[length++] = offset;
    space = offset + 1;
    isIndent = isLineEnd;
  }
  const decoder = new TextDecoder('utf-16le', { ignoreBOM: true });
  return {
    text: decoder.decode(codes.subarray(0, length)),
    offsets: offsets.subarray(0, length),
  };
}

export function indentOf(line: string): string {
  return line.slice(0, spaceAtStart(line));
}

/** True if a text contains only white space. */
export function isBlank(text: string): boolean {
  return spaceAtStart(text) === text.length;
}

/** Number of white space characters at the start of a text. */
function spaceAtStart(text: string): number {
  let end = 0;
  while (end < text.length && isSpace(text.charCodeAt(end))) end++;
  return end;
}

/**
 * Unicode spaces outside the contiguous ranges: no-break, Ogham, narrow no-break, mathematical,
 * ideographic.
 */
const otherSpaces: ReadonlySet<number> = new Set([0xa0, 0x1680, 0x202f, 0x205f, 0x3000]);

function isSpace(code: number): boolean {
  if (code > 32 && code < 0xa0) return false;
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13);
  return (code >= 0x2000 && code <= 0x200a) || otherSpaces.has(code);
}

/**
 * Start of the line at an offset. Offset 0 is handled separately, since `lastIndexOf` treats a
 * negative start as 0.
 */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** The indentation of a line as the model wrote it, and in the file. */
export interface IndentPair {
  readonly written: string;
  readonly real: string;
}

/**
 * Converts the indentation of a line for the file, based on neighboring lines that are in both the
 * edit and the file. Levels that the neighbors don't have are extrapolated from the nearest one.
 *
 * @param written indentation of the line as the model wrote it
 * @param near preferred neighbors, nearest first if several have the same level
 * @param all all neighbors, which determine the width of a level in the file
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
    (nearest, pair) => (distance(pair) < distance(nearest) ? pair : nearest),
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

/** Characters of indentation in the file per character that the model wrote. */
function ratioOf(pairs: readonly IndentPair[]): number {
  const sorted = pairs.toSorted((pair, other) => pair.written.length - other.written.length);
  const least = sorted[0];
  const most = sorted.at(-1);
  if (least === undefined || most === undefined) return 1;
  const written = most.written.length - least.written.length;
  const real = most.real.length - least.real.length;
  if (written > 0 && real > 0) return real / written;
  // With a single level, the ratio can be derived if one side uses tabs and the other spaces.
  const differ = most.written.includes('\t') !== most.real.includes('\t');
  const known = most.written !== '' && most.real !== '';
  return differ && known ? most.real.length / most.written.length : 1;
}

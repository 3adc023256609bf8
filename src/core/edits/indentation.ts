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

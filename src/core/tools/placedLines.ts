/** Something that stands in a line of a file. */
export interface PlacedLine {
  /** How the file is called. */
  readonly label: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

export interface PlacedLinesOptions {
  /** Lines that are told at most. */
  readonly most: number;
  /** What is told in place of the rest, by their number. */
  readonly rest: (count: number) => string;
}

/** Lists lines by file: the file's name once, then `12: text`. Files stay in their order. */
export function renderPlacedLines(
  placed: readonly PlacedLine[],
  { most, rest }: PlacedLinesOptions,
): string {
  const files = new Map<string, PlacedLine[]>();
  for (const one of placed.slice(0, most)) {
    const lines = files.get(one.label);
    if (lines === undefined) files.set(one.label, [one]);
    else lines.push(one);
  }
  const parts = [...files].map(([label, lines]) => [label, ...lines.map(write)].join('\n'));
  if (placed.length > most) parts.push(rest(placed.length - most));
  return parts.join('\n\n');
}

function write({ line, text }: PlacedLine): string {
  return text === '' ? String(line) : `${line}: ${text}`;
}

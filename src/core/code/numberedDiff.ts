/** A line of a diff, without its mark. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
  /** Line number in the changed file, counted from 1. Undefined for removed lines. */
  readonly line: number | undefined;
}

/** Changed lines with the lines around them. */
export interface DiffHunk {
  readonly lines: readonly DiffLine[];
}

const hunkHead = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Reads the hunks of one file; empty for a binary file, and for the diff of a merge. */
export function readHunks(diff: string): readonly DiffHunk[] {
  const hunks: { readonly lines: DiffLine[] }[] = [];
  let oldLeft = 0;
  let newLeft = 0;
  let next = 1;
  for (const text of diff.split('\n')) {
    const [head, oldCount = '1', first = '1', newCount = '1'] =
      oldLeft + newLeft > 0 ? [] : (hunkHead.exec(text) ?? []);
    if (head !== undefined) {
      [oldLeft, newLeft, next] = [Number(oldCount), Number(newCount), Number(first)];
      hunks.push({ lines: [] });
      continue;
    }
    // Text after the lines that the head counted is not part of the hunk, even if it looks like it.
    const kind = oldLeft + newLeft > 0 ? kindOf(text) : undefined;
    if (kind === undefined) continue;
    if (kind !== 'added') oldLeft -= 1;
    if (kind !== 'removed') newLeft -= 1;
    const line = kind === 'removed' ? undefined : next++;
    hunks.at(-1)?.lines.push({ kind, text: text.slice(1).replace(/\r$/, ''), line });
  }
  return hunks;
}

function kindOf(line: string): DiffLine['kind'] | undefined {
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  // Editors and patches drop the space of an empty line.
  return line.startsWith(' ') || line === '' || line === '\r' ? 'same' : undefined;
}

const marks: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', added: '+', removed: '-' };

/**
 * The lines of hunks, each with its number in the changed file: a model that had to count lines
 * would get most numbers wrong.
 */
export function numberedLines(hunks: readonly DiffHunk[]): readonly string[] {
  const last = hunks.at(-1)?.lines.findLast(({ line }) => line !== undefined)?.line ?? 0;
  const width = String(last).length;
  return hunks.flatMap(({ lines }, index) => [
    ...(index === 0 ? [] : ['…']),
    ...lines.map(
      ({ kind, text, line = '' }) => `${String(line).padStart(width)} ${marks[kind]}${text}`,
    ),
  ]);
}

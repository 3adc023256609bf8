import { diffLists, splitLinesKeepingEnds, type Hunk } from './lineDiff.ts';

/** Number of unchanged lines around a change. */
const context = 2;

/** A unified diff of two texts, without file names; empty if they are equal. */
export function unifiedDiff(before: string, after: string): string {
  const old = splitLinesKeepingEnds(before);
  const now = splitLinesKeepingEnds(after);
  return grouped(diffLists(old, now))
    .map((hunks) => describe(hunks, old, now))
    .join('');
}

function grouped(hunks: readonly Hunk[]): readonly (readonly Hunk[])[] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1);
    const isNear = last !== undefined && hunk.before.start - last.before.end <= 2 * context;
    if (isNear) groups.at(-1)?.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function describe(hunks: readonly Hunk[], old: readonly string[], now: readonly string[]): string {
  const first = hunks[0];
  const last = hunks.at(-1);
  if (first === undefined || last === undefined) return '';
  const start = Math.max(0, first.before.start - context);
  const end = Math.min(old.length, last.before.end + context);
  const nowStart = first.after.start - (first.before.start - start);
  const nowEnd = last.after.end + (end - last.before.end);
  const lines: string[] = [];
  let line = start;
  const keep = (until: number): void => {
    while (line < until) lines.push(` ${old[line++] ?? ''}`);
  };
  for (const { before, after } of hunks) {
    keep(before.start);
    lines.push(...old.slice(before.start, before.end).map((text) => `-${text}`));
    lines.push(...now.slice(after.start, after.end).map((text) => `+${text}`));
    line = before.end;
  }
  keep(end);
  const head = `@@ -${range(start, end)} +${range(nowStart, nowEnd)} @@\n`;
  return head + lines.map(withEnd).join('');
}

function range(start: number, end: number): string {
  return `${end === start ? start : start + 1},${end - start}`;
}

function withEnd(line: string): string {
  return line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`;
}

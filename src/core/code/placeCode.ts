/** Lines of a file, from 0; `end` is behind the last. */
export interface LinePlace {
  readonly start: number;
  readonly end: number;
}

/**
 * The lines of a file that code is a new version of: from its first line to its last, where the
 * file has each of them once. Undefined where that is not sure.
 */
export function placeCode(file: string, code: string): LinePlace | undefined {
  const lines = file.split('\n');
  const own = code.split('\n');
  const start = onlyIndex(lines, own[0] ?? '');
  const last = onlyIndex(lines, own.at(-1) ?? '', start);
  return start === undefined || last === undefined || last < start
    ? undefined
    : { start, end: last + 1 };
}

function onlyIndex(lines: readonly string[], line: string, from = 0): number | undefined {
  const index = lines.indexOf(line, from);
  return index < 0 || line.trim() === '' || lines.includes(line, index + 1) ? undefined : index;
}

/** Lines of a file, from 0; `end` is behind the last. */
export interface LinePlace {
  readonly start: number;
  readonly end: number;
}

/**
 * The lines of a file that code is a new version of: from its first line, which the file has once,
 * to its last. Undefined where that is not sure.
 */
export function placeCode(file: string, code: string): LinePlace | undefined {
  const lines = file.split('\n');
  const own = code.split('\n');
  const [first = ''] = own;
  const last = own.at(-1) ?? '';
  const start = lines.indexOf(first);
  if (start < 0 || first.trim() === '' || lines.includes(first, start + 1)) return undefined;
  let end = start;
  // A closing bracket stands in the file as often as in the code.
  for (const line of own) if (line === last) end = lines.indexOf(last, end) + 1 || Infinity;
  return end > lines.length || last.trim() === '' ? undefined : { start, end };
}

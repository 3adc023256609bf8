/** Where a line starts; lines are counted from 0, at a position that may be that of a later one. */
export function offsetOfLine(text: string, line: number, from = 0): number {
  let offset = from;
  for (let index = 0; index < line; index++) {
    const end = text.indexOf('\n', offset);
    if (end < 0) return text.length;
    offset = end + 1;
  }
  return offset;
}

/** Where each of these lines starts, of which none is above the one before it. */
export function offsetsOfLines(text: string, lines: readonly number[]): number[] {
  let line = 0;
  let offset = 0;
  return lines.map((next) => {
    offset = offsetOfLine(text, next - line, offset);
    line = next;
    return offset;
  });
}

/** The text of a line from a position in it. */
export function restOfLine(text: string, position: number): string {
  const end = text.indexOf('\n', position);
  return text.slice(position, end < 0 ? undefined : end);
}

/** Where the line of a position starts. */
export function startOfLine(text: string, position: number): number {
  return position === 0 ? 0 : text.lastIndexOf('\n', position - 1) + 1;
}

/** A line that begins or ends a block of code in Markdown. */
export interface Fence {
  readonly mark: '`' | '~';
  readonly length: number;
  /** Characters of white space in front of it. */
  readonly indent: number;
  /** What stands behind the marks; a fence with such words cannot end a block. */
  readonly info: string;
}

const pattern = /^(\s*)(`{3,}|~{3,})([^\r\n]*)/;

/** Reads a line as a fence; undefined where it is none. */
export function fenceOf(line: string): Fence | undefined {
  const found = pattern.exec(line);
  if (found === null) return undefined;
  const [, space = '', marks = '', rest = ''] = found;
  const mark = marks.startsWith('`') ? '`' : '~';
  // Backticks behind backticks make code inside a line, not a fence.
  if (mark === '`' && rest.includes('`')) return undefined;
  return { mark, length: marks.length, indent: space.length, info: rest.trim() };
}

/** The language that a fence names, in lower case; empty where it names none. */
export function languageOf({ info }: Fence): string {
  const [word = ''] = info.split(/[\s,{:]/, 1);
  return word.toLowerCase();
}

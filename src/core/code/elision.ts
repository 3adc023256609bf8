import { indentOf, isBlank } from '../edits/whiteSpace.ts';

const comment = /^(?:\/\/+|#+|--+|;+|%+|\/\*+|<!--|\{\/\*)\s*(.*?)\s*(?:\*\/\}?|-->)?$/;
const dots = /\.{3}|…/;
const words =
  /\b(?:existing|rest|remaining|unchanged|others?|same|previous|omitted|before|code|here)\b/i;

/** Whether a line of code stands for what is there already: `// ... existing code ...`. */
export function isElision(line: string): boolean {
  const text = line.trim();
  if (text === '…') return true;
  const said = comment.exec(text)?.[1];
  if (said === undefined || said.length > 120 || !dots.test(said)) return false;
  return /^(?:\.{3}|…)$/.test(said) || words.test(said);
}

/** Lines of code that belong together: between the elisions, or all of it. */
export interface CodePart {
  readonly lines: readonly string[];
  /** An elision follows, and nothing tells that the block ended before it. */
  readonly isOpen: boolean;
}

/** The parts of code between its elisions, without empty lines around each. */
export function partsOf(lines: readonly string[]): readonly CodePart[] {
  const parts: CodePart[] = [];
  let start = 0;
  for (let end = 0; end <= lines.length; end++) {
    if (end < lines.length && !isElision(lines[end] ?? '')) continue;
    const part = withoutBlankEnds(lines.slice(start, end));
    const isOpen = end < lines.length && !isClosed(part);
    if (part.length > 0) parts.push({ lines: part, isOpen });
    start = end + 1;
  }
  return parts;
}

/** Whether the last line closes what the first begins. */
function isClosed(lines: readonly string[]): boolean {
  const last = lines.at(-1) ?? '';
  return indentOf(last) === indentOf(lines[0] ?? '') && /^(?:[)}\]]|end\b|<\/)/.test(last.trim());
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => !isBlank(line));
  return start < 0 ? [] : lines.slice(start, lines.findLastIndex((line) => !isBlank(line)) + 1);
}

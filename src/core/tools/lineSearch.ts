import { cutText } from '../support/cutText.ts';
import { longestLine, type FoundLine, type TextQuery } from './fileSearch.ts';
import { splitLines } from './lineRange.ts';
import { ToolError } from './tool.ts';

/** Characters of a line that are looked at: an expression of a stranger must not run for minutes. */
const longestLooked = 1000;

/**
 * The lines of a text that fit the query, with those around them. For where there is no ripgrep.
 *
 * @throws {ToolError} where the expression is none, or could take very long.
 */
export function findLines(path: string, text: string, query: TextQuery): readonly FoundLine[] {
  const fits = compileQuery(query);
  const lines = splitLines(text);
  const told = new Map<number, boolean>();
  lines.forEach((line, index) => {
    if (!fits(line.slice(0, longestLooked))) return;
    const first = Math.max(0, index - query.context);
    const last = Math.min(lines.length - 1, index + query.context);
    for (let near = first; near <= last; near++) told.set(near, told.get(near) ?? false);
    told.set(index, true);
  });
  return [...told].map(([index, isFitting]) => ({
    path,
    line: index + 1,
    text: cutText(lines[index] ?? '', longestLine),
    fits: isFitting,
  }));
}

function compileQuery({ text, isRegex }: TextQuery): (line: string) => boolean {
  const anyCase = text === text.toLowerCase();
  if (isRegex) {
    const expression = compileExpression(text, anyCase ? 'iu' : 'u');
    return (line) => expression.test(line);
  }
  if (!anyCase) return (line) => line.includes(text);
  return (line) => line.toLowerCase().includes(text);
}

function compileExpression(text: string, flags: string): RegExp {
  if (isDangerous(text)) {
    throw new ToolError(
      'This expression could take very long here. Use no back reference, and do not repeat a group with a repetition or a choice inside.',
    );
  }
  try {
    return new RegExp(text, flags);
  } catch (error) {
    throw new ToolError(error instanceof Error ? error.message : 'This is no regular expression.');
  }
}

/** Whether it refers back, or repeats a group that has a repetition or a choice inside. */
function isDangerous(text: string): boolean {
  if (/\\(?:[1-9]|k<)/.test(text)) return true;
  // Escapes and classes are single characters.
  const plain = text.replace(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/g, 'x');
  const open = [false];
  for (const [index, character] of Array.from(plain).entries()) {
    if (character === '(') open.push(false);
    else if (/[*+{|]/.test(character)) open[open.length - 1] = true;
    else if (character === ')') {
      const varies = open.pop() ?? false;
      if (varies && /[*+{]/.test(plain.charAt(index + 1))) return true;
      open[open.length - 1] ||= varies;
    }
  }
  return false;
}

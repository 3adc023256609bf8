import { linesBeforeSecrets } from '../support/secretTokens.ts';
import { pathLine } from '../support/text.ts';

/** A line of a file, with its path and number. */
export interface LocatedLine {
  /** Displayed path. */
  readonly label: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Lists lines by file: the file's name once, then `12: text`. The order of files doesn't change.
 *
 * @param most maximum number of lines
 * @param advice how to get those that are omitted, for the model
 */
export function renderLocatedLines(
  lines: readonly LocatedLine[],
  most = Infinity,
  advice = '',
): string {
  const files = new Map<string, LocatedLine[]>();
  for (const located of lines.slice(0, most)) {
    const ofFile = files.get(located.label);
    if (ofFile === undefined) files.set(located.label, [located]);
    else ofFile.push(located);
  }
  const parts = [...files].map(([label, ofFile]) =>
    [
      pathLine(label),
      ...ofFile.map(({ line, text }) => (text === '' ? `${line}` : `${line}: ${text}`)),
    ].join('\n'),
  );
  if (lines.length > most) parts.push(`(${lines.length - most} more: ${advice}.)`);
  return parts.join('\n\n');
}

/** A position in a text; line and column count from 0. */
interface TextPosition {
  readonly line: number;
  readonly character: number;
}

/**
 * Finds a name that a model saw in a line. Models count lines well and columns badly, and an edit
 * may have moved the line: the result is the occurrence nearest to the line. Secrets aren't
 * searched, since finding a name in one would reveal its content (threats: T44).
 *
 * @param line counted from 1
 */
export function findSymbol(
  lines: readonly string[],
  line: number,
  symbol: string,
): TextPosition | undefined {
  // The name is the last part of `Chat.ask`.
  const name = symbol.split(/[.#]|::/).findLast((part) => part !== '') ?? symbol;
  const places = linesBeforeSecrets(lines).flatMap((text, index) => {
    const character = columnOf(text, name);
    return character < 0 ? [] : [{ line: index, character }];
  });
  const distance = (position: TextPosition): number => Math.abs(position.line + 1 - line);
  const [nearest] = places.toSorted((a, b) => distance(a) - distance(b));
  return nearest;
}

function columnOf(text: string, name: string): number {
  if (name === '') return -1;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    if (!isWordAt(text, at - 1, name, 0) && !isWordAt(text, end, name, name.length - 1)) return at;
  }
  return -1;
}

/** True if the character next to the name would be part of the same word. */
function isWordAt(text: string, index: number, name: string, edge: number): boolean {
  return isWord(text.charAt(index)) && isWord(name.charAt(edge));
}

function isWord(character: string): boolean {
  return /[\p{L}\p{N}_$]/u.test(character);
}

import { linesBeforeSecrets, maskSecrets } from '../support/secretTokens.ts';
import { pathLine } from '../support/text.ts';

const maxLines = 300;

/** Maximum characters of one file's diff if there are several, and of all diffs. */
const maxFileCharacters = 8_000;
const maxTotalCharacters = 32_000;

/** A line of a file, with its path and number. */
export interface LocatedLine {
  /** Displayed path. */
  readonly label: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

interface LocatedLinesOptions {
  readonly most: number;
  readonly noteOmitted: (count: number) => string;
}

/**
 * Lists lines by file: the file's name once, then `12: text`. The order of files doesn't change.
 */
export function renderLocatedLines(
  placed: readonly LocatedLine[],
  { most, noteOmitted }: LocatedLinesOptions,
): string {
  const files = new Map<string, LocatedLine[]>();
  for (const located of placed.slice(0, most)) {
    const lines = files.get(located.label);
    if (lines === undefined) files.set(located.label, [located]);
    else lines.push(located);
  }
  const parts = [...files].map(([label, lines]) =>
    [
      pathLine(label),
      ...lines.map(({ line, text }) => (text === '' ? `${line}` : `${line}: ${text}`)),
    ].join('\n'),
  );
  if (placed.length > most) parts.push(noteOmitted(placed.length - most));
  return parts.join('\n\n');
}

export interface OutlineSymbol {
  readonly name: string;
  /** `function`, `class` … */
  readonly kind: string;
  /** First and last line, counted from 1. */
  readonly start: number;
  readonly end: number;
  readonly children: readonly OutlineSymbol[];
}

/**
 * The symbols of a file as an indented list: `12-40 function name`. A query limits it to symbols
 * whose names contain it in any case, and those around them.
 */
export function renderOutline(symbols: readonly OutlineSymbol[], query = ''): string {
  const wanted = query.toLowerCase();
  const lines = symbols.flatMap((symbol) => linesOf(symbol, wanted, ''));
  if (lines.length <= maxLines) return lines.join('\n');
  const note = `(${lines.length - maxLines} more: give a query.)`;
  return [...lines.slice(0, maxLines), note].join('\n');
}

function linesOf(symbol: OutlineSymbol, wanted: string, indent: string): readonly string[] {
  const { kind, start, end, children } = symbol;
  // Masked before the search, so that a query can't reveal a secret in a name (threats: T44).
  const name = maskSecrets(symbol.name).text;
  const inner = children.flatMap((child) => linesOf(child, wanted, `${indent} `));
  if (inner.length === 0 && !name.toLowerCase().includes(wanted)) return [];
  const range = start === end ? String(start) : `${start}-${end}`;
  return [`${indent}${range} ${kind} ${name}`, ...inner];
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
  return places.reduce<TextPosition | undefined>(
    (nearest, position) =>
      nearest === undefined || distance(position, line) < distance(nearest, line)
        ? position
        : nearest,
    undefined,
  );
}

function distance(position: TextPosition, line: number): number {
  return Math.abs(position.line + 1 - line);
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

/** A file with uncommitted changes. */
export interface RepositoryChange {
  /** Displayed path; after a rename, the new one. */
  readonly label: string;
  /** `modified`, `new`, `deleted`, `renamed from …`. */
  readonly status: string;
  readonly isStaged: boolean;
  readonly isUnstaged: boolean;
  /** Git's diff; empty if there is none. */
  readonly diff: string;
  readonly note?: string;
}

/** The changes of a repository: a line for each file, followed by as much of its diff as fits. */
export function renderChanges(branch: string, files: readonly RepositoryChange[]): string {
  if (files.length === 0) return `No changes on ${branch}.`;
  let room = maxTotalCharacters;
  const parts = files.map((file) => {
    // The line above the diff already has the file's name and status.
    const start = file.diff.search(/^@@ /m);
    const diff = (start < 0 ? '' : file.diff.slice(start)).trimEnd();
    const limit = Math.min(room, files.length === 1 ? maxTotalCharacters : maxFileCharacters);
    const excerpt = cutAtLine(diff, limit);
    room -= excerpt.length;
    const isCut = excerpt.length < diff.length;
    const note = isCut ? `(Cut: call it with path ${JSON.stringify(file.label)}.)` : '';
    const only = isCut && files.length === 1 ? '(Cut: read the file.)' : note;
    return [headOf(file), excerpt, only].filter((part) => part !== '').join('\n');
  });
  return [`Changes on ${branch}:`, ...parts].join('\n\n');
}

function headOf({ label, status, isStaged, isUnstaged, note }: RepositoryChange): string {
  const stage = isStaged ? (isUnstaged ? 'partly staged' : 'staged') : 'not staged';
  return `${pathLine(label)}: ${pathLine(status)}, ${stage}${note === undefined ? '' : `. ${note}`}`;
}

function cutAtLine(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.lastIndexOf('\n', length);
  return text.slice(0, Math.max(0, end));
}

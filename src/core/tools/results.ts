/** Maximum number of lines of an outline. */
const maxOutlineLines = 300;

/** Maximum number of characters of the diff of one file among several, and of all diffs. */
const maxFileCharacters = 8_000;
const maxTotalCharacters = 32_000;

/** A line of a file. */
export interface LocatedLine {
  /** Name of the file as shown to the model. */
  readonly label: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

interface LocatedLinesOptions {
  /** Maximum number of lines that are listed. */
  readonly most: number;
  /** Returns the note in place of the omitted lines, given their number. */
  readonly rest: (count: number) => string;
}

/** Lists lines by file: the file's name once, then `12: text`. Files keep their order. */
export function renderLocatedLines(
  located: readonly LocatedLine[],
  { most, rest }: LocatedLinesOptions,
): string {
  const files = new Map<string, LocatedLine[]>();
  for (const one of located.slice(0, most)) {
    const lines = files.get(one.label);
    if (lines === undefined) files.set(one.label, [one]);
    else lines.push(one);
  }
  const parts = [...files].map(([label, lines]) => [label, ...lines.map(write)].join('\n'));
  if (located.length > most) parts.push(rest(located.length - most));
  return parts.join('\n\n');
}

function write({ line, text }: LocatedLine): string {
  return text === '' ? String(line) : `${line}: ${text}`;
}

/** A symbol of a file, with its children. */
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
 * The symbols of a file as an indented list: `12-40 function name`. With a query, only symbols
 * whose names contain it in any case, and their parents.
 */
export function renderOutline(symbols: readonly OutlineSymbol[], query = ''): string {
  const wanted = query.toLowerCase();
  const lines = symbols.flatMap((symbol) => linesOf(symbol, wanted, ''));
  if (lines.length <= maxOutlineLines) return lines.join('\n');
  const note = `(${lines.length - maxOutlineLines} more: give a query.)`;
  return [...lines.slice(0, maxOutlineLines), note].join('\n');
}

function linesOf(symbol: OutlineSymbol, wanted: string, indent: string): readonly string[] {
  const { name, kind, start, end, children } = symbol;
  const inner = children.flatMap((child) => linesOf(child, wanted, `${indent} `));
  if (inner.length === 0 && !name.toLowerCase().includes(wanted)) return [];
  const place = start === end ? String(start) : `${start}-${end}`;
  return [`${indent}${place} ${kind} ${name}`, ...inner];
}

/** A position in a text; both are counted from 0. */
interface TextPosition {
  readonly line: number;
  readonly character: number;
}

/**
 * Finds a symbol that a model saw in a line. Models count lines well and columns badly, and the
 * line may have moved after an edit: the name is searched for in that line, then in the lines
 * around it, nearest first, and finally in the whole text.
 *
 * @param line counted from 1
 */
export function findSymbol(
  lines: readonly string[],
  line: number,
  symbol: string,
): TextPosition | undefined {
  // Only the last part of a qualified name such as `Chat.ask` is searched for.
  const name = symbol.split(/[.#]|::/).findLast((part) => part !== '') ?? symbol;
  const places = lines.flatMap((text, index) => {
    const character = columnOf(text, name);
    return character < 0 ? [] : [{ line: index, character }];
  });
  return places.reduce<TextPosition | undefined>(
    (nearest, place) =>
      nearest === undefined || distance(place, line) < distance(nearest, line) ? place : nearest,
    undefined,
  );
}

function distance(place: TextPosition, line: number): number {
  return Math.abs(place.line + 1 - line);
}

/** The column at which the name occurs as a whole word. */
function columnOf(text: string, name: string): number {
  if (name === '') return -1;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    if (!isWordAt(text, at - 1, name, 0) && !isWordAt(text, end, name, name.length - 1)) return at;
  }
  return -1;
}

/** Whether a character next to the name would be part of the same word. */
function isWordAt(text: string, index: number, name: string, edge: number): boolean {
  return isWord(text.charAt(index)) && isWord(name.charAt(edge));
}

function isWord(character: string): boolean {
  return /[\p{L}\p{N}_$]/u.test(character);
}

/** A file that differs from the last commit. */
export interface RepositoryChange {
  /** Name of the file as shown to the model; after a rename, the new name. */
  readonly label: string;
  /** `modified`, `new`, `deleted`, `renamed from …`. */
  readonly status: string;
  readonly isStaged: boolean;
  readonly isUnstaged: boolean;
  /** The diff as printed by Git; empty if there is none to show. */
  readonly diff: string;
  /** Why no diff is shown, if there is a reason to mention. */
  readonly note?: string;
}

/** The changes of a repository: one line for each file, followed by as much of its diff as fits. */
export function renderChanges(branch: string, files: readonly RepositoryChange[]): string {
  if (files.length === 0) return `No changes on ${branch}.`;
  let remaining = maxTotalCharacters;
  const parts = files.map((file) => {
    const diff = withoutHeader(file.diff);
    const limit = Math.min(remaining, files.length === 1 ? maxTotalCharacters : maxFileCharacters);
    const shown = cutAtLine(diff, limit);
    remaining -= shown.length;
    const isCut = shown.length < diff.length;
    const note = isCut ? `(Cut: call it with path ${JSON.stringify(file.label)}.)` : '';
    const cutNote = isCut && files.length === 1 ? '(Cut: read the file.)' : note;
    return [headOf(file), shown, cutNote].filter((part) => part !== '').join('\n');
  });
  return [`Changes on ${branch}:`, ...parts].join('\n\n');
}

function headOf({ label, status, isStaged, isUnstaged, note }: RepositoryChange): string {
  const stage = isStaged ? (isUnstaged ? 'partly staged' : 'staged') : 'not staged';
  return `${label}: ${status}, ${stage}${note === undefined ? '' : `. ${note}`}`;
}

/** The file name and modes are in our own header line. */
function withoutHeader(diff: string): string {
  const start = diff.search(/^@@ /m);
  return (start < 0 ? '' : diff.slice(start)).trimEnd();
}

function cutAtLine(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.lastIndexOf('\n', length);
  return text.slice(0, Math.max(0, end));
}

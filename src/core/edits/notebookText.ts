import { ToolError } from '../support/toolError.ts';
import { withLineEndings } from './lineEndings.ts';

/** A cell of a notebook without its outputs and metadata. */
export interface CellText {
  readonly kind: 'code' | 'markdown';
  readonly language: string;
  /** Text with `\n` as line ending. */
  readonly source: string;
}

export interface WrittenCell extends CellText {
  /** Number in its first line, counted from 1; absent for a new cell. */
  readonly number?: number | undefined;
}

/** The first line of a cell. Lines of sources that look like one are escaped with a backslash. */
const firstLine = /^%% cell(?: (\d{1,9}))?(?: (code|markdown)(?: ([\w+#.-]+))?)?[^\S\n]*$/;
const looksLikeFirstLine = /^\\*%% cell(?=\s|$)/;

/**
 * The cells of a notebook as one text: each is preceded by a line with number, kind and language.
 * The numbers identify cells while the text is edited, and may be in any order.
 */
export function renderCells(cells: readonly CellText[]): string {
  return cells.map((cell, index) => renderCell({ ...cell, number: index + 1 })).join('');
}

/** The text of one cell. */
export function renderCell({ number, kind, language, source }: WrittenCell): string {
  const name = cellLanguage(language);
  const isUsual = kind === 'markdown' && name === kind;
  const words = ['%% cell', number, kind, isUsual ? undefined : name];
  const lines = withLineEndings(source, '\n').split('\n').map(escapeLine);
  return `${[words.filter((word) => word !== undefined).join(' '), ...lines].join('\n')}\n`;
}

/**
 * Parses the text of a notebook, possibly edited, that {@link renderCells} wrote.
 *
 * @param language default of code cells
 * @throws {ToolError} if the text doesn't consist of cells; its message is for the model
 */
export function parseCells(text: string, language = 'plaintext'): readonly WrittenCell[] {
  const lines = withLineEndings(text, '\n').replace(/\n$/, '').split('\n');
  const starts = lines.flatMap((line, index) => (isFirstLine(line) ? [index] : []));
  if (lines.slice(0, starts[0]).some((line) => line !== '')) {
    throw new ToolError(`The text of a notebook begins with the first line of a cell. ${howTo}`);
  }
  return starts.map((start, index) => {
    const source = lines.slice(start + 1, starts[index + 1]).map(unescapeLine);
    return { ...readFirstLine(lines[start] ?? '', language), source: source.join('\n') };
  });
}

/** The index of the cell that contains a line of the text, counted from 1. */
export function cellAtLine(cells: readonly CellText[], line: number): number | undefined {
  let last = 0;
  const index = cells.findIndex(
    (cell) => (last += renderCell(cell).split('\n').length - 1) >= line,
  );
  return index === -1 ? undefined : index;
}

/** True if a text is that of a notebook. */
export function isCellsText(text: string): boolean {
  return firstLine.test(text.slice(0, 100).split('\n', 1)[0] ?? '');
}

/**
 * The text of a notebook after an edit, with the language of each cell.
 *
 * @throws {ToolError} if it doesn't consist of cells
 */
export function normalizeCells(text: string, before: string): string {
  return parseCells(text, mainLanguage(parseCells(before)))
    .map(renderCell)
    .join('');
}

/** The text without cell numbers, which depend on the preceding cells. */
export function withoutNumbers(text: string): string {
  return isCellsText(text) ? text.replace(/^%% cell \d{1,9}(?= )/gm, '%% cell') : text;
}

/** The default language of a notebook's cells: that of the first code cell. */
export function mainLanguage(cells: readonly CellText[]): string {
  return cells.find(({ kind }) => kind === 'code')?.language ?? 'python';
}

/** The name of a language in the text. */
export function cellLanguage(language: string): string {
  return language.replace(/[^\w+#.-]/g, '') || 'plaintext';
}

const howTo = 'Write “%% cell code python” or “%% cell markdown” before the lines of a new cell.';

function isFirstLine(line: string): boolean {
  return line.startsWith('%') && looksLikeFirstLine.test(line);
}

function readFirstLine(line: string, otherwise: string): Omit<WrittenCell, 'source'> {
  const match = firstLine.exec(line);
  if (match === null) {
    throw new ToolError(`${JSON.stringify(line.slice(0, 200))} begins no cell. ${howTo}`);
  }
  const [, number, kind = 'code', named] = match;
  const cell = number === undefined ? {} : { number: Number(number) };
  return kind === 'markdown'
    ? { ...cell, kind, language: named ?? 'markdown' }
    : { ...cell, kind: 'code', language: named ?? otherwise };
}

function escapeLine(line: string): string {
  return looksLikeFirstLine.test(line) ? `\\${line}` : line;
}

function unescapeLine(line: string): string {
  return line.startsWith('\\') && looksLikeFirstLine.test(line) ? line.slice(1) : line;
}

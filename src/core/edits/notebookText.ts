import { ToolError } from '../support/toolError.ts';
import { withLineEndings } from './lineEndings.ts';

/** A cell of a notebook without its outputs and metadata. */
export interface CellText {
  readonly kind: 'code' | 'markdown';
  /** VS Code's language identifier. */
  readonly language: string;
  /** Text with `\n` as line ending. */
  readonly source: string;
}

/** A cell in the text of a notebook. */
export interface WrittenCell extends CellText {
  /** The number that its first line gives, counted from 1; absent for a new cell. */
  readonly number?: number | undefined;
}

/** The first line of a cell, and lines of sources that look like one, which get a backslash. */
const firstLine = /^%% cell(?: (\d{1,9}))?(?: (code|markdown)(?: ([\w+#.-]+))?)?[^\S\n]*$/;
const looksLikeFirstLine = /^\\*%% cell(?=\s|$)/;

/**
 * The cells of a notebook as one text: a line with number, kind and language before the lines of
 * each. The numbers tell which cell is which while the text is edited, so they need not be in order.
 */
export function renderCells(cells: readonly CellText[]): string {
  return cells.map((cell, index) => renderCell({ ...cell, number: index + 1 })).join('');
}

/** One cell as a part of the text. */
export function renderCell({ number, kind, language, source }: WrittenCell): string {
  const name = cellLanguage(language);
  const isUsual = kind === 'markdown' && name === kind;
  const words = ['%% cell', number, kind, isUsual ? undefined : name];
  const lines = withLineEndings(source, '\n').split('\n').map(escapeLine);
  return `${[words.filter((word) => word !== undefined).join(' '), ...lines].join('\n')}\n`;
}

/**
 * Reads the text of a notebook, as {@link renderCells} writes it or as it was edited.
 *
 * @param language that of code cells whose first line names none
 * @throws {ToolError} if the text is not one of cells; its message is for the model
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

/**
 * The words of cells with Markdown that may load something, addresses among them: a notebook shows
 * such a cell as soon as it is open. A text with neither an image nor a tag loads nothing.
 */
export function renderedWords(text: string): readonly string[] {
  if (!looksLikeFirstLine.test(text.slice(0, 100))) return [];
  return cellsOrNone(text)
    .filter(({ kind, source }) => kind === 'markdown' && /!\[|<[a-z]/i.test(source))
    .flatMap(({ source }) => source.match(/[^\s"'()<>]+/g) ?? []);
}

function cellsOrNone(text: string): readonly WrittenCell[] {
  try {
    return parseCells(text);
  } catch {
    return [];
  }
}

/** The index of the cell that has a line of the text, which is counted from 1. */
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
 * @throws {ToolError} if it is not one of cells
 */
export function normalizeCells(text: string, before: string): string {
  return parseCells(text, mainLanguage(parseCells(before)))
    .map(renderCell)
    .join('');
}

/** The text without the numbers of its cells, if any: they change with the cells before. */
export function withoutNumbers(text: string): string {
  return isCellsText(text) ? text.replace(/^%% cell \d{1,9}(?= )/gm, '%% cell') : text;
}

/** The language of the cells without a language of their own: that of the first code cell. */
export function mainLanguage(cells: readonly CellText[]): string {
  return cells.find(({ kind }) => kind === 'code')?.language ?? 'python';
}

/** A language as the text names it. */
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

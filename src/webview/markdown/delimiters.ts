/** A formula and its delimiters, by offsets in the text. */
export interface Formula {
  /** True if it is on a line of its own. */
  readonly display: boolean;
  readonly start: number;
  readonly contentEnd: number;
  readonly end: number;
}

/**
 * Maximum length between delimiters. Must be less than the length at which an unfinished line
 * becomes stable.
 */
const maxFormulaLength = 3000;
/**
 * Maximum length of an inline formula, so that text that only looks like its start is shown soon.
 */
const maxInlineLength = 1000;
/** Maximum lines of a formula, since each is read again for every following line. */
const maxLines = 60;

interface Delimiters {
  readonly opening: string;
  readonly closing: string;
  readonly display: boolean;
}

const allDelimiters: readonly Delimiters[] = [
  { opening: '$$', closing: '$$', display: true },
  { opening: '$', closing: '$', display: false },
  { opening: '\\[', closing: '\\]', display: true },
  { opening: '\\(', closing: '\\)', display: false },
];

/**
 * Reads the formula at an offset. Returns `open` if more text may complete it, and undefined if
 * there is none: amounts of money and shell variables stay text.
 *
 * The rules for `$` are Pandoc's: no space after the opening and before the closing one, and no
 * digit after the closing one. In addition, prose isn't a formula, so that it needn't be held back.
 */
export function formulaAt(text: string, index: number): Formula | 'open' | undefined {
  const last = text.length;
  const kind = openingAt(text, index, last);
  if (kind === undefined) return undefined;
  const start = index + kind.opening.length;
  if (start >= last) return 'open';
  const contentEnd = endOfContent(text, start, last, kind);
  if (contentEnd === undefined) return isOpen(text, start, last, kind) ? 'open' : undefined;
  return closedFormula(text, start, contentEnd, kind);
}

/** The formula at an offset, if it is complete. */
export function closedFormulaAt(text: string, index: number, last: number): Formula | undefined {
  const kind = openingAt(text, index, last);
  if (kind === undefined) return undefined;
  const start = index + kind.opening.length;
  const contentEnd = endOfContent(text, start, last, kind);
  return contentEnd === undefined ? undefined : closedFormula(text, start, contentEnd, kind);
}

function openingAt(text: string, index: number, last: number): Delimiters | undefined {
  const first = text[index];
  if (first !== '$' && first !== '\\') return undefined;
  const kind = allDelimiters.find(({ opening }) => text.startsWith(opening, index));
  if (kind === undefined) return undefined;
  if (index > 0 && !isSpace(text[index - 1])) {
    // No formulas in `US$5`, `a$b$c` and the query of an address.
    const before = text.slice(Math.max(0, index - 200), index);
    if (wordBefore.test(before) || addressBefore.test(before)) return undefined;
  }
  const start = index + kind.opening.length;
  if (start >= last || text[index] !== '$') return kind;
  return text[start] === '$' || (!kind.display && isSpace(text[start])) ? undefined : kind;
}

function closedFormula(
  text: string,
  start: number,
  contentEnd: number,
  kind: Delimiters,
): Formula | undefined {
  const end = contentEnd + kind.closing.length;
  const isFormula = closes(text, contentEnd, end, kind) && isTeX(text, start, contentEnd, end);
  return isFormula ? { display: kind.display, start, contentEnd, end } : undefined;
}

const wordBefore = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_$\\]$/u;
const addressBefore = /:\/\/\S*$/;

function isSpace(character: string | undefined): boolean {
  return character !== undefined && ' \t\n\r'.includes(character);
}

const blankLine = /\n[ \t]*\n/;

/** The first closing delimiter that is not escaped; undefined if there is none. */
function endOfContent(
  text: string,
  start: number,
  last: number,
  { closing, display }: Delimiters,
): number | undefined {
  const most = Math.min(last, start + (display ? maxFormulaLength : maxInlineLength));
  if (isAbsent(closing, text, start, most)) return undefined;
  for (let index = start; index + closing.length <= most; index++) {
    if (text.startsWith(closing, index)) return index;
    if (text[index] === '\\') index += 1;
  }
  return undefined;
}

/** The last range without the delimiter that was searched for. */
let absent = { closing: '', text: '', start: 0, end: 0 };

/**
 * True if there is no closing delimiter between two offsets. Thousands of openings without one
 * would each read the same characters, so the last result is cached.
 */
function isAbsent(closing: string, text: string, start: number, last: number): boolean {
  const isKnown = absent.closing === closing && absent.text === text;
  if (isKnown && absent.start <= start && last <= absent.end) return true;
  const end = Math.min(text.length, last + maxFormulaLength);
  const index = text.slice(start, end).indexOf(closing);
  absent = { closing, text, start, end: index < 0 ? end : start + index + closing.length - 1 };
  return last <= absent.end;
}

function closes(text: string, contentEnd: number, end: number, kind: Delimiters): boolean {
  if (kind.closing === '\\)') return true;
  // An escaped link label: `\[label\](address)`.
  if (kind.closing === '\\]') return !/[([:]/.test(text.charAt(end));
  if (text[end] === '$') return false;
  return kind.display || !(isSpace(text[contentEnd - 1]) || /\d/.test(text.charAt(end)));
}

/** True if the content ends what could have been a formula. */
function isInterrupted(content: string): boolean {
  if (content.includes('`') || blankLine.test(content)) return true;
  let position = -1;
  for (let line = 0; line < maxLines; line++) {
    position = content.indexOf('\n', position + 1);
    if (position < 0) return false;
  }
  return true;
}

/** True if the content of complete delimiters is a formula. */
function isTeX(text: string, start: number, contentEnd: number, end: number): boolean {
  const content = text.slice(start, contentEnd);
  if (!/\S/.test(content) || isInterrupted(content)) return false;
  if (isProse(content)) return false;
  if (text[start - 1] === '$') {
    // Shell variables, as in `$PATH:$HOME` and `${a}/${b}`, unlike the `n` of `$n$th`.
    const isVariable = /[A-Za-z]{2}|[^\w})'\]]$/.test(content) && !/[\\^]/.test(content);
    return !(isVariable && /[\w{(]/.test(text.charAt(end)));
  }
  // Not `[optional]` or `[1]` in escaped brackets.
  return text[start - 1] === '(' || /[\\^_{}=+<>/|]|^\s|^[A-Za-z]$/.test(content);
}

/** Braces may contain prose, as in `\text{for all}`. */
const braces = /\{[^{}]*(?:\}|$)/g;
const words =
  /(?:^|[\s(])(?:[A-Za-z]{2,}[,;:]? +[A-Za-z]{2,}|\d[\d.,]*[a-zA-Z]{0,2} [A-Za-z]{2,} )/;

function isProse(content: string): boolean {
  if (/[\\^]/.test(content)) return false;
  return words.test(content.replaceAll(braces, '{}'));
}

/** A number followed by the start of a word: an amount rather than a formula. */
const amount = /^\d[^\\^_={}]*(?:\s[A-Za-z(]|[A-Za-z]{3})/;

/** True if text without a closing delimiter may be the start of a formula. */
function isOpen(text: string, start: number, last: number, kind: Delimiters): boolean {
  if (last - start > (kind.display ? maxFormulaLength : maxInlineLength)) return false;
  const content = text.slice(start, last);
  if (isInterrupted(content) || isProse(content)) return false;
  return kind.opening !== '$' || !amount.test(content);
}

/** True if a formula may be open at the end of a text. */
export function endsInFormula(text: string): boolean {
  const opening = /\$|\\[([]/g;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const formula = formulaAt(text, match.index);
    if (formula === 'open') return true;
    if (formula !== undefined) opening.lastIndex = formula.end;
  }
  return false;
}

/** True if a line starts a formula that is closed at the end of this or a later line. */
export function isFormulaLine(line: string): boolean {
  if (!line.startsWith('$$') && !line.startsWith('\\[')) return false;
  const formula = formulaAt(line, 0);
  return formula === 'open' || formula?.end === line.length;
}

import { FencedLines, fenceLanguage, isMarkdown, parseFence } from '../../core/support/fences.ts';
import { closedFormulaAt, formulaAt, isFormulaLine } from './delimiters.ts';
import cjkFriendly from 'markdown-it-cjk-friendly';
import MarkdownIt, { type Env, type StateBlock, type StateInline, type Token } from 'markdown-it';

/** Link reference definitions (`[label]: address`) seen so far. */
export type References = NonNullable<Env['references']>;

/** Start of a block in the parser's coordinates. Columns are relative to the innermost quote. */
interface Opening {
  readonly indent: number;
  /** The column of the block's first character. */
  readonly column: number;
  /** Offset of that character in the source, and of the content of the line below. */
  readonly position: number;
  readonly below: number;
}

/** A source and its blocks. The inline content of paragraphs and cells isn't parsed yet. */
export interface ParsedBlocks {
  readonly source: string;
  readonly tokens: readonly Token[];
  /** Openings by index of the block's first token. */
  readonly openings: ReadonlyMap<number, Opening>;
  readonly references: References;
}

/** Maximum depth of quotes and lists. Deeper nesting is text, which limits the depth of the DOM. */
const maxNesting = 60;

// Emphasis is drawn beside Chinese, Japanese and Korean text, which has no spaces around words.
const parser = new MarkdownIt({ html: false, linkify: true }).use(cjkFriendly);
// Every link is parsed as one, and `safeHref` decides what may be opened: a refused address is then
// plain text instead of raw syntax.
parser.validateLink = () => true;
// `safeHref` normalizes addresses that may be opened; all others are shown as written.
parser.normalizeLink = (address) => address;
parser.normalizeLinkText = (address) => address;
// `main.py` and `README.md` are file names, although both end in top-level domains.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
parser.inline.ruler.before('escape', 'formula', readFormula);
parser.inline.ruler.before('escape', 'math_delimiter', keepMathDelimiter);
parser.inline.ruler.before('autolink', 'html_tag', readHtmlTag);
parser.block.ruler.after('code', 'formula', readFormulaBlock, {
  alt: ['paragraph', 'reference', 'blockquote', 'list'],
});
parser.block.ruler.before('fence', 'markdown_fence', readMarkdownFence);
parser.block.ruler.before('reference', 'footnote', readFootnote);
parser.block.ruler.before('table', 'opening', recordOpening);
parser.block.ruler.before('table', 'too_deep', flattenDeepBlock);

/**
 * Parses the block structure, which takes a fraction of the time of the inline content.
 *
 * @param final true if no more text follows
 */
export function parseBlocks(source: string, final: boolean): ParsedBlocks {
  const tokens: Token[] = [];
  const openings = new Map<number, Opening>();
  const references: References = {};
  parser.block.parse(source, parser, { references, openings, final }, tokens);
  return { source, tokens, openings, references };
}

export function parseInline(content: string, references: References): readonly Token[] {
  return parser.parseInline(content, { references })[0]?.children ?? [];
}

/** The state of the parser at the beginning of this text. */
export function inlineState(text: string): StateInline {
  return new parser.inline.State(text, parser, {}, []);
}

/**
 * A rule that never matches, but records the start of each block before another rule handles it.
 */
function recordOpening(state: StateBlock, line: number): boolean {
  const { openings } = state.env;
  const start = (number: number): number =>
    (state.bMarks[number] ?? 0) + (state.tShift[number] ?? 0);
  const opening: Opening = {
    indent: state.blkIndent,
    column: state.sCount[line] ?? 0,
    position: start(line),
    below: start(line + 1),
  };
  if (openings instanceof Map) openings.set(state.tokens.length, opening);
  return false;
}

/**
 * `\(`, `\)`, `\[` and `\]` are shown as written if they enclose no formula. They don't delimit
 * links.
 */
function keepMathDelimiter(state: StateInline, silent: boolean): boolean {
  const mark = state.src.slice(state.pos, state.pos + 2);
  if (!/^\\[()[\]]$/.test(mark)) return false;
  if (!silent) {
    const token = state.push('text_special', '', 0);
    token.content = mark;
    token.markup = mark;
    token.info = 'escape';
  }
  state.pos += 2;
  return true;
}

/** A parser rule for fences of Markdown, which may have fences inside: see `FencedLines`. */
function readMarkdownFence(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
): boolean {
  const lineAt = (line: number): string => state.getLines(line, line + 1, state.blkIndent, false);
  const indent = state.sCount[startLine] ?? 0;
  const fence = indent - state.blkIndent < 4 ? parseFence(lineAt(startLine)) : undefined;
  if (silent || fence === undefined || !isMarkdown(fenceLanguage(fence))) return false;
  const lines = new FencedLines(fence, true);
  let next = startLine + 1;
  let codeEnd = next;
  for (; next < endLine && lines.state !== 'ended'; next++) {
    if (!state.isEmpty(next) && (state.sCount[next] ?? 0) < state.blkIndent) break;
    lines.push(lineAt(next));
    if (lines.state === 'open') codeEnd = next + 1;
  }
  // The source has one line less than marks.
  const mayContinue = next === state.bMarks.length - 1 && state.env['final'] === false;
  if (lines.state === 'undecided' && mayContinue) codeEnd = next;
  state.line = Math.min(codeEnd + 1, next);
  const token = state.push('fence', 'code', 0);
  token.info = lineAt(startLine).trim().slice(fence.length);
  token.content = state.getLines(startLine + 1, codeEnd, indent, true);
  token.markup = fence.mark.repeat(fence.length);
  token.map = [startLine, state.line];
  return true;
}

/** A label that starts with `^` is that of a footnote, as on GitHub. It links to no address. */
const footnote = /\[\^[^[\]\s]+\]:/y;

/** A parser rule for footnotes, which are shown as written. */
function readFootnote(state: StateBlock, line: number, end: number, silent: boolean): boolean {
  footnote.lastIndex = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  if (silent || !footnote.test(state.src)) return false;
  const readParagraph = state.md.block.ruler.getRules('').at(-1);
  return readParagraph?.(state, line, end, false) === true;
}

function flattenDeepBlock(state: StateBlock, line: number, end: number): boolean {
  if (state.level < maxNesting) return false;
  let next = line + 1;
  while (next < end && !state.isEmpty(next) && (state.sCount[next] ?? 0) >= state.blkIndent) next++;
  state.push('paragraph_open', 'p', 1).map = [line, next];
  const inline = state.push('inline', '', 0);
  inline.content = state.getLines(line, next, state.blkIndent, false).trim();
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  state.line = next;
  return true;
}

/**
 * A label that contains no other label, or an escape. Otherwise a text of escaped brackets would be
 * read to its end from each of them.
 */
const bracketed = /\\.|\[((?:[^[\]\\]|\\.)+)\]/gs;
/** Line breaks, with the following quote markers and indentation. */
const lineStart = /\n[ \t>]*/g;

/** The normalized labels in a text that a link definition may resolve. */
export function linkLabels(text: string): ReadonlySet<string> {
  const matches = text.replaceAll(lineStart, '\n').matchAll(bracketed);
  // Normalized as by the parser, so that equivalent labels are equal.
  return new Set(
    [...matches].flatMap(([, label]) =>
      label === undefined ? [] : [parser.utils.normalizeReference(label)],
    ),
  );
}

/** A parser rule for formulas. The delimiters are part of the token's content. */
function readFormula(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const formula = closedFormulaAt(src, pos, posMax);
  if (formula === undefined) return false;
  if (!silent) {
    const token = state.push('formula', '', 0);
    token.content = src.slice(pos, formula.end);
    token.markup = src.slice(pos, formula.start);
    token.block = formula.display;
  }
  state.pos = formula.end;
  return true;
}

/**
 * A parser rule for formulas at the start of a line. Each is a paragraph until its closing
 * delimiter, so that a line that starts with `-` or `=` isn't a list or heading. Only that first
 * line decides whether it is a formula, so the blocks above it are final.
 */
function readFormulaBlock(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
  const first = state.src.slice(start, state.eMarks[startLine]).trimEnd();
  if (!isFormulaLine(first)) return false;
  if (silent) return true;
  let next = startLine + 1;
  let content = first;
  const add = (): string => {
    const line = state.getLines(next, next + 1, state.blkIndent, false).trim();
    return `${content}\n${line}`;
  };
  for (; formulaAt(content, 0) === 'open' && continues(state, next, endLine); next++)
    content = add();
  // Text after the formula, or text that turns out not to be one, continues like other paragraphs.
  if (!isFormulaLine(content)) {
    const rules = state.md.block.ruler.getRules('paragraph');
    const startsBlock = (): boolean => rules.some((rule) => rule(state, next, endLine, true));
    for (; continues(state, next, endLine) && !startsBlock(); next++) content = add();
  }
  state.push('paragraph_open', 'p', 1).map = [startLine, next];
  const inline = state.push('inline', '', 0);
  inline.content = content;
  inline.map = [startLine, next];
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  state.line = next;
  return true;
}

function continues(state: StateBlock, line: number, endLine: number): boolean {
  return line < endLine && !state.isEmpty(line) && (state.sCount[line] ?? 0) >= state.blkIndent;
}

/** HTML elements that models use in prose, and the elements that represent them. */
const drawnAs: ReadonlyMap<string, string> = new Map([
  ['sub', 'sub'],
  ['sup', 'sup'],
  ['kbd', 'kbd'],
  ['summary', 'strong'],
]);

/** Tags around longer text, or several lines, are shown as text: the text is about HTML. */
const maxContent = 200;

const lineBreak = /<br *\/?>/iy;
const openingTag = /<([a-z]{1,7})>/iy;
/** A fold on a line of its own. Its content is always visible. */
const fold = /<\/?(?:details(?: open)?|summary)>[ \t]*(?:\n|$|(?=<summary>))/iy;
const firstOfLine = /(?:^|\n)[ \t]*$/;
const beginnings = ['<br />', '<br/>', '<details open>', '</details>', '</summary>'].concat(
  Array.from(drawnAs.keys(), (name) => `<${name}>`),
);

/** A tag and its content, by offsets in the text. */
type HtmlTag =
  | { readonly kind: 'break' | 'fold'; readonly end: number }
  | {
      readonly kind: 'element';
      readonly name: string;
      readonly start: number;
      readonly contentEnd: number;
      readonly end: number;
    };

/**
 * The tag at an offset; `open` if more text may complete it; undefined if it is shown as text, as
 * all tags with attributes are.
 */
export function htmlTagAt(text: string, index: number, last: number): HtmlTag | 'open' | undefined {
  const lineBreakEnd = endOf(lineBreak, text, index);
  if (lineBreakEnd !== undefined) return { kind: 'break', end: lineBreakEnd };
  const foldEnd = endOf(fold, text, index);
  if (foldEnd !== undefined && firstOfLine.test(text.slice(Math.max(0, index - 9), index)))
    return { kind: 'fold', end: foldEnd };
  openingTag.lastIndex = index;
  const name = openingTag.exec(text)?.[1]?.toLowerCase() ?? '';
  if (!drawnAs.has(name)) {
    const next = text.slice(index, index + 15).toLowerCase();
    return beginnings.some((beginning) => beginning.startsWith(next)) ? 'open' : undefined;
  }
  const start = index + name.length + 2;
  const closing = `</${name}>`;
  const most = start + maxContent + closing.length;
  const content = text.slice(start, Math.min(last, most)).toLowerCase();
  const length = content.indexOf(closing);
  const isLine = !content.slice(0, length < 0 ? undefined : length).includes('\n');
  if (length < 0 || !isLine) return isLine && last < most ? 'open' : undefined;
  const contentEnd = start + length;
  return { kind: 'element', name, start, contentEnd, end: contentEnd + closing.length };
}

function endOf(pattern: RegExp, text: string, index: number): number | undefined {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** A parser rule for {@link htmlTagAt}. */
function readHtmlTag(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const tag = src[pos] === '<' ? htmlTagAt(src, pos, posMax) : undefined;
  if (tag === undefined || tag === 'open' || tag.end > posMax) return false;
  if (!silent && tag.kind === 'break') state.push('hardbreak', 'br', 0);
  if (!silent && tag.kind === 'element') {
    const drawn = drawnAs.get(tag.name) ?? '';
    state.push('html_open', drawn, 1);
    state.pos = tag.start;
    state.posMax = tag.contentEnd;
    state.md.inline.tokenize(state);
    state.posMax = posMax;
    state.push('html_close', drawn, -1);
  }
  state.pos = tag.end;
  return true;
}

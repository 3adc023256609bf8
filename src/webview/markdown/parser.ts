import MarkdownIt, { type Env, type StateBlock, type Token } from 'markdown-it';

/** Link reference definitions (`[label]: address`) that were seen so far. */
export type References = NonNullable<Env['references']>;

/** Where a block begins, as the parser saw it. Columns count from the margin of the innermost quote. */
export interface Opening {
  /** The column where content of the container begins. */
  readonly indent: number;
  /** The column of the block's first character. */
  readonly column: number;
  /** Where that character is in the source, and where the content of the line below begins. */
  readonly position: number;
  readonly below: number;
}

/** A source and its blocks; what is inside a paragraph or a cell is not parsed yet. */
export interface ParsedBlocks {
  readonly source: string;
  readonly tokens: readonly Token[];
  /** By index of the block's first token. */
  readonly openings: ReadonlyMap<number, Opening>;
  /** Those that are defined in the source. */
  readonly references: References;
}

/** Quotes and lists nest so deep; what is nested deeper is text, so that no page gets too deep. */
const maxNesting = 60;

const parser = new MarkdownIt({ html: false, linkify: true });
// Every link is parsed as one, and `renderInline` decides what may be opened: a refused address is
// then shown as plain text instead of raw syntax.
parser.validateLink = () => true;
// Addresses stay as they were written: `safeHref` makes of them what may be opened.
parser.normalizeLink = (address) => address;
parser.normalizeLinkText = (address) => address;
// `main.py` and `README.md` are file names, although both end in top-level domains.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
parser.block.ruler.before('table', 'opening', noteOpening);
parser.block.ruler.before('table', 'too_deep', readTooDeep);

/** The structure of a text; costs a fraction of what the inline content costs. */
export function parseBlocks(source: string): ParsedBlocks {
  const tokens: Token[] = [];
  const openings = new Map<number, Opening>();
  const references: References = {};
  parser.block.parse(source, parser, { references, openings }, tokens);
  return { source, tokens, openings, references };
}

/** The tokens of a paragraph, a heading or a cell. */
export function parseInline(content: string, references: References): readonly Token[] {
  return parser.parseInline(content, { references })[0]?.children ?? [];
}

/** Labels that are the same to the parser become equal. */
function normalizeLabel(label: string): string {
  return parser.utils.normalizeReference(label);
}

/** A rule that never matches: it sees each block before the rule that does. */
function noteOpening(state: StateBlock, line: number): boolean {
  const { openings } = state.env;
  if (openings instanceof Map) openings.set(state.tokens.length, opening(state, line));
  return false;
}

function opening(state: StateBlock, line: number): Opening {
  const start = (number: number): number =>
    (state.bMarks[number] ?? 0) + (state.tShift[number] ?? 0);
  return {
    indent: state.blkIndent,
    column: state.sCount[line] ?? 0,
    position: start(line),
    below: start(line + 1),
  };
}

function readTooDeep(state: StateBlock, line: number, end: number): boolean {
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

const bracketed = /\[((?:[^[\]\\]|\\.)+)\]/gs;
/** What a quote puts before its lines. */
const lineStart = /\n[ \t>]*/g;

/** All that the definition of a link may be meant by in a text, as the parser compares labels. */
export function linkLabels(text: string): ReadonlySet<string> {
  const found = text.replaceAll(lineStart, '\n').matchAll(bracketed);
  return new Set(Array.from(found, ([, label = '']) => normalizeLabel(label)));
}

import type { StateBlock, StateInline } from 'markdown-it';
import { closedFormulaAt, formulaAt, isFormulaLine } from './delimiters.ts';

/** A parser rule for formulas. The delimiters are part of the token's content. */
export function readFormula(state: StateInline, silent: boolean): boolean {
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
export function readFormulaBlock(
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
  if (!isFormulaLine(content))
    for (; continues(state, next, endLine) && !startsBlock(state, next, endLine); next++)
      content = add();
  pushParagraph(state, content, startLine, next);
  return true;
}

function continues(state: StateBlock, line: number, endLine: number): boolean {
  return line < endLine && !state.isEmpty(line) && (state.sCount[line] ?? 0) >= state.blkIndent;
}

function startsBlock(state: StateBlock, line: number, endLine: number): boolean {
  const rules = state.md.block.ruler.getRules('paragraph');
  return rules.some((rule) => rule(state, line, endLine, true));
}

function pushParagraph(state: StateBlock, content: string, first: number, next: number): void {
  state.push('paragraph_open', 'p', 1).map = [first, next];
  const inline = state.push('inline', '', 0);
  inline.content = content;
  inline.map = [first, next];
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  state.line = next;
}

import type { BlockParts } from './drawing.ts';
import type { CodeToken, Grammar } from './highlight/grammar.ts';
import { elementVNode, textVNode, type VNode } from './vnode.ts';

/** Number of lines in a page of code. The browser skips the layout of invisible pages. */
const linesPerPage = 100;

/** Longer lines are data rather than code: they are split, and not highlighted. */
export const maxHighlightedLineLength = 4000;

/** The state of a code block before more code is added. */
export interface CodeStart {
  /** Number of pieces in the block. */
  readonly stableCount: number;
  /** True if these end within a long line. */
  readonly insideLine: boolean;
  readonly grammar: Grammar | undefined;
}

export interface CodePiece {
  readonly text: string;
  readonly isLong: boolean;
}

/**
 * Adds highlighted code. An incomplete last line is highlighted only if it is `final`, since the
 * kind of an unfinished word is unknown.
 */
export function addCode(code: VNode, text: string, start: CodeStart, final: boolean): BlockParts {
  const grammar = start.grammar?.copy();
  const starts: VNode[] = [];
  let page: VNode | undefined;
  let number = start.stableCount;
  for (const piece of splitCode(text, start.insideLine)) {
    const isFirst = number % linesPerPage === 0;
    if (page === undefined || isFirst) page = addPage(code, number);
    const isComplete = final || piece.text.endsWith('\n');
    const first = addPiece(page, piece.text, isComplete && !piece.isLong ? grammar : undefined);
    starts.push(isFirst ? page : first);
    number += 1;
  }
  const isFull = number % linesPerPage === 0;
  return { holder: page === undefined || isFull ? code : page, starts, grammar };
}

export function splitCode(text: string, insideLine: boolean): CodePiece[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines.flatMap((line, index) => {
    const isLong = line.length > maxHighlightedLineLength || (index === 0 && insideLine);
    return isLong ? splitLongLine(line) : { text: line, isLong };
  });
}

function splitLongLine(line: string): CodePiece[] {
  const count = Math.ceil(line.length / maxHighlightedLineLength);
  return Array.from({ length: count }, (_, index) => ({
    text: line.slice(index * maxHighlightedLineLength, (index + 1) * maxHighlightedLineLength),
    isLong: true,
  }));
}

/** Only later pages can be skipped: most code fits on the first. */
function addPage(code: VNode, firstLine: number): VNode {
  const name = firstLine < linesPerPage ? 'code-page' : 'code-page later';
  const page = elementVNode('span', { class: name });
  code.children.push(page);
  return page;
}

function addPiece(page: VNode, line: string, grammar: Grammar | undefined): VNode {
  const end = line.endsWith('\n') ? '\n' : '';
  const tokens = grammar?.read(end === '' ? line : line.slice(0, -1));
  const vnodes = tokens === undefined ? [textVNode(line)] : tokenVNodes(tokens, end);
  page.children.push(...vnodes);
  return vnodes[0] ?? page;
}

function tokenVNodes(tokens: readonly CodeToken[], end: string): VNode[] {
  const vnodes = tokens.map(tokenVNode);
  const last = tokens.at(-1);
  if (last === undefined || last.kind !== undefined) return [...vnodes, textVNode(end)];
  return [...vnodes.slice(0, -1), textVNode(last.text + end)];
}

function tokenVNode({ text, kind }: CodeToken): VNode {
  const content = textVNode(text);
  return kind === undefined ? content : elementVNode('span', { class: `token-${kind}` }, [content]);
}

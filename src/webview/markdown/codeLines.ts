import type { BlockParts } from './drawing.ts';
import type { CodeToken, Grammar } from './highlight/grammar.ts';
import { elementVNode, textVNode, type VNode } from './vnode.ts';

/** The browser skips pages of so many lines while they are out of sight. */
const linesOfPage = 100;

/** Longer lines are data rather than code: they have no colours, and are cut into pieces. */
export const maxHighlightedLineLength = 4000;

/** Where in a block the code begins. */
export interface CodeStart {
  /** How many pieces of the block are there already. */
  readonly stableCount: number;
  /** Whether they end in the middle of a long line. */
  readonly insideLine: boolean;
  readonly grammar: Grammar | undefined;
}

/** A line with its end, or a piece of a long one. */
export interface CodePiece {
  readonly text: string;
  readonly isLong: boolean;
}

/**
 * Adds code, each word in the colour of its kind. The last line, where it has no end, is coloured
 * only if it is `final`: a word that is not finished has no kind yet.
 */
export function addCode(code: VNode, text: string, start: CodeStart, final: boolean): BlockParts {
  const grammar = start.grammar?.copy();
  const starts: VNode[] = [];
  let page: VNode | undefined;
  let number = start.stableCount;
  for (const piece of splitCode(text, start.insideLine)) {
    const isFirst = number % linesOfPage === 0;
    if (page === undefined || isFirst) page = addPage(code, number);
    const isComplete = final || piece.text.endsWith('\n');
    const first = addPiece(page, piece.text, isComplete && !piece.isLong ? grammar : undefined);
    starts.push(isFirst ? page : first);
    number += 1;
  }
  const isFull = number % linesOfPage === 0;
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

/** Most code is one page, which is not worth skipping by itself. */
function addPage(code: VNode, firstLine: number): VNode {
  const name = firstLine < linesOfPage ? 'code-page' : 'code-page later';
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

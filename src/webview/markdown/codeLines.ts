import type { Parts } from './drawing.ts';
import type { CodeToken, Grammar } from './highlight/grammar.ts';
import { sketchElement, sketchText, type Sketch } from './sketch.ts';

/** The browser skips pages of so many lines while they are out of sight. */
const linesOfPage = 100;

/** Longer lines are data rather than code: they have no colours, and are cut into pieces. */
export const longestLine = 4000;

/** Where in a block the code begins. */
export interface CodeStart {
  /** How many pieces of the block are there already. */
  readonly settled: number;
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
export function addCode(code: Sketch, text: string, start: CodeStart, final: boolean): Parts {
  const grammar = start.grammar?.copy();
  const starts: Sketch[] = [];
  let page: Sketch | undefined;
  let number = start.settled;
  for (const piece of cutCode(text, start.insideLine)) {
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

export function cutCode(text: string, insideLine: boolean): CodePiece[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines.flatMap((line, index) => {
    const isLong = line.length > longestLine || (index === 0 && insideLine);
    return isLong ? cutLine(line) : { text: line, isLong };
  });
}

function cutLine(line: string): CodePiece[] {
  const count = Math.ceil(line.length / longestLine);
  return Array.from({ length: count }, (_, index) => ({
    text: line.slice(index * longestLine, (index + 1) * longestLine),
    isLong: true,
  }));
}

/** Most code is one page, which is not worth skipping by itself. */
function addPage(code: Sketch, firstLine: number): Sketch {
  const name = firstLine < linesOfPage ? 'code-page' : 'code-page later';
  const page = sketchElement('span', { class: name });
  code.children.push(page);
  return page;
}

function addPiece(page: Sketch, line: string, grammar: Grammar | undefined): Sketch {
  const end = line.endsWith('\n') ? '\n' : '';
  const tokens = grammar?.read(end === '' ? line : line.slice(0, -1));
  const sketches = tokens === undefined ? [sketchText(line)] : sketchTokens(tokens, end);
  page.children.push(...sketches);
  return sketches[0] ?? page;
}

function sketchTokens(tokens: readonly CodeToken[], end: string): Sketch[] {
  const sketches = tokens.map(sketchToken);
  const last = tokens.at(-1);
  if (last === undefined || last.kind !== undefined) return [...sketches, sketchText(end)];
  return [...sketches.slice(0, -1), sketchText(last.text + end)];
}

function sketchToken({ text, kind }: CodeToken): Sketch {
  const content = sketchText(text);
  return kind === undefined
    ? content
    : sketchElement('span', { class: `token-${kind}` }, [content]);
}

/** Elements that start a new line, where words end. */
const blocks = 'p, li, pre, td, th, h1, h2, h3, h4, h5, h6, div, blockquote, summary, details';

interface TextPiece {
  readonly node: Text;
  readonly start: number;
}

/** Maximum number of highlighted matches in one element. */
const maxRanges = 1000;

/** Ranges of the matches in an element's text, across node boundaries. */
export function textRanges(element: Element, pattern: RegExp): Range[] {
  const { text, pieces } = readText(element);
  const ranges: Range[] = [];
  let piece = 0;
  for (const match of text.matchAll(pattern)) {
    if (ranges.length === maxRanges) break;
    piece = pieceAt(pieces, match.index, piece);
    const last = pieceAt(pieces, match.index + match[0].length - 1, piece);
    const range = rangeOf(pieces[piece], match.index, pieces[last], match.index + match[0].length);
    if (range !== undefined) ranges.push(range);
  }
  return ranges;
}

function readText(element: Element): { text: string; pieces: TextPiece[] } {
  const pieces: TextPiece[] = [];
  const texts: string[] = [];
  let length = 0;
  let block: Element | null = null;
  const walker = element.ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    // A formula is searched by its source.
    if (!isText(node) || node.parentElement?.closest('button, math') !== null) continue;
    const around: Element | null = node.parentElement.closest(blocks);
    if (around !== block && length > 0) {
      texts.push('\n');
      length++;
    }
    block = around;
    pieces.push({ node, start: length });
    texts.push(node.data);
    length += node.data.length;
  }
  return { text: texts.join(''), pieces };
}

function isText(node: Node): node is Text {
  return node.nodeType === Node.TEXT_NODE;
}

/** Index of the piece that contains a character, searched from the piece `from`. */
function pieceAt(pieces: readonly TextPiece[], index: number, from: number): number {
  let current = from;
  while ((pieces[current + 1]?.start ?? Infinity) <= index) current++;
  return current;
}

function rangeOf(
  first: TextPiece | undefined,
  start: number,
  last: TextPiece | undefined,
  end: number,
): Range | undefined {
  if (first === undefined || last === undefined) return undefined;
  const range = first.node.ownerDocument.createRange();
  range.setStart(first.node, Math.min(start - first.start, first.node.length));
  range.setEnd(last.node, Math.min(end - last.start, last.node.length));
  return range;
}

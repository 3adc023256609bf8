/** Elements that begin a line of their own, so that no word goes on from one to the next. */
const blocks = 'p, li, pre, td, th, h1, h2, h3, h4, h5, h6, div, blockquote, summary, details';

/** Where a text of the page came from. */
interface TextPiece {
  readonly node: Text;
  /** Where it begins in the whole text. */
  readonly start: number;
}

/** More hits than these in one place are not shown. */
const maxRanges = 1000;

/** Where a pattern fits what is read in an element, across the nodes that the text is cut into. */
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
    if (!isText(node) || node.parentElement?.closest('button') !== null) continue;
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

/** The piece in which the character at `index` is, looking on from the piece `from`. */
function pieceAt(pieces: readonly TextPiece[], index: number, from: number): number {
  let found = from;
  while ((pieces[found + 1]?.start ?? Infinity) <= index) found++;
  return found;
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

import { isShown, nameOf } from './layers.ts';

/** Short texts that name something. */
const labels =
  'button, label, legend, summary, h1, h2, h3, th, [role=option], [role=note], .status, .hint, .badge';

/** Space that the text of a label needs and has. */
export interface LabelWidth {
  readonly name: string;
  readonly text: string;
  /** CSS pixels on one line. */
  readonly needed: number;
  /** CSS pixels of the container's line. */
  readonly room: number;
}

/** Visible labels in document order, which is the same in all languages. */
export function labelWidths(): readonly LabelWidth[] {
  return [...document.querySelectorAll(`#root :is(${labels})`)]
    .filter((label) => isShown(label) && label.textContent.trim() !== '')
    .map((label) => ({
      name: nameOf(label),
      text: label.textContent.trim(),
      needed: widthOf(label),
      room: roomOf(label),
    }));
}

/** Total width of all lines of text. */
function widthOf(label: Element): number {
  const range = document.createRange();
  const texts = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
  let width = 0;
  while (texts.nextNode() !== null) {
    range.selectNodeContents(texts.currentNode);
    for (const line of range.getClientRects()) width += line.width;
  }
  return width;
}

/** Inner width of the nearest block ancestor. */
function roomOf(label: Element): number {
  let block = label.parentElement ?? label;
  while (/^(?:inline|contents)/.test(getComputedStyle(block).display) && block.parentElement)
    block = block.parentElement;
  const { paddingLeft, paddingRight } = getComputedStyle(block);
  return block.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
}

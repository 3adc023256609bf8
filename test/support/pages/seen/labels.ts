import { isShown, nameOf } from './layers.ts';

/** What names something, and is read at a glance. */
const labels =
  'button, label, legend, summary, h1, h2, h3, th, [role=option], [role=note], .status, .hint, .badge';

/** How much room the text of a label takes. */
export interface LabelWidth {
  readonly name: string;
  readonly text: string;
  /** On one line, in CSS pixels. */
  readonly needed: number;
  /** One line of what it is in. */
  readonly room: number;
}

/** The labels that are shown, in their order, which is the same in all languages. */
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

/** The widths of all lines of all texts in it, one after the other. */
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

/** The inner width of the nearest block around it. */
function roomOf(label: Element): number {
  let block = label.parentElement ?? label;
  while (/^(?:inline|contents)/.test(getComputedStyle(block).display) && block.parentElement)
    block = block.parentElement;
  const { paddingLeft, paddingRight } = getComputedStyle(block);
  return block.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
}

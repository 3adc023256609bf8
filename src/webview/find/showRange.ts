import type { TranscriptScroll } from '../scroll/transcriptScroll.ts';

/** Brings a range of text into the middle of the transcript. */
export function showRange(range: Range, scroll: TranscriptScroll): void {
  center(range, scroll);
  // What comes into sight is laid out only now, and may have another height than was thought.
  requestAnimationFrame(() => center(range, scroll));
}

function center(range: Range, scroll: TranscriptScroll): void {
  const { scroller } = scroll;
  let element = elementOf(range.startContainer);
  for (; element !== null && element !== scroller; element = element.parentElement)
    bringInto(element, range);
  const { top, height } = range.getBoundingClientRect();
  const edge = scroller.getBoundingClientRect();
  scroll.moveBy(top + height / 2 - edge.top - edge.height / 2);
}

function elementOf(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}

/** Scrolls a part of the transcript that scrolls by itself: a long question, a wide line of code. */
function bringInto(element: Element, range: Range): void {
  const inner = range.getBoundingClientRect();
  const outer = element.getBoundingClientRect();
  if (
    element.scrollHeight > element.clientHeight &&
    !isWithin(inner.top, inner.bottom, outer.top, outer.bottom)
  )
    element.scrollTop += inner.top - outer.top - outer.height / 2;
  if (
    element.scrollWidth > element.clientWidth &&
    !isWithin(inner.left, inner.right, outer.left, outer.right)
  )
    element.scrollLeft += inner.left - outer.left - outer.width / 2;
}

function isWithin(start: number, end: number, from: number, to: number): boolean {
  return start >= from && end <= to;
}

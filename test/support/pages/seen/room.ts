import { isShown, nameOf } from './layers.ts';

/** What must be in the page as a whole, or scroll. */
const frames = '.composer, .composer-bar, .find, .holder-bar, .banner';
const popups = '.options-form, .completions, .drop-place, .menu';
const controls = 'button, input, textarea, summary';

/** What a page of this size has no room for: beyond its edges, or cut off for good. */
export function withoutRoom(): readonly string[] {
  const visible = [...document.querySelectorAll('#root *')].filter(isShown);
  const problems = visible.flatMap((element) => [
    ...beyond(element),
    ...cutOff(element),
    ...(element.matches(`${frames}, ${popups}`) ? outside(element) : []),
    ...(element.matches(controls) ? covered(element) : []),
  ]);
  const { scrollWidth, clientWidth } = document.documentElement;
  const page = scrollWidth > clientWidth ? [`the page scrolls: ${scrollWidth} px`] : [];
  return [...new Set([...page, ...problems])];
}

/** Beyond the left or right edge of the page, where nothing around scrolls. */
function beyond(element: Element): readonly string[] {
  const { left: start, right } = element.getBoundingClientRect();
  if (start >= -1 && right <= innerWidth + 1) return [];
  const isReached = around(element).some((ancestor) =>
    /auto|scroll/.test(getComputedStyle(ancestor).overflowX),
  );
  // What is cut off is another matter.
  const isCut = around(element).some((ancestor) =>
    /hidden|clip/.test(getComputedStyle(ancestor).overflowX),
  );
  return isReached || isCut ? [] : [`beyond the edge: ${nameOf(element)}`];
}

/** What it is in, up to what scrolls sideways. */
function around(element: Element): readonly Element[] {
  const ancestors: Element[] = [];
  for (let at = element.parentElement; at?.closest('#root > *'); at = at.parentElement) {
    ancestors.push(at);
    if (/auto|scroll/.test(getComputedStyle(at).overflowX)) break;
  }
  return ancestors;
}

/** Wider than its box and not scrolled, and without a title that has it in full. */
function cutOff(element: Element): readonly string[] {
  const { overflowX, overflowY } = getComputedStyle(element);
  const isCutX = /hidden|clip/.test(overflowX) && element.scrollWidth > element.clientWidth + 1;
  const isCutY = /hidden|clip/.test(overflowY) && element.scrollHeight > element.clientHeight + 2;
  if ((!isCutX && !isCutY) || element.clientWidth === 0) return [];
  if (element instanceof SVGElement || element.matches('.formula.drawn, .formula *')) return [];
  const isTold = element.closest('[title], [aria-label]:is(button, [role=option])') !== null;
  return isTold ? [] : [`cut off: ${nameOf(element)}`];
}

/** Not in the window as a whole. */
function outside(element: Element): readonly string[] {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= -1 && bottom <= innerHeight + 1
    ? []
    : [`outside: ${nameOf(element)} from ${Math.round(top)} to ${Math.round(bottom)}`];
}

/** A control that is too small to be pressed, or that is cut off by what is around it. */
function covered(element: Element): readonly string[] {
  if (element.matches('.usage-ranges input')) return [];
  const box = element.getBoundingClientRect();
  const isSmall = box.width < 12 || box.height < 12;
  const isOverflown =
    element.scrollWidth > element.clientWidth + 2 &&
    element.tagName === 'BUTTON' &&
    getComputedStyle(element).overflowX === 'visible';
  if (isOverflown) return [`wider than its box: ${nameOf(element)}`];
  const cut = around(element).find((ancestor) => {
    const { overflowX, clipPath } = getComputedStyle(ancestor);
    const edge = ancestor.getBoundingClientRect();
    const isClipping = /hidden|clip/.test(overflowX) && clipPath === 'none';
    return isClipping && (box.left < edge.left - 2 || box.right > edge.right + 2);
  });
  if (cut !== undefined) return [`cut off: ${nameOf(element)} by ${nameOf(cut)}`];
  return isSmall ? [`too small: ${nameOf(element)}`] : [];
}

import { isShown, nameOf } from './layers.ts';

/** Elements that must be in the page completely, or scroll. */
const frames = '.composer, .composer-bar, .find, .holder-bar, .banner';
const popups = '.options-form, .completions, .drop-place, .menu';
const controls = 'button, input, textarea, summary';

/** Elements that overflow or are cut off at the page's current size. */
export function withoutRoom(): readonly string[] {
  const visible = [...document.querySelectorAll('#root *')].filter(isShown);
  const problems = visible.flatMap((element) => [
    ...beyondEdge(element),
    ...cutOff(element),
    ...(element.matches(`${frames}, ${popups}`) ? outside(element) : []),
    ...(element.matches(controls) ? unreachable(element) : []),
  ]);
  const { scrollWidth, clientWidth } = document.documentElement;
  const page = scrollWidth > clientWidth ? [`the page scrolls: ${scrollWidth} px`] : [];
  return [...new Set([...page, ...problems])];
}

/** Reports an element beyond the left or right edge of the page that can't be scrolled to. */
function beyondEdge(element: Element): readonly string[] {
  const { left: start, right } = element.getBoundingClientRect();
  if (start >= -1 && right <= innerWidth + 1) return [];
  const isReached = ancestorsOf(element).some((ancestor) =>
    /auto|scroll/.test(getComputedStyle(ancestor).overflowX),
  );
  // `cutOff` reports elements that are cut off.
  const isCut = ancestorsOf(element).some((ancestor) =>
    /hidden|clip/.test(getComputedStyle(ancestor).overflowX),
  );
  return isReached || isCut ? [] : [`beyond the edge: ${nameOf(element)}`];
}

/** Ancestors up to the first one that scrolls horizontally. */
function ancestorsOf(element: Element): readonly Element[] {
  const ancestors: Element[] = [];
  for (let at = element.parentElement; at?.closest('#root > *'); at = at.parentElement) {
    ancestors.push(at);
    if (/auto|scroll/.test(getComputedStyle(at).overflowX)) break;
  }
  return ancestors;
}

/** Reports an element whose content is cut off, unless a title has the full text. */
function cutOff(element: Element): readonly string[] {
  const { overflowX, overflowY } = getComputedStyle(element);
  const isCutX = /hidden|clip/.test(overflowX) && element.scrollWidth > element.clientWidth + 1;
  const isCutY = /hidden|clip/.test(overflowY) && element.scrollHeight > element.clientHeight + 2;
  if ((!isCutX && !isCutY) || element.clientWidth === 0) return [];
  if (element instanceof SVGElement || element.matches('.formula.drawn, .formula *')) return [];
  const hasFullText = element.closest('[title], [aria-label]:is(button, [role=option])') !== null;
  return hasFullText ? [] : [`cut off: ${nameOf(element)}`];
}

/** Reports an element that isn't completely inside the window. */
function outside(element: Element): readonly string[] {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= -1 && bottom <= innerHeight + 1
    ? []
    : [`outside: ${nameOf(element)} from ${Math.round(top)} to ${Math.round(bottom)}`];
}

/** Reports a control that is too small to press, or cut off by an ancestor. */
function unreachable(element: Element): readonly string[] {
  if (element.matches('.usage-ranges input')) return [];
  const box = element.getBoundingClientRect();
  const isSmall = box.width < 12 || box.height < 12;
  const isOverflown =
    element.scrollWidth > element.clientWidth + 2 &&
    element.tagName === 'BUTTON' &&
    getComputedStyle(element).overflowX === 'visible';
  if (isOverflown) return [`wider than its box: ${nameOf(element)}`];
  const cut = ancestorsOf(element).find((ancestor) => {
    const { overflowX, clipPath } = getComputedStyle(ancestor);
    const edge = ancestor.getBoundingClientRect();
    const isClipping = /hidden|clip/.test(overflowX) && clipPath === 'none';
    return isClipping && (box.left < edge.left - 2 || box.right > edge.right + 2);
  });
  if (cut !== undefined) return [`cut off: ${nameOf(element)} by ${nameOf(cut)}`];
  return isSmall ? [`too small: ${nameOf(element)}`] : [];
}

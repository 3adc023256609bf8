import { contrastOf, parseColor } from './color.ts';
import { chainOf, clearLayers, isShown, nameOf, opacityOf, pixelOf } from './layers.ts';

/** Elements that a font, their content or nearby text distinguishes too. */
const distinguishedOtherwise = ':not(pre) > code, .code-header, .usage-track, .usage, kbd';
let marked: readonly Element[] = [];

/** Remembers the elements that stand out by their background, and returns their number. */
export function markBackgrounds(): number {
  clearLayers();
  const all = [...document.querySelectorAll('#root *')].filter((element) => isShown(element));
  marked = all.filter((element) => !element.matches(distinguishedOtherwise) && standsOut(element));
  return marked.length;
}

function standsOut(element: Element): boolean {
  const chain = chainOf(element);
  const { backgroundColor } = getComputedStyle(element);
  if (parseColor(backgroundColor)[3] === 0 || opacityOf(chain) === 0) return false;
  return contrastOf(pixelOf(chain), pixelOf(chain.slice(0, -1))) > 1.01;
}

/** Elements that stood out and no longer do, in forced colors. */
export function vanished(): readonly string[] {
  clearLayers();
  return [
    ...new Set(marked.filter((element) => !standsOut(element) && !hasLine(element)).map(nameOf)),
  ];
}

/** True if a visible border or outline surrounds the element or one of its sides. */
function hasLine(element: Element): boolean {
  const style = getComputedStyle(element);
  const lines = [
    [style.outlineStyle, style.outlineWidth, style.outlineColor],
    [style.borderTopStyle, style.borderTopWidth, style.borderTopColor],
    [style.borderLeftStyle, style.borderLeftWidth, style.borderLeftColor],
  ] as const;
  const chain = chainOf(element.parentElement ?? element);
  return lines.some(([line, width, color]) => {
    if (line === 'none' || Number.parseFloat(width) === 0) return false;
    return contrastOf(pixelOf(chain, parseColor(color)), pixelOf(chain)) >= 3;
  });
}

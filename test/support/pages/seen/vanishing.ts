import { contrastOf, parseColor } from './color.ts';
import { chainOf, forgetLayers, isShown, nameOf, opacityOf, pixelOf } from './layers.ts';

/** Told by a font of its own, by what is in them, or by text beside them. */
const toldOtherwise = ':not(pre) > code, .code-header, .usage-track, .usage, kbd';
let marked: readonly Element[] = [];

/** Remembers what stands out by its background, and returns how much that is. */
export function markBackgrounds(): number {
  forgetLayers();
  const all = [...document.querySelectorAll('#root *')].filter((element) => isShown(element));
  marked = all.filter((element) => !element.matches(toldOtherwise) && standsOut(element));
  return marked.length;
}

function standsOut(element: Element): boolean {
  const chain = chainOf(element);
  const { backgroundColor } = getComputedStyle(element);
  if (parseColor(backgroundColor)[3] === 0 || opacityOf(chain) === 0) return false;
  return contrastOf(pixelOf(chain), pixelOf(chain.slice(0, -1))) > 1.01;
}

/** What stood out and no longer does, by nothing that forced colors leave. */
export function vanished(): readonly string[] {
  forgetLayers();
  return [
    ...new Set(marked.filter((element) => !standsOut(element) && !hasLine(element)).map(nameOf)),
  ];
}

/** Whether a border or an outline is around it or at one of its sides. */
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

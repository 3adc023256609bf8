import { clear, mix, over, parseColor, type Rgba } from './color.ts';

/** What is read of an element until something changes: its backgrounds, and its opacity. */
interface Layer {
  readonly backgrounds: readonly Rgba[];
  readonly opacity: number;
  readonly isClipped: boolean;
}

let layers = new WeakMap<Element, Layer>();

/** To be called when styles have changed. */
export function forgetLayers(): void {
  layers = new WeakMap();
}

function layerOf(element: Element): Layer {
  const known = layers.get(element);
  if (known !== undefined) return known;
  const style = getComputedStyle(element);
  const layer = {
    ...{ backgrounds: backgrounds(style), opacity: Number(style.opacity) },
    isClipped: style.clipPath !== 'none',
  };
  layers.set(element, layer);
  return layer;
}

/** The element with everything that it is in, the root first. */
export function chainOf(element: Element): readonly Element[] {
  const chain: Element[] = [];
  for (let at: Element | null = element; at !== null; at = at.parentElement) chain.unshift(at);
  return chain;
}

/**
 * The color of a pixel of an element: its backgrounds and those of all that it is in, with a color on
 * top of them, through every opacity.
 */
export function pixelOf(chain: readonly Element[], top: Rgba = clear, opacity = 1): Rgba {
  const below: Rgba = [255, 255, 255, 1];
  return paint(chain, 0, below, [top[0], top[1], top[2], top[3] * opacity]);
}

function paint(chain: readonly Element[], at: number, below: Rgba, top: Rgba): Rgba {
  const element = chain[at];
  if (element === undefined) return over(top, below);
  const layer = layerOf(element);
  const inner = layer.backgrounds.reduce((color, background) => over(background, color), below);
  // What is drawn in a group fades with it into what is below the group.
  return mix(paint(chain, at + 1, inner, top), below, layer.opacity);
}

/** The color of the background, and that of a gradient that fills it evenly. */
function backgrounds({ backgroundColor, backgroundImage, backgroundSize }: CSSStyleDeclaration) {
  const color = parseColor(backgroundColor);
  if (backgroundSize !== 'auto') return [color];
  const [first = ''] = /(?:rgba?|color)\([^)]*\)/.exec(backgroundImage) ?? [];
  return first === '' ? [color] : [color, parseColor(first)];
}

/** How much of an element is seen through the opacities of all that it is in. */
export function opacityOf(chain: readonly Element[]): number {
  return chain.reduce((product, element) => product * layerOf(element).opacity, 1);
}

/** Whether an element is drawn at all, and not only for assistive technology. */
export function isShown(element: Element): boolean {
  if (!element.checkVisibility({ visibilityProperty: true })) return false;
  const { width, height } = element.getBoundingClientRect();
  if (width <= 1 || height <= 1) return false;
  return !chainOf(element).some((ancestor) => layerOf(ancestor).isClipped);
}

/** An element as it is told in a failure: its tag and classes, below those of its parent. */
export function nameOf(element: Element): string {
  const selectorOf = (node: Element): string =>
    [node.tagName.toLowerCase(), ...[...node.classList].filter((name) => !/^forced-/.test(name))]
      .join('.')
      .replaceAll(/\.codicon-[\w-]+(?=\.)/g, '');
  const parent = element.parentElement;
  return parent === null || parent === document.body
    ? selectorOf(element)
    : `${selectorOf(parent)} > ${selectorOf(element)}`;
}

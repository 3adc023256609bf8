import { clear, mix, over, parseColor, type Rgba } from './color.ts';

/** Cached styles of an element. */
interface Layer {
  readonly backgrounds: readonly Rgba[];
  readonly opacity: number;
  readonly isClipped: boolean;
}

let layers = new WeakMap<Element, Layer>();

/** Must be called when styles have changed. */
export function clearLayers(): void {
  layers = new WeakMap();
}

function layerOf(element: Element): Layer {
  const cached = layers.get(element);
  if (cached !== undefined) return cached;
  const style = getComputedStyle(element);
  const layer = {
    backgrounds: backgrounds(style),
    opacity: Number(style.opacity),
    isClipped: style.clipPath !== 'none',
  };
  layers.set(element, layer);
  return layer;
}

/** The element and its ancestors, the root first. */
export function chainOf(element: Element): readonly Element[] {
  const chain: Element[] = [];
  for (let at: Element | null = element; at !== null; at = at.parentElement) chain.unshift(at);
  return chain;
}

/**
 * Color of a pixel of an element: its own and its ancestors' backgrounds, with a color on top, all
 * with their opacities.
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
  // Opacity applies to an element's background and content together.
  return mix(paint(chain, at + 1, inner, top), below, layer.opacity);
}

/** The background color, and that of a gradient with a single color. */
function backgrounds({ backgroundColor, backgroundImage, backgroundSize }: CSSStyleDeclaration) {
  const color = parseColor(backgroundColor);
  if (backgroundSize !== 'auto') return [color];
  const [first = ''] = /(?:rgba?|color)\([^)]*\)/.exec(backgroundImage) ?? [];
  return first === '' ? [color] : [color, parseColor(first)];
}

/** Product of the opacities of an element and its ancestors. */
export function opacityOf(chain: readonly Element[]): number {
  return chain.reduce((product, element) => product * layerOf(element).opacity, 1);
}

/** True if an element is visible on screen, not only to assistive technology. */
export function isShown(element: Element): boolean {
  if (!element.checkVisibility({ visibilityProperty: true })) return false;
  const { width, height } = element.getBoundingClientRect();
  if (width <= 1 || height <= 1) return false;
  return !chainOf(element).some((ancestor) => layerOf(ancestor).isClipped);
}

/** Name of an element for failure messages: its tag and classes, after those of its parent. */
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

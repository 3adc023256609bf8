import { contrastOf, parseColor, type Rgba } from './color.ts';
import { chainOf, clearLayers, isShown, nameOf, opacityOf, pixelOf } from './layers.ts';

/** A drawn item, with its contrast to the surroundings. */
export interface DrawnItem {
  readonly name: string;
  readonly kind: 'text' | 'icon' | 'border' | 'focus';
  readonly contrast: number;
  readonly required: number;
}

/** Elements that WCAG exempts: disabled or decorative ones. */
const disabled = '[disabled], [aria-disabled="true"], :disabled';
const decoration = '.usage-track, .usage-hatch, .context-meter circle:not(.used), math *, canvas';
/** Elements that only a border separates from their surroundings. */
const bordered = 'input.field, textarea.field:not(.question-editor *), .composer-box, .editing';
/** Indicators without text, by background. */
const indicators = '.pulse';

/** True if WCAG allows low contrast. */
export function isExempt(element: Element): boolean {
  return element.closest(disabled) !== null || element.matches(decoration);
}

/** Measures the contrast of everything below the root. */
export function measure(isFocused: boolean): readonly DrawnItem[] {
  clearLayers();
  const elements = [...document.querySelectorAll('#root *')].filter(isShown);
  const visible = elements.filter(
    (element) => !isExempt(element) && opacityOf(chainOf(element)) > 0,
  );
  return visible.flatMap((element) => [
    ...textOf(element),
    ...iconsOf(element),
    ...shapeOf(element),
    ...borderOf(element),
    ...(isFocused ? focusOf(element) : []),
  ]);
}

function drawnItem(
  element: Element,
  kind: DrawnItem['kind'],
  color: Rgba,
  { chain = chainOf(element), required = 3, opacity = 1, part = '' } = {},
): readonly DrawnItem[] {
  if (color[3] === 0) return [];
  const contrast = contrastOf(pixelOf(chain, color, opacity), pixelOf(chain));
  return [{ name: `${nameOf(element)}${part}`, kind, contrast, required }];
}

function textOf(element: Element): readonly DrawnItem[] {
  const style = getComputedStyle(element);
  const required = requiredContrast(style);
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    if (/checkbox|radio/.test(element.type)) return [];
    const { color } = element.value === '' ? getComputedStyle(element, '::placeholder') : style;
    return drawnItem(element, 'text', parseColor(color), { required });
  }
  const hasText = [...element.childNodes].some(
    (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '',
  );
  const color = parseColor(style.color);
  return hasText && !(element instanceof SVGElement)
    ? drawnItem(element, 'text', color, { required })
    : [];
}

/** WCAG allows lower contrast for large text: 24 pixels, or 18.66 if it is bold. */
function requiredContrast({ fontSize, fontWeight }: CSSStyleDeclaration): number {
  const size = Number.parseFloat(fontSize);
  return size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700) ? 3 : 4.5;
}

/** Pseudo-elements before and after an element. */
function iconsOf(element: Element): readonly DrawnItem[] {
  return ['::before', '::after'].flatMap((part) => {
    const style = getComputedStyle(element, part);
    if (style.content === 'none' || style.content === 'normal') return [];
    const isMark = style.content === '""';
    if (isMark && style.borderTopStyle === 'solid' && style.borderTopWidth !== '0px')
      return drawnItem(element, 'icon', parseColor(style.borderTopColor), { part });
    const color = parseColor(isMark ? style.backgroundColor : style.color);
    return drawnItem(element, 'icon', color, { part, opacity: Number(style.opacity) });
  });
}

function shapeOf(element: Element): readonly DrawnItem[] {
  if (element.matches(indicators)) {
    const chain = chainOf(element.parentElement ?? element);
    return drawnItem(element, 'icon', parseColor(getComputedStyle(element).backgroundColor), {
      chain,
    });
  }
  if (!(element instanceof SVGGeometryElement)) return [];
  const { fill, stroke } = getComputedStyle(element);
  const [, id] = /url\("#(.+)"\)/.exec(fill) ?? [];
  const filled = id === undefined ? fill : fillOfPattern(id);
  // A filled and outlined shape is visible if either has enough contrast.
  const candidates = [filled, stroke].flatMap((value) =>
    drawnItem(element, 'icon', parseColor(value)),
  );
  return candidates.toSorted((a, b) => b.contrast - a.contrast).slice(0, 1);
}

function fillOfPattern(id: string): string {
  const shape = document.getElementById(id)?.querySelector('rect');
  return shape ? getComputedStyle(shape).fill : '';
}

function borderOf(element: Element): readonly DrawnItem[] {
  if (!element.matches(bordered)) return [];
  const { borderTopColor } = getComputedStyle(element);
  return contrastOfLine(element, 'border', pixelOf(chainOf(element), parseColor(borderTopColor)));
}

/** The outline or border that shows focus. */
function focusOf(element: Element): readonly DrawnItem[] {
  if (!element.classList.contains('forced-focus') || element.matches('.completion')) return [];
  const { outlineStyle, outlineWidth, outlineColor, outlineOffset } = getComputedStyle(element);
  if (outlineStyle === 'none' || outlineWidth === '0px') return [];
  const color = parseColor(outlineColor);
  if (Number.parseFloat(outlineOffset) < 0) return drawnItem(element, 'focus', color);
  return contrastOfLine(
    element,
    'focus',
    pixelOf(chainOf(element.parentElement ?? element), color),
  );
}

/** Contrast of a line around an element to its surroundings. */
function contrastOfLine(
  element: Element,
  kind: DrawnItem['kind'],
  line: Rgba,
): readonly DrawnItem[] {
  const around = pixelOf(chainOf(element.parentElement ?? element));
  return [{ name: nameOf(element), kind, contrast: contrastOf(line, around), required: 3 }];
}

import { contrastOf, parseColor, type Rgba } from './color.ts';
import { chainOf, forgetLayers, isShown, nameOf, opacityOf, pixelOf } from './layers.ts';

/** Something that is drawn, with its contrast to what is around it. */
export interface Drawn {
  readonly name: string;
  readonly what: 'text' | 'icon' | 'border' | 'focus';
  readonly contrast: number;
  readonly least: number;
}

/** What WCAG exempts: what can't be used now, and what only decorates. */
const disabled = '[disabled], [aria-disabled="true"], :disabled';
const decoration = '.usage-track, .usage-hatch, .context-meter circle:not(.used), math *, canvas';
/** What is told from its surroundings by its border alone. */
const bordered = 'input.field, textarea.field:not(.question-editor *), .composer-box, .editing';
/** Marks without text, by their backgrounds. */
const marks = '.pulse';

/** Whether WCAG lets it be faint. */
export function isExempt(element: Element): boolean {
  return element.closest(disabled) !== null || element.matches(decoration);
}

/** The contrast of everything that is drawn below the root. */
export function measure(isFocused: boolean): readonly Drawn[] {
  forgetLayers();
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

function drawn(
  element: Element,
  what: Drawn['what'],
  color: Rgba,
  { chain = chainOf(element), least = 3, opacity = 1, part = '' } = {},
): readonly Drawn[] {
  if (color[3] === 0) return [];
  const contrast = contrastOf(pixelOf(chain, color, opacity), pixelOf(chain));
  return [{ name: `${nameOf(element)}${part}`, what, contrast, least }];
}

function textOf(element: Element): readonly Drawn[] {
  const style = getComputedStyle(element);
  const least = leastOf(style);
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    if (/checkbox|radio/.test(element.type)) return [];
    const { color } = element.value === '' ? getComputedStyle(element, '::placeholder') : style;
    return drawn(element, 'text', parseColor(color), { least });
  }
  const hasText = [...element.childNodes].some(
    (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '',
  );
  const color = parseColor(style.color);
  return hasText && !(element instanceof SVGElement)
    ? drawn(element, 'text', color, { least })
    : [];
}

/** Less is enough for large text: 24 pixels, or 18.66 if it is bold. */
function leastOf({ fontSize, fontWeight }: CSSStyleDeclaration): number {
  const size = Number.parseFloat(fontSize);
  return size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700) ? 3 : 4.5;
}

/** What style sheets draw before and after an element. */
function iconsOf(element: Element): readonly Drawn[] {
  return ['::before', '::after'].flatMap((part) => {
    const style = getComputedStyle(element, part);
    if (style.content === 'none' || style.content === 'normal') return [];
    const isMark = style.content === '""';
    if (isMark && style.borderTopStyle === 'solid' && style.borderTopWidth !== '0px')
      return drawn(element, 'icon', parseColor(style.borderTopColor), { part });
    const color = parseColor(isMark ? style.backgroundColor : style.color);
    return drawn(element, 'icon', color, { part, opacity: Number(style.opacity) });
  });
}

function shapeOf(element: Element): readonly Drawn[] {
  if (element.matches(marks)) {
    const chain = chainOf(element.parentElement ?? element);
    return drawn(element, 'icon', parseColor(getComputedStyle(element).backgroundColor), { chain });
  }
  if (!(element instanceof SVGGeometryElement)) return [];
  const { fill, stroke } = getComputedStyle(element);
  const [, id] = /url\("#(.+)"\)/.exec(fill) ?? [];
  const filled = id === undefined ? fill : fillOfPattern(id);
  // A shape that is filled and outlined shows by either.
  const candidates = [filled, stroke].flatMap((value) => drawn(element, 'icon', parseColor(value)));
  return candidates.toSorted((a, b) => b.contrast - a.contrast).slice(0, 1);
}

function fillOfPattern(id: string): string {
  const shape = document.getElementById(id)?.querySelector('rect');
  return shape ? getComputedStyle(shape).fill : '';
}

function borderOf(element: Element): readonly Drawn[] {
  if (!element.matches(bordered)) return [];
  const { borderTopColor } = getComputedStyle(element);
  return besides(element, 'border', pixelOf(chainOf(element), parseColor(borderTopColor)));
}

/** The outline of an element with the focus, or the border that shows it. */
function focusOf(element: Element): readonly Drawn[] {
  if (!element.classList.contains('forced-focus') || element.matches('.completion')) return [];
  const { outlineStyle, outlineWidth, outlineColor, outlineOffset } = getComputedStyle(element);
  if (outlineStyle === 'none' || outlineWidth === '0px') return [];
  const color = parseColor(outlineColor);
  if (Number.parseFloat(outlineOffset) < 0) return drawn(element, 'focus', color);
  return besides(element, 'focus', pixelOf(chainOf(element.parentElement ?? element), color));
}

/** The contrast of a line around an element to what is around it. */
function besides(element: Element, what: Drawn['what'], line: Rgba): readonly Drawn[] {
  const around = pixelOf(chainOf(element.parentElement ?? element));
  return [{ name: nameOf(element), what, contrast: contrastOf(line, around), least: 3 }];
}

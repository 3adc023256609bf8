/** Red, green and blue from 0 to 255, and the opacity from 0 to 1. */
export type Rgba = readonly [number, number, number, number];

export const clear: Rgba = [0, 0, 0, 0];

/** Parses a computed color: `rgb(…)`, `rgba(…)` or `color(srgb …)`. */
export function parseColor(value: string): Rgba {
  const [, name = '', inner = ''] = /^([\w-]+)\((.*)\)$/.exec(value) ?? [];
  const isShare = name === 'color';
  const [red = 0, green = 0, blue = 0, opacity = 1] = inner
    .replace('srgb', '')
    .split(/[\s,/]+/)
    .filter((part) => part !== '')
    .map(Number);
  if (name === '' || Number.isNaN(red + green + blue + opacity)) return clear;
  const scale = isShare ? 255 : 1;
  return [red * scale, green * scale, blue * scale, opacity];
}

/** Draws a color on an opaque one. */
export function over(above: Rgba, below: Rgba): Rgba {
  return mix([above[0], above[1], above[2], 1], below, above[3]);
}

export function mix(first: Rgba, second: Rgba, share: number): Rgba {
  const channel = (at: 0 | 1 | 2): number => first[at] * share + second[at] * (1 - share);
  return [channel(0), channel(1), channel(2), 1];
}

/** Contrast of two opaque colors by the formula of WCAG 2, from 1 to 21. */
export function contrastOf(color: Rgba, otherColor: Rgba): number {
  const first = luminance(color) + 0.05;
  const second = luminance(otherColor) + 0.05;
  return Math.max(first, second) / Math.min(first, second);
}

function luminance([red, green, blue]: Rgba): number {
  const part = (value: number): number => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
}

import { propertiesOf, splitTop, type Rule, type Theme } from './styleSheet.ts';

/** Red, green and blue from 0 to 255, and the alpha from 0 to 1. */
type Rgba = readonly [number, number, number, number];

export class Palette {
  readonly #properties: ReadonlyMap<string, string>;
  readonly #canvasText: string;

  constructor(theme: Theme, rules: readonly Rule[]) {
    this.#properties = propertiesOf(theme, rules);
    this.#canvasText = theme.kind.endsWith('light') ? '#000000' : '#ffffff';
  }

  /** The color of a CSS value as `#rrggbb`, blended over those below, the lowest first. */
  drawnColor(value: string, ...below: readonly string[]): string {
    const [first, ...others] = [...below, value].map((each) => this.#read(each));
    if (first === undefined) return '';
    return hex(others.reduce(over, first));
  }

  #read(value: string): Rgba {
    if (value === 'CanvasText') return parse(this.#canvasText);
    if (value === 'transparent') return [0, 0, 0, 0];
    if (value.startsWith('#')) return parse(value);
    const [, name, inner = ''] = /^([\w-]+)\((.*)\)$/.exec(value) ?? [];
    const parts = splitTop(inner);
    if (name === 'var') return this.#read(this.#variable(parts));
    if (name === 'color-mix') return this.#mix(parts);
    throw new Error(`No color: ${value}`);
  }

  #variable([name = '', fallback]: readonly string[]): string {
    const value = this.#properties.get(name) ?? fallback;
    // Hover backgrounds, which high contrast themes don't have.
    if (value === undefined && /Background$/.test(name)) return 'transparent';
    if (value === undefined) throw new Error(`The table of themes has no ${name}`);
    return value;
  }

  /** Mixes in sRGB with premultiplied alpha, as browsers do. */
  #mix([space, first = '', second = '']: readonly string[]): Rgba {
    const [, color = '', share = ''] = /^(.*) (\d+%|var\(.*\))$/.exec(first) ?? [];
    const percent = share.startsWith('var') ? this.#variable([share.slice(4, -1)]) : share;
    if (space !== 'in srgb' || color === '') throw new Error(`No mix: ${first}`);
    const weight = Number.parseFloat(percent) / 100;
    return mix(this.#read(color), this.#read(second), weight);
  }
}

function mix(first: Rgba, second: Rgba, weight: number): Rgba {
  const opacity = first[3] * weight + second[3] * (1 - weight);
  const channel = (at: 0 | 1 | 2): number =>
    (first[at] * first[3] * weight + second[at] * second[3] * (1 - weight)) / opacity;
  return [channel(0), channel(1), channel(2), opacity];
}

function over(below: Rgba, above: Rgba): Rgba {
  const channel = (at: 0 | 1 | 2): number => above[at] * above[3] + below[at] * (1 - above[3]);
  return [channel(0), channel(1), channel(2), 1];
}

function parse(text: string): Rgba {
  const at = (start: number): number => Number.parseInt(text.slice(start, start + 2), 16);
  return [at(1), at(3), at(5), text.length > 7 ? at(7) / 255 : 1];
}

function hex([red, green, blue]: Rgba): string {
  const digits = [red, green, blue].map((each) => Math.round(each).toString(16).padStart(2, '0'));
  return `#${digits.join('')}`;
}

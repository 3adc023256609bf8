/**
 * Inputs for which a regular expression may take more than linear time. They are derived from the
 * expression: many repetitions of what one of its loops matches, with an end that fails.
 */
type Node =
  | { readonly type: 'character'; readonly fits: (character: string) => boolean }
  | { readonly type: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly type: 'loop'; readonly part: Node; readonly min: number; readonly max: number };

/** Creates an input of about this many characters. */
export type SlowInput = (length: number) => string;

/** Characters that hardly any expression matches, on the same line and on a new one. */
const ends = ['\u0001', '\n'];
const alphabet = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  ...['\t', '\n', '\r', '\u0001', 'é', 'Ж', '中', '\u0301', '\u200b', '…', '’', '：', '\u{feff}'],
];
const maxSamples = 4;

/** One token of an expression. */
const token =
  /\\(?:[pP]\{[^}]*\}|x[\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|c[A-Za-z]|k<[^>]*>|[^])|\[(?:\\[^]|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]|<[^>]*>)|\{\d+(?:,\d*)?\}|[^]/gu;
const bounds = /^\{(\d+)(,?)(\d*)\}$/;
const empty: Node = { type: 'sequence', parts: [] };

class Parser {
  readonly characters: ((character: string) => boolean)[] = [];
  readonly #tokens: readonly string[];
  readonly #flags: string;
  #index = 0;

  constructor({ source, flags }: RegExp) {
    this.#tokens = source.match(token) ?? [];
    this.#flags = flags.replaceAll(/[gy]/g, '');
  }

  parse(): Node {
    const parts = [this.#sequence()];
    while (this.#takes('|')) parts.push(this.#sequence());
    return { type: 'choice', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (let next = this.#next; next !== undefined && next !== '|' && next !== ')';) {
      this.#index++;
      parts.push(this.#repeated(this.#element(next)));
      next = this.#next;
    }
    return { type: 'sequence', parts };
  }

  #element(text: string): Node {
    if (text.startsWith('(')) {
      const inside = this.parse();
      this.#takes(')');
      return /^\(\?<?[=!]/.test(text) ? empty : inside;
    }
    if (/^(?:[\^$]|\\[bB1-9]|\\k<.*)$/.test(text)) return empty;
    const expression = new RegExp(`^(?:${text})$`, this.#flags);
    const known = new Map(alphabet.map((character) => [character, expression.test(character)]));
    const fits = (character: string): boolean => known.get(character) === true;
    this.characters.push(fits);
    return { type: 'character', fits };
  }

  #repeated(part: Node): Node {
    const text = this.#next ?? '';
    const [, min = '', comma = '', max = ''] = bounds.exec(text) ?? [];
    if (!['*', '+', '?'].includes(text) && min === '') return part;
    this.#index++;
    this.#takes('?');
    if (text === '*') return { type: 'loop', part, min: 0, max: Infinity };
    if (text === '+') return { type: 'loop', part, min: 1, max: Infinity };
    if (text === '?') return { type: 'loop', part, min: 0, max: 1 };
    const limit = comma === '' ? Number(min) : max === '' ? Infinity : Number(max);
    return { type: 'loop', part, min: Number(min), max: limit };
  }

  get #next(): string | undefined {
    return this.#tokens[this.#index];
  }

  #takes(text: string): boolean {
    if (this.#next !== text) return false;
    this.#index++;
    return true;
  }
}

/** How to write a text that matches: with a preferred character, and with or without optional parts. */
interface SampleStyle {
  readonly character: string;
  readonly isLong: boolean;
}

function sample(node: Node, style: SampleStyle): string {
  switch (node.type) {
    case 'character':
      if (node.fits(style.character)) return style.character;
      return alphabet.find((character) => node.fits(character)) ?? '';
    case 'sequence':
      return node.parts.map((part) => sample(part, style)).join('');
    case 'choice': {
      const samples = node.parts.map((part) => sample(part, style));
      return samples.find((text) => text.includes(style.character)) ?? samples[0] ?? '';
    }
    case 'loop': {
      const min = style.isLong && node.max > 0 ? Math.max(1, node.min) : node.min;
      return sample(node.part, style).repeat(Math.min(min, 100));
    }
  }
}

/** An unbounded loop, and the nodes before and after it. */
interface Loop {
  readonly before: readonly Node[];
  readonly part: Node;
  readonly after: readonly Node[];
}

function loopsOf(node: Node, before: readonly Node[], after: readonly Node[]): readonly Loop[] {
  switch (node.type) {
    case 'character':
      return [];
    case 'choice':
      return node.parts.flatMap((part) => loopsOf(part, before, after));
    case 'sequence':
      return node.parts.flatMap((part, index) =>
        loopsOf(
          part,
          [...before, ...node.parts.slice(0, index)],
          [...node.parts.slice(index + 1), ...after],
        ),
      );
    case 'loop': {
      const inside = loopsOf(node.part, before, after);
      return node.max === Infinity ? [{ before, part: node.part, after }, ...inside] : inside;
    }
  }
}

/** Characters that the classes of an expression distinguish, the most common first. */
function distinguishingCharacters(
  parts: readonly ((character: string) => boolean)[],
): readonly string[] {
  const byParts = new Map<string, { readonly character: string; readonly count: number }>();
  for (const character of alphabet) {
    const fits = parts.map((part) => (part(character) ? '1' : '0')).join('');
    const count = fits.replaceAll('0', '').length;
    if (count > 0 && !byParts.has(fits)) byParts.set(fits, { character, count });
  }
  return [...byParts.values()]
    .sort((a, b) => b.count - a.count)
    .slice(0, maxSamples)
    .map(({ character }) => character);
}

export function slowInputs(expression: RegExp): readonly SlowInput[] {
  const parser = new Parser(expression);
  const loops = loopsOf(parser.parse(), [], []);
  const styles = distinguishingCharacters(parser.characters).flatMap((character): SampleStyle[] => [
    { character, isLong: false },
    { character, isLong: true },
  ]);
  const inputs = new Map<string, SlowInput>();
  const add = (start: string, repeated: string): void => {
    for (const end of repeated === '' ? [] : ends) {
      inputs.set(JSON.stringify([start, repeated, end]), (length) => {
        const count = Math.ceil((length - start.length) / repeated.length);
        return start + repeated.repeat(Math.max(1, count)) + end;
      });
    }
  };
  for (const { before, part, after } of loops) {
    for (const style of styles) {
      const start = before.map((node) => sample(node, style)).join('');
      const next = sample(after[0] ?? empty, { ...style, isLong: true });
      const alternatives = part.type === 'choice' ? part.parts.slice(0, maxSamples) : [part];
      for (const alternative of alternatives) {
        const text = sample(alternative, style);
        add(start, text);
        add('', text);
        add('', start + text);
        add(start, text + next);
      }
      add('', start);
    }
  }
  return [...inputs.values()];
}

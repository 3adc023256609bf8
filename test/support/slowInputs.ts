/**
 * Inputs for which a regular expression may take longer than in proportion to their length. They are
 * made from the expression: what one of its loops matches, over and over, with an end that fails.
 */
type Node =
  | { readonly type: 'character'; readonly fits: (character: string) => boolean }
  | { readonly type: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly type: 'loop'; readonly part: Node; readonly least: number; readonly most: number };

/** Grows with its parameter, the length in characters. */
export type SlowInput = (length: number) => string;

/** A character that hardly any expression matches, alone and in a new line. */
const ends = ['\u0001', '\n'];
const alphabet = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  ...['\t', '\n', '\r', '\u0001', 'é', 'Ж', '中', '\u0301', '\u200b', '…', '’', '：', '\u{feff}'],
];
const mostSamples = 4;

/** One element of an expression. */
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
    const [, least = '', comma = '', most = ''] = bounds.exec(text) ?? [];
    if (!['*', '+', '?'].includes(text) && least === '') return part;
    this.#index++;
    this.#takes('?');
    if (text === '*') return { type: 'loop', part, least: 0, most: Infinity };
    if (text === '+') return { type: 'loop', part, least: 1, most: Infinity };
    if (text === '?') return { type: 'loop', part, least: 0, most: 1 };
    const limit = comma === '' ? Number(least) : most === '' ? Infinity : Number(most);
    return { type: 'loop', part, least: Number(least), most: limit };
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

/** A text that a part matches, with a character wherever it can stand, and optional parts or without. */
interface Taste {
  readonly character: string;
  readonly isLong: boolean;
}

function sample(node: Node, taste: Taste): string {
  switch (node.type) {
    case 'character':
      if (node.fits(taste.character)) return taste.character;
      return alphabet.find((character) => node.fits(character)) ?? '';
    case 'sequence':
      return node.parts.map((part) => sample(part, taste)).join('');
    case 'choice': {
      const samples = node.parts.map((part) => sample(part, taste));
      return samples.find((text) => text.includes(taste.character)) ?? samples[0] ?? '';
    }
    case 'loop': {
      const least = taste.isLong && node.most > 0 ? Math.max(1, node.least) : node.least;
      return sample(node.part, taste).repeat(Math.min(least, 100));
    }
  }
}

/** A loop without end, and what is in front of it and after it. */
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
      return node.most === Infinity ? [{ before, part: node.part, after }, ...inside] : inside;
    }
  }
}

/** Characters between which the parts of an expression make a difference, the most usual first. */
function tellingCharacters(parts: readonly ((character: string) => boolean)[]): readonly string[] {
  const byParts = new Map<string, { readonly character: string; readonly count: number }>();
  for (const character of alphabet) {
    const fits = parts.map((part) => (part(character) ? '1' : '0')).join('');
    const count = fits.replaceAll('0', '').length;
    if (count > 0 && !byParts.has(fits)) byParts.set(fits, { character, count });
  }
  return [...byParts.values()]
    .sort((a, b) => b.count - a.count)
    .slice(0, mostSamples)
    .map(({ character }) => character);
}

export function slowInputs(expression: RegExp): readonly SlowInput[] {
  const parser = new Parser(expression);
  const loops = loopsOf(parser.parse(), [], []);
  const tastes = tellingCharacters(parser.characters).flatMap((character): Taste[] => [
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
    for (const taste of tastes) {
      const start = before.map((node) => sample(node, taste)).join('');
      const next = sample(after[0] ?? empty, { ...taste, isLong: true });
      const alternatives = part.type === 'choice' ? part.parts.slice(0, mostSamples) : [part];
      for (const alternative of alternatives) {
        const text = sample(alternative, taste);
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

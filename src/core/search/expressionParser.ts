import { ToolError } from '../support/toolError.ts';

/** A part of a regular expression. */
export type Expression =
  /** One character. */
  | { readonly type: 'character'; readonly fits: (character: string) => boolean }
  /** A place between characters. */
  | { readonly type: 'place'; readonly is: PlaceTest }
  | { readonly type: 'sequence' | 'choice'; readonly parts: readonly Expression[] }
  | {
      readonly type: 'repetition';
      readonly part: Expression;
      readonly least: number;
      /** `Infinity` for any number. */
      readonly most: number;
    };

/** Whether an expression may match between two characters; undefined is the end of the line. */
export type PlaceTest = (before: string | undefined, after: string | undefined) => boolean;

/**
 * Parses a regular expression of JavaScript, in Unicode mode.
 *
 * @throws {ToolError} if it is invalid, or looks ahead, behind or back at what matched
 */
export function parseExpression(text: string, ignoresCase: boolean): Expression {
  const flags = ignoresCase ? 'iu' : 'u';
  try {
    new RegExp(text, flags);
  } catch (error) {
    throw new ToolError(error instanceof Error ? error.message : 'This is no regular expression.');
  }
  return new ExpressionParser(text, flags).parse();
}

/** One element of a valid expression. A pair of escapes can stand for one character. */
const token =
  /\\(?:[pP]\{[^}]*\}|x[\da-fA-F]{2}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|c[A-Za-z]|k<|[^])|\[(?:\\[^]|[^\]\\])*\]|\(\?:|\(\?<(?![=!])[^>]*>|\(\?|\{\d+(?:,\d*)?\}|[^]/gu;

const wordCharacter = /^\w$/;
const isWord = (character: string | undefined): boolean => wordCharacter.test(character ?? '');

const places: Readonly<Record<string, PlaceTest>> = {
  '^': (before) => before === undefined,
  $: (_, after) => after === undefined,
  '\\b': (before, after) => isWord(before) !== isWord(after),
  '\\B': (before, after) => isWord(before) === isWord(after),
};

class ExpressionParser {
  readonly #tokens: readonly string[];
  readonly #flags: string;
  #index = 0;

  constructor(text: string, flags: string) {
    this.#tokens = text.match(token) ?? [];
    this.#flags = flags;
  }

  parse(): Expression {
    const choices = [this.#sequence()];
    while (this.#takes('|')) choices.push(this.#sequence());
    return { type: 'choice', parts: choices };
  }

  #sequence(): Expression {
    const parts: Expression[] = [];
    for (let next = this.#next; next !== undefined && next !== '|' && next !== ')';) {
      this.#index++;
      parts.push(this.#repeated(this.#element(next)));
      next = this.#next;
    }
    return { type: 'sequence', parts };
  }

  #element(text: string): Expression {
    if (text === '(' || text === '(?:' || text.startsWith('(?<')) {
      const inside = this.parse();
      this.#takes(')');
      return inside;
    }
    if (text === '(?' || /^\\(?:[1-9]|k)/.test(text)) {
      throw new ToolError(
        'This expression could take too long. Leave out backreferences and (?=…), (?!…), (?<=…), (?<!…).',
      );
    }
    const is = places[text];
    return is === undefined ? this.#character(text) : { type: 'place', is };
  }

  #character(text: string): Expression {
    const expression = new RegExp(`^(?:${text})$`, this.#flags);
    const known = new Map<string, boolean>();
    return {
      type: 'character',
      fits(character) {
        const fits = known.get(character) ?? expression.test(character);
        if (known.size < 1000) known.set(character, fits);
        return fits;
      },
    };
  }

  #repeated(part: Expression): Expression {
    const limits = limitsOf(this.#next ?? '');
    if (limits === undefined) return part;
    this.#index++;
    // Whether it prefers fewer makes no difference to whether it matches.
    this.#takes('?');
    return { type: 'repetition', part, ...limits };
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

function limitsOf(text: string): { readonly least: number; readonly most: number } | undefined {
  if (text === '*') return { least: 0, most: Infinity };
  if (text === '+') return { least: 1, most: Infinity };
  if (text === '?') return { least: 0, most: 1 };
  const counted = /^\{(\d+)(?:(,)(\d*))?\}$/.exec(text);
  if (counted === null) return undefined;
  const [, least = '', comma, most = ''] = counted;
  const atLeast = Number(least);
  if (comma === undefined) return { least: atLeast, most: atLeast };
  return { least: atLeast, most: most === '' ? Infinity : Number(most) };
}

import { ToolError } from '../support/toolError.ts';
import { parseExpression, type Expression, type PlaceTest } from './expressionParser.ts';

/** Maximum number of states of an expression: `a{100}` has a hundred. */
const maxStates = 500;

/** A state of the automaton; numbers are indexes of other states. */
type State =
  | {
      readonly type: 'character';
      readonly fits: (character: string) => boolean;
      readonly next: number;
    }
  | { readonly type: 'place'; readonly is: PlaceTest; readonly next: number }
  | { readonly type: 'split'; readonly next: number[] };

/** The state that stands for a match. */
const matched = -1;

/**
 * Tests lines against a regular expression of a model. All states are followed at once, so it takes
 * time proportional to the lengths of line and expression, for any of both.
 */
export class LineMatcher {
  readonly #states: State[] = [];
  readonly #start: number;
  /** The number of steps so far, by which a search knows when to let others run. */
  steps = 0;

  /** @throws {ToolError} if the expression is invalid or too large */
  constructor(text: string, ignoresCase: boolean) {
    this.#start = this.#compile(parseExpression(text, ignoresCase), matched);
  }

  test(line: string): boolean {
    const characters = Array.from(line);
    let current = new Set<number>();
    for (let index = 0; index <= characters.length; index++) {
      const [before, after] = [characters[index - 1], characters[index]];
      const reached = this.#reach([this.#start, ...current], before, after);
      if (reached.has(matched)) return true;
      current = after === undefined ? reached : this.#step(reached, after);
    }
    return false;
  }

  /** All states that are reached without a character. */
  #reach(
    states: readonly number[],
    before: string | undefined,
    after: string | undefined,
  ): Set<number> {
    const reached = new Set(states);
    // A set also visits what is added meanwhile.
    for (const index of reached) {
      this.steps++;
      const state = this.#states[index];
      if (state?.type === 'split') for (const next of state.next) reached.add(next);
      if (state?.type === 'place' && state.is(before, after)) reached.add(state.next);
    }
    return reached;
  }

  #step(states: ReadonlySet<number>, character: string): Set<number> {
    const next = new Set<number>();
    for (const index of states) {
      const state = this.#states[index];
      if (state?.type === 'character' && state.fits(character)) next.add(state.next);
    }
    return next;
  }

  /** Adds the states of an expression that go on with `next`; returns the first of them. */
  #compile(expression: Expression, next: number): number {
    switch (expression.type) {
      case 'character':
      case 'place':
        return this.#add({ ...expression, next });
      case 'sequence':
        return expression.parts.reduceRight((after, part) => this.#compile(part, after), next);
      case 'choice': {
        const [only, ...others] = expression.parts;
        if (only !== undefined && others.length === 0) return this.#compile(only, next);
        const starts = expression.parts.map((part) => this.#compile(part, next));
        return this.#add({ type: 'split', next: starts });
      }
      case 'repetition':
        return this.#repeat(expression, next);
    }
  }

  #repeat(
    { part, least, most }: Extract<Expression, { type: 'repetition' }>,
    next: number,
  ): number {
    if (most > maxStates && most !== Infinity) throw tooLarge();
    let start = next;
    if (most === Infinity) {
      const split = { type: 'split' as const, next: [next] };
      start = this.#add(split);
      split.next.push(this.#compile(part, start));
    } else {
      for (let count = least; count < most; count++) {
        start = this.#add({ type: 'split', next: [next, this.#compile(part, start)] });
      }
    }
    if (least > maxStates) throw tooLarge();
    for (let count = 0; count < least; count++) {
      const first = this.#compile(part, start);
      // Repeating an empty part adds nothing; nested repetitions of one would never end.
      if (first === start) break;
      start = first;
    }
    return start;
  }

  #add(state: State): number {
    if (this.#states.length >= maxStates) throw tooLarge();
    return this.#states.push(state) - 1;
  }
}

function tooLarge(): ToolError {
  return new ToolError('This expression is too large. Use smaller numbers of repetitions.');
}

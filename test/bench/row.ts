import { alternate, median } from './measure.ts';

/** A row of the table. */
export interface Row {
  readonly name: string;
  /** The baseline; empty for a figure without one. */
  readonly against: string;
  readonly ours: string;
  readonly theirs: string;
  /** The figure that is compared with the goal, and the goal. */
  readonly figure: string;
  readonly goal: string;
  readonly isReached: boolean;
  /** Explains a missed goal, below the table. */
  readonly note: string;
}

interface Named {
  readonly name: string;
  /** The maximum; absent if the figure has no goal. */
  readonly goal?: number | undefined;
  readonly note?: string | undefined;
}

interface Sides extends Named {
  readonly against: string;
  readonly ours: number;
  readonly theirs: number;
  /** Unit of both sides; milliseconds by default. */
  readonly unit?: string;
}

/** Ours divided by theirs. */
export function ratioRow(sides: Sides): Row {
  const unit = sides.unit ?? 'ms';
  return judge(sides, sides.ours / sides.theirs, (value) => value.toFixed(2), {
    against: sides.against,
    ours: withUnit(sides.ours, unit),
    theirs: withUnit(sides.theirs, unit),
  });
}

/** Ours minus theirs, where a ratio would hide a cost that both sides share. */
export function differenceRow(sides: Sides): Row {
  const unit = sides.unit ?? 'ms';
  const signed = (value: number): string => (value > 0 ? '+' : '') + withUnit(value, unit);
  return judge(sides, sides.ours - sides.theirs, signed, {
    against: sides.against,
    ours: withUnit(sides.ours, unit),
    theirs: withUnit(sides.theirs, unit),
  });
}

/** A figure with a fixed goal: a size, a count, a maximum time. */
export function figureRow(
  figure: Named & {
    readonly value: number;
    readonly unit: string;
    /** The same figure of an alternative, for comparison. */
    readonly other?: { readonly name: string; readonly value: number };
  },
): Row {
  const { value, unit, other } = figure;
  const format = (number: number): string => withUnit(number, unit);
  const sides =
    other === undefined
      ? { against: '', ours: '', theirs: '' }
      : { against: other.name, ours: format(value), theirs: format(other.value) };
  return judge(figure, value, format, sides);
}

/**
 * Measures two tasks alternately, after two rounds that are not counted: the ratio of the medians.
 */
export async function compare(
  options: Named & {
    readonly against: string;
    readonly rounds: number;
    readonly unit?: string;
    /** Both run the task and resolve with its cost, in any unit. */
    readonly ours: () => Promise<number>;
    readonly theirs: () => Promise<number>;
  },
): Promise<Row> {
  const { rounds, ours, theirs } = options;
  const [our = [], their = []] = await alternate(rounds, 2, [ours, theirs]);
  return ratioRow({ ...options, ours: median(our), theirs: median(their) });
}

function judge(
  { name, goal, note = '' }: Named,
  value: number,
  format: (value: number) => string,
  sides: Pick<Row, 'against' | 'ours' | 'theirs'>,
): Row {
  const figure = format(value);
  // NaN, a failed measurement, does not reach a goal.
  const isReached = goal === undefined || value <= goal;
  return {
    name,
    ...sides,
    figure,
    goal: goal === undefined ? '' : `≤ ${format(goal)}`,
    isReached,
    note,
  };
}

function withUnit(value: number, unit: string): string {
  const digits =
    Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${unit === '%' ? '' : ' '}${unit}`.trimEnd();
}

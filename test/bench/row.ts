import { alternate, median } from './measure.ts';

/** A row of the table. */
export interface Row {
  readonly name: string;
  /** Baseline. Empty for a figure without one. */
  readonly against: string;
  readonly ours: string;
  readonly theirs: string;
  /** Measured figure, and its goal. */
  readonly figure: string;
  readonly goal: string;
  readonly isReached: boolean;
  /** Explanation of a missed goal, below the table. */
  readonly note: string;
}

interface Named {
  readonly name: string;
  /** Maximum. Absent if the figure has no goal. */
  readonly goal?: number | undefined;
  readonly note?: string | undefined;
}

interface Sides extends Named {
  readonly against: string;
  readonly ours: number;
  readonly theirs: number;
  /** Unit of both sides; milliseconds if absent. */
  readonly unit?: string;
}

/** A row with our value divided by theirs. */
export function ratioRow(sides: Sides): Row {
  const unit = sides.unit ?? 'ms';
  return judge(sides, sides.ours / sides.theirs, (value) => value.toFixed(2), {
    against: sides.against,
    ours: withUnit(sides.ours, unit),
    theirs: withUnit(sides.theirs, unit),
  });
}

/** A row with our value minus theirs, for cases in which a ratio would hide a cost that both sides share. */
export function differenceRow(sides: Sides): Row {
  const unit = sides.unit ?? 'ms';
  const signed = (value: number): string => (value > 0 ? '+' : '') + withUnit(value, unit);
  return judge(sides, sides.ours - sides.theirs, signed, {
    against: sides.against,
    ours: withUnit(sides.ours, unit),
    theirs: withUnit(sides.theirs, unit),
  });
}

/** A row with a fixed goal: a size, a count, a maximum time. */
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
 * Compares two tasks by the ratio of their medians. They run alternately, after two rounds that
 * don't count.
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
  // NaN, from a failed measurement, doesn't reach a goal.
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

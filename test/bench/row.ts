import { alternate, median } from './measure.ts';

/** A line of the table. */
export interface Row {
  readonly name: string;
  /** What ours is held against; empty for a figure that stands alone. */
  readonly against: string;
  readonly ours: string;
  readonly theirs: string;
  /** What is held against the goal, and the goal. */
  readonly figure: string;
  readonly goal: string;
  readonly isReached: boolean;
  /** Why the goal was missed, where it was: told below the table. */
  readonly note: string;
}

interface Named {
  readonly name: string;
  /** At most this; absent where the figure is told without a goal. */
  readonly goal?: number | undefined;
  readonly note?: string | undefined;
}

interface Sides extends Named {
  readonly against: string;
  readonly ours: number;
  readonly theirs: number;
  /** Of both sides; milliseconds unless it is said. */
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

/** Ours minus theirs. */
export function differenceRow(sides: Sides): Row {
  const unit = sides.unit ?? 'ms';
  const signed = (value: number): string => (value > 0 ? '+' : '') + withUnit(value, unit);
  return judge(sides, sides.ours - sides.theirs, signed, {
    against: sides.against,
    ours: withUnit(sides.ours, unit),
    theirs: withUnit(sides.theirs, unit),
  });
}

/** A figure that is held against a fixed goal: a size, a count, a longest time. */
export function figureRow(
  figure: Named & {
    readonly value: number;
    readonly unit: string;
    /** The same figure of something else, to compare with. */
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

/** Measures two pieces of work in turn, after two rounds that do not count: the ratio of medians. */
export async function compare(
  options: Named & {
    readonly against: string;
    readonly rounds: number;
    readonly unit?: string;
    /** Both do the work and resolve with what it took, however that is counted. */
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
  // What could not be measured (NaN) reaches no goal.
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

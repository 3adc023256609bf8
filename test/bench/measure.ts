/** The middle of the values, the mean of the two middle ones where their number is even. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((first, second) => first - second);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (upper + lower) / 2;
}

/** Milliseconds of CPU, of all threads of this process, that the work takes. */
export async function cpuOf(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

export interface Ratio {
  readonly name: string;
  readonly against: string;
  /** Medians, in milliseconds. */
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: number;
  /** Absent where the figure is told without one. */
  readonly goal: number | undefined;
}

/** Measures two pieces of work in turn, after two rounds that do not count. */
export async function compare(options: {
  readonly name: string;
  readonly against: string;
  readonly goal: number | undefined;
  readonly rounds: number;
  /** Both do the work and resolve with the milliseconds that it took, however they are counted. */
  readonly ours: () => Promise<number>;
  readonly theirs: () => Promise<number>;
}): Promise<Ratio> {
  const { name, against, goal, rounds } = options;
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = -2; round < rounds; round++) {
    // Whoever comes second may find a warm cache: each side does so in every other round.
    const oursFirst = round % 2 === 0;
    const early = await (oursFirst ? options.ours() : options.theirs());
    const late = await (oursFirst ? options.theirs() : options.ours());
    if (round < 0) continue;
    ours.push(oursFirst ? early : late);
    theirs.push(oursFirst ? late : early);
  }
  const ratio = median(ours) / median(theirs);
  return { name, against, goal, ours: median(ours), theirs: median(theirs), ratio };
}

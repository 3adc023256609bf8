/** The middle of the values, the mean of the two middle ones where their number is even. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((first, second) => first - second);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (upper + lower) / 2;
}

/** Milliseconds of CPU, of all threads of this process, that the work takes. */
export async function cpuOf(work: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
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
  readonly goal: number;
}

/** Measures two pieces of work in turn, after two rounds that do not count. */
export async function compare(options: {
  readonly name: string;
  readonly against: string;
  readonly goal: number;
  readonly rounds: number;
  /** Both do the work and resolve with the milliseconds that it took, however they are counted. */
  readonly ours: () => Promise<number>;
  readonly theirs: () => Promise<number>;
}): Promise<Ratio> {
  const { name, against, goal, rounds } = options;
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = -2; round < rounds; round++) {
    const first = await options.ours();
    const second = await options.theirs();
    if (round < 0) continue;
    ours.push(first);
    theirs.push(second);
  }
  const ratio = median(ours) / median(theirs);
  return { name, against, goal, ours: median(ours), theirs: median(theirs), ratio };
}

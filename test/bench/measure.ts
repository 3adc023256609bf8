/** The median; for an even number of values, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((first, second) => first - second);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (upper + lower) / 2;
}

/** The value that this share of the values doesn't exceed, for example 0.95. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((first, second) => first - second);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

/** Milliseconds of CPU time of the work, in all threads of this process. */
export async function cpuOf(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/**
 * Runs several tasks alternately, after `warmUps` rounds that are not counted. Resolves with the
 * results of each task, in the order of the tasks.
 */
export async function alternate<Result>(
  rounds: number,
  warmUps: number,
  works: readonly (() => Promise<Result>)[],
): Promise<readonly (readonly Result[])[]> {
  const samples = works.map((work) => ({ work, results: new Array<Result>() }));
  for (let round = -warmUps; round < rounds; round++) {
    // A later task may benefit from warm caches, so every other round runs in reverse order.
    for (const { work, results } of round % 2 === 0 ? samples : samples.toReversed()) {
      const result = await work();
      if (round >= 0) results.push(result);
    }
  }
  return samples.map(({ results }) => results);
}

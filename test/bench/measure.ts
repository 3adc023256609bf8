/** The middle of the values, the mean of the two middle ones where their number is even. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((first, second) => first - second);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (upper + lower) / 2;
}

/** The value that this share of the values, 0.95 for instance, does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((first, second) => first - second);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

/** Milliseconds of CPU, of all threads of this process, that the work takes. */
export async function cpuOf(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/**
 * Does several pieces of work in turn. `warmUps` rounds come before those that count. Resolves with
 * the results of each, in the order of the pieces.
 */
export async function alternate<Result>(
  rounds: number,
  warmUps: number,
  works: readonly (() => Promise<Result>)[],
): Promise<readonly (readonly Result[])[]> {
  const taken = works.map((work) => ({ work, results: new Array<Result>() }));
  for (let round = -warmUps; round < rounds; round++) {
    // Whoever comes later may find a warm cache: every other round runs in the opposite order.
    for (const { work, results } of round % 2 === 0 ? taken : taken.toReversed()) {
      const result = await work();
      if (round >= 0) results.push(result);
    }
  }
  return taken.map(({ results }) => results);
}

import { setImmediate, setTimeout } from 'node:timers/promises';

/** Milliseconds. Shorter than the timeout of a test, so that a failure names its condition. */
const maxWait = 25_000;

/** Milliseconds. What is true soon is noticed at once; a longer wait leaves the processor to others. */
const soon = 5;
const pause = 3;

/**
 * Runs the event loop until the condition is true.
 * @param limit milliseconds until it rejects
 */
export async function until(isTrue: () => boolean, limit = maxWait): Promise<void> {
  const start = performance.now();
  while (!isTrue()) {
    const elapsed = performance.now() - start;
    if (elapsed > limit) throw new Error(`Not true within ${limit} ms: ${isTrue.toString()}`);
    await (elapsed < soon ? setImmediate() : setTimeout(pause));
  }
}

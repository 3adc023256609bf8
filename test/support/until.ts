import { setImmediate } from 'node:timers/promises';

/** Milliseconds. Shorter than the timeout of a test, so that a failure names its condition. */
const maxWait = 25_000;

/**
 * Runs the event loop until the condition is true.
 * @param limit milliseconds until it rejects
 */
export async function until(isTrue: () => boolean, limit = maxWait): Promise<void> {
  const start = performance.now();
  while (!isTrue()) {
    if (performance.now() - start > limit)
      throw new Error(`Not true within ${limit} ms: ${isTrue.toString()}`);
    await setImmediate();
  }
}

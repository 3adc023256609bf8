import { setImmediate } from 'node:timers/promises';

/** Less than the time that a test has, here or in VS Code, so that a failure names its condition. */
const maxWait = 25_000;

/**
 * Runs the event loop until the condition is true.
 * @param most milliseconds after which it rejects
 */
export async function until(isTrue: () => boolean, most = maxWait): Promise<void> {
  const start = performance.now();
  while (!isTrue()) {
    if (performance.now() - start > most)
      throw new Error(`Not true within ${most} ms: ${isTrue.toString()}`);
    await setImmediate();
  }
}

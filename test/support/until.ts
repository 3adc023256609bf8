import { setImmediate } from 'node:timers/promises';

/** Runs the event loop until the condition is true. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setImmediate();
}

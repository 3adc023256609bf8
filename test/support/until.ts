import { setImmediate } from 'node:timers/promises';

/** Lets the event loop go on until something has come true. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setImmediate();
}

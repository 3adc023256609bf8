import { setTimeout } from 'node:timers/promises';

/** Resolves when the host has been idle for half a second. */
export async function quiet(): Promise<void> {
  for (let calm = 0; calm < 25;) {
    const start = performance.now();
    await setTimeout(20);
    calm = performance.now() - start < 25 ? calm + 1 : 0;
  }
}

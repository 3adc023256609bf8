import { Session } from 'node:inspector/promises';

/** Bytes of used memory after a garbage collection. */
export async function keptBytes(): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

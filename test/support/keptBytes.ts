import { Session } from 'node:inspector/promises';

/** Bytes that are in use once what nobody needs any more is gone. */
export async function keptBytes(): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

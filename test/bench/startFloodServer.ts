import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface FloodServer {
  readonly baseUrl: string;
  dispose(): Promise<unknown>;
}

/** Starts a server in a separate thread. It replies with `word0 word1 …`, one word per delta. */
export async function startFloodServer(pace: {
  readonly seconds: number;
  readonly deltasASecond: number;
}): Promise<FloodServer> {
  const worker = new Worker(new URL('./floodServer.ts', import.meta.url), { workerData: pace });
  const message: readonly unknown[] = await once(worker, 'message');
  const baseUrl = `http://127.0.0.1:${String(message[0])}/v1`;
  return { baseUrl, dispose: () => worker.terminate() };
}

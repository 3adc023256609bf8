/** In a thread of its own: sends requests one after the other, each when the last answer was read. */
import { workerData } from 'node:worker_threads';
import * as z from 'zod/mini';

const { url, key, bodies } = z
  .object({ url: z.string(), key: z.string(), bodies: z.array(z.string()) })
  .parse(workerData);

for (const body of bodies) {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  const response = await fetch(url, { method: 'POST', headers, body });
  const reader = response.body?.getReader();
  while (reader !== undefined && !(await reader.read()).done);
}

/** A worker that serves replies with a fixed number of deltas per second, for a fixed number of seconds. */
import { createServer, type ServerResponse } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod/mini';

const { seconds, deltasASecond } = z
  .object({ seconds: z.number(), deltasASecond: z.number() })
  .parse(workerData);

function event(content: string): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`;
}

/** Writes the deltas that are due, one at a time, until all are sent. */
function pace(response: ServerResponse): void {
  const start = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(seconds, (performance.now() - start) / 1000) * deltasASecond;
    for (; sent < due; sent++) response.write(event(`word${sent % 97} `));
    if (sent < seconds * deltasASecond) return;
    clearInterval(timer);
    response.end('data: [DONE]\n\n');
  }, 1);
}

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    pace(response);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') parentPort?.postMessage(address?.port);
});

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';

export interface ChunkServiceOptions {
  /** Texts of the chunks of a reply. Every reply is the same. */
  readonly chunks: readonly string[];
  /** Milliseconds between two chunks; 0 writes as fast as the client reads. */
  readonly pace: number;
}

/** A service on this machine with a fixed reply in known chunks. */
export interface ChunkService {
  readonly baseUrl: string;
  /** Time when each chunk of the newest reply was written, in milliseconds since the Unix epoch. */
  readonly written: readonly number[];
  close(): Promise<void>;
}

export async function startChunkService(options: ChunkServiceOptions): Promise<ChunkService> {
  const written: number[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/v1/models') response.end(JSON.stringify(models));
    else request.resume().once('end', () => void reply(response, options, written));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    written,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const model = 'bench/model';
const models = { object: 'list', data: [{ id: model, object: 'model', owned_by: 'bench' }] };

async function reply(
  response: ServerResponse,
  { chunks, pace }: ChunkServiceOptions,
  written: number[],
): Promise<void> {
  written.length = 0;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const start = performance.now();
  for (const [number, content] of chunks.entries()) {
    const late = performance.now() - start - number * pace;
    if (pace > 0 && late < 0) await setTimeout(-late);
    written.push(performance.timeOrigin + performance.now());
    if (!response.write(eventOf({ content }, null))) await once(response, 'drain');
  }
  response.end(`${eventOf({}, 'stop')}data: [DONE]\n\n`);
}

function eventOf(delta: object, finish_reason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model };
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`;
}

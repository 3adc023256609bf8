import { once } from 'node:events';
import { createServer } from 'node:net';

/** The preferred port of this machine's loopback if nobody has it; else 0, which means any. */
export async function freePort(preferred: number): Promise<number> {
  const server = createServer();
  try {
    server.listen(preferred, '127.0.0.1');
    await once(server, 'listening');
    return preferred;
  } catch {
    return 0;
  } finally {
    server.close();
  }
}

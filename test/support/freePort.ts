import { once } from 'node:events';
import { createServer } from 'node:net';

/** Returns the preferred loopback port if it is free; otherwise 0, which means any. */
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

import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

/** The name of the cookie that code-server asks for. */
const cookieName = 'code-server-session';

/**
 * Lets a browser into a code-server, which asks for a cookie and not for a token in the address: a
 * request with the token gets the cookie, and is redirected to the window. Any other is refused.
 */
export class WindowDoor {
  readonly #server: Server;
  readonly #origin: string;

  private constructor(server: Server, origin: string) {
    this.#server = server;
    this.#origin = origin;
  }

  /** @param origin that of the code-server, whose hashed password is the token */
  static async open(origin: string, token: string): Promise<WindowDoor> {
    const server = createServer(({ url = '' }, response) => {
      const { searchParams } = new URL(url, origin);
      if (!isSame(searchParams.get('tkn') ?? '', token)) {
        response.writeHead(403).end('Use the whole address that was printed.');
        return;
      }
      searchParams.delete('tkn');
      response
        .writeHead(303, {
          'set-cookie': `${cookieName}=${token}; Path=/; HttpOnly; SameSite=Lax`,
          location: `${origin}/?${searchParams}`,
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
        })
        .end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // The process may end while it is open.
    server.unref();
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('There is no port.');
    return new WindowDoor(server, `http://127.0.0.1:${address.port}`);
  }

  get origin(): string {
    return this.#origin;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

function isSame(text: string, secret: string): boolean {
  const [first, second] = [Buffer.from(text), Buffer.from(secret)];
  return first.length === second.length && timingSafeEqual(first, second);
}

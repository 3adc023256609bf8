import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** What a server does with one request: it says every byte of the answer itself. */
export type Answer = (connection: Connection) => unknown;

/** One connection of a client, after a request came in whole. */
export class Connection {
  readonly request: string;
  readonly #socket: Socket;

  constructor(socket: Socket, request: string) {
    this.#socket = socket;
    this.request = request;
  }

  /** Bytes that went out, or wait to. */
  get bytesWritten(): number {
    return this.#socket.bytesWritten;
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** Resolves when the bytes are on their way, or the client is gone. */
  write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#socket.write(data, () => resolve()));
  }

  /** Says, as a server does that is done, that nothing follows. */
  end(data: string | Uint8Array = ''): void {
    this.#socket.end(data);
  }

  /** Breaks the connection off, as a server does that crashes. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }
}

/** A server on this machine that speaks HTTP no better than its answers do. */
export class RawServer {
  readonly baseUrl: string;
  /** Those that a request came over, a kept one once for each. */
  readonly requests: Connection[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** How many connections there ever were. */
  connections = 0;

  private constructor(server: Server, answers: readonly Answer[]) {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('There is no port.');
    this.#server = server;
    this.baseUrl = `http://127.0.0.1:${address.port}/v1`;
    server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      this.#listen(socket, answers);
    });
  }

  /** The answers come one after the other, the last one again and again. */
  static async start(...answers: readonly Answer[]): Promise<RawServer> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RawServer(server, answers);
  }

  /** Resolves when no connection is open any more. */
  async allClosed(): Promise<void> {
    while (this.#sockets.size > 0) {
      const [socket] = this.#sockets;
      await new Promise((resolve) => socket?.once('close', resolve));
    }
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #listen(socket: Socket, answers: readonly Answer[]): void {
    let received = '';
    // A reset by the client ends in `close` as well, which is what counts.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.setEncoding('latin1').on('data', (data: string) => {
      received += data;
      if (!isWhole(received)) return;
      const connection = new Connection(socket, received);
      received = '';
      const answer = answers[Math.min(this.requests.push(connection), answers.length) - 1];
      answer?.(connection);
    });
  }
}

/** Whether a request is there down to the end of its body. */
function isWhole(request: string): boolean {
  const headEnd = request.indexOf('\r\n\r\n');
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(request)?.[1] ?? 0);
  return headEnd >= 0 && request.length >= headEnd + 4 + length;
}

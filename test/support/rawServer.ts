import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** Handles one request; it writes every byte of the response itself. */
export type Answer = (connection: Connection) => unknown;

/** A client's connection, after a complete request was received. */
export class Connection {
  readonly request: string;
  readonly #socket: Socket;

  constructor(socket: Socket, request: string) {
    this.#socket = socket;
    this.request = request;
  }

  /** Bytes sent or queued. */
  get bytesWritten(): number {
    return this.#socket.bytesWritten;
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** Resolves when the bytes are sent, or the client has disconnected. */
  write(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#socket.write(data, () => resolve()));
  }

  /** Closes the connection gracefully. */
  end(data: string | Uint8Array = ''): void {
    this.#socket.end(data);
  }

  /** Resets the connection, like a server that crashes. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }
}

/** A server on this machine that sends raw bytes instead of valid HTTP. */
export class RawServer {
  readonly baseUrl: string;
  /** Connection of each request. A reused connection is listed once per request. */
  readonly requests: Connection[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Number of connections ever opened. */
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

  /** The handlers run in order, the last one repeatedly. */
  static async start(...answers: readonly Answer[]): Promise<RawServer> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RawServer(server, answers);
  }

  /** Resolves when all connections are closed. */
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
    // A reset by the client also emits `close`, which is handled.
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

/** True if a request was received completely, including its body. */
function isWhole(request: string): boolean {
  const headEnd = request.indexOf('\r\n\r\n');
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(request)?.[1] ?? 0);
  return headEnd >= 0 && request.length >= headEnd + 4 + length;
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { sleep } from '../../src/core/support/async.ts';
import { systemClock } from '../../src/core/support/clock.ts';
import {
  createService,
  demoKey,
  type LocalService,
  type ServiceOptions,
} from '../../src/local/service.ts';

export interface HttpServiceOptions extends ServiceOptions {
  /** Milliseconds before each response. */
  readonly delay?: number;
  /** A free port if absent. */
  readonly port?: number;
  /** Permissions of pages from other origins (CORS); everything if absent. */
  readonly pages?: 'nothing' | 'requests without a key';
}

/** Times of a completion request, in milliseconds of `performance.now()`. */
interface Exchange {
  /** Time when the last byte of the request was received. */
  readonly arrived: number;
  /** Time when the last byte of the response was written. */
  readonly answered: number;
}

/** The local service behind an HTTP server on this machine. */
export interface HttpService {
  /** `http://127.0.0.1:PORT/v1` */
  readonly baseUrl: string;
  readonly origin: string;
  /** The service's first key. */
  readonly key: string;
  /** The current service behind the server. */
  readonly service: LocalService;
  /** Completed exchanges. */
  readonly exchanges: readonly Exchange[];
  /** Replaces the service at the same address by a new one without history. */
  restart(options?: ServiceOptions): void;
  /** Number of open connections. */
  connections(): number;
  /** Closes open connections, and stops. */
  close(): Promise<void>;
}

/** Starts the service. Replies are sent at once unless `pace` is set. */
export async function startHttpService(options: HttpServiceOptions = {}): Promise<HttpService> {
  let service = createService({ pace: 0, ...options });
  const exchanges: Exchange[] = [];
  const server = createServer((incoming, response) => {
    void respond(service, incoming, response, options).then((exchange) => {
      if (exchange !== undefined && incoming.url?.endsWith('/completions') === true)
        exchanges.push(exchange);
    });
  });
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const origin = `http://127.0.0.1:${address.port}`;
  return {
    baseUrl: `${origin}/v1`,
    origin,
    key: options.keys?.[0]?.key ?? demoKey,
    get service() {
      return service;
    },
    exchanges,
    restart: (serviceOptions) => (service = createService({ pace: 0, ...serviceOptions })),
    connections: () => open,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Never rejects: if the service or its body fails, the connection is closed. */
async function respond(
  service: LocalService,
  incoming: IncomingMessage,
  response: ServerResponse,
  { delay = 0, pages }: HttpServiceOptions,
): Promise<Exchange | undefined> {
  if (pages !== 'nothing') allowBrowsers(incoming, response, pages === undefined);
  if (incoming.method === 'OPTIONS') {
    response.writeHead(204).end();
    return undefined;
  }
  const clientGone = new AbortController();
  // Also emitted after a complete response, when there is nothing to abort.
  response.once('close', () => clientGone.abort());
  try {
    const request = await requestOf(incoming, clientGone.signal);
    const arrived = performance.now();
    if (delay > 0) await sleep(systemClock, delay, clientGone.signal);
    await send(await service.handle(request), response);
    return { arrived, answered: performance.now() };
  } catch {
    response.destroy();
    return undefined;
  }
}

/** Allows requests from other origins, such as VS Code in a browser. */
function allowBrowsers(
  incoming: IncomingMessage,
  response: ServerResponse,
  withKey: boolean,
): void {
  const requestedHeaders = incoming.headers['access-control-request-headers'];
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-methods', 'GET, POST');
  if (!withKey) return;
  response.setHeader(
    'access-control-allow-headers',
    requestedHeaders ?? 'authorization, content-type',
  );
  response.setHeader('access-control-expose-headers', 'retry-after, x-request-id');
}

async function requestOf(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const body = await buffer(incoming);
  return new Request(
    new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? 'localhost'}`),
    {
      method: incoming.method ?? 'GET',
      headers,
      signal,
      ...(body.length > 0 ? { body } : {}),
    },
  );
}

/** Sends each chunk as soon as it is available, and respects backpressure. */
async function send(answered: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  response.flushHeaders();
  for await (const piece of answered.body ?? [])
    if (!response.write(piece)) await readyForMore(response);
  response.end();
}

/** Resolves when the client has received what was written, or has disconnected. */
async function readyForMore(response: ServerResponse): Promise<void> {
  const finished = new AbortController();
  const { signal } = finished;
  const events = ['drain', 'close'].map((event) => once(response, event, { signal }));
  await Promise.race(events).finally(() => finished.abort());
}

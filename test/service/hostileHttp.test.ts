/** The client against servers that misbehave on real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createClient, type Client } from '../../src/core/service/client.ts';
import type { Completion } from '../../src/core/service/completion.ts';
import { ServiceError } from '../../src/core/service/errors.ts';
import { systemClock, type Clock } from '../../src/core/support/clock.ts';

type Answer = (response: ServerResponse) => unknown;

const eventStream = { 'content-type': 'text/event-stream' };
const done = 'data: [DONE]\n\n';

function chunk(content: string): string {
  return `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
}

const hello: Answer = (response) => response.writeHead(200, eventStream).end(chunk('Hello') + done);

/** Real time, without the waits before another attempt. */
const hastyClock: Clock = {
  ...systemClock,
  after: (delay, callback) => systemClock.after(delay >= 10_000 ? delay : 0, callback),
};

/** A server that gives these answers one after the other. */
class HostileServer {
  readonly #server: Server;
  readonly baseUrl: string;
  requests = 0;
  connections = 0;

  private constructor(server: Server, answers: readonly Answer[]) {
    this.#server = server;
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    this.baseUrl = `http://127.0.0.1:${address.port}/v1`;
    server.on('connection', () => (this.connections += 1));
    server.on('request', (request, response) => {
      const answer = answers[this.requests++] ?? hello;
      request.resume().once('end', () => void answer(response));
    });
  }

  static async start(...answers: readonly Answer[]): Promise<HostileServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new HostileServer(server, answers);
  }

  client(clock = systemClock): Client {
    const { baseUrl } = this;
    return createClient({ baseUrl, apiKey: 'sk-x', fetch, clock, silenceLimit: 20_000 });
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

async function ask(client: Client): Promise<Completion> {
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  for await (const event of client.stream({ model: 'some/model', messages, stream: true })) {
    if (event.type === 'end') return event.completion;
  }
  throw new Error('The reply had no end.');
}

describe('a hostile server', () => {
  const servers: HostileServer[] = [];
  const start = async (...answers: readonly Answer[]): Promise<HostileServer> => {
    const server = await HostileServer.start(...answers);
    servers.push(server);
    return server;
  };
  afterEach(() => servers.splice(0).forEach((server) => server.stop()));

  for (const status of [301, 302, 303, 307, 308]) {
    it(`leads neither key nor question elsewhere with a ${status}`, async () => {
      const other = await start();
      const location = `${other.baseUrl}/chat/completions`;
      const server = await start((response) => response.writeHead(status, { location }).end());
      await assert.rejects(ask(server.client()), (error) => {
        assert.ok(error instanceof ServiceError);
        assert.equal(error.kind, 'redirected');
        assert.equal(error.detail, new URL(other.baseUrl).host);
        return true;
      });
      assert.equal(other.connections, 0);
      assert.equal(server.requests, 1);
    });
  }

  it('is asked again when it hangs up before the first byte of a reply', async () => {
    const server = await start(
      (response) => response.destroy(),
      (response) => {
        response.writeHead(200, eventStream).flushHeaders();
        response.destroy();
      },
    );
    assert.equal((await ask(server.client(hastyClock))).text, 'Hello');
    assert.equal(server.requests, 3);
  });

  it('is not asked again when it hangs up in the middle, and the text is kept', async () => {
    const server = await start((response) => {
      response.writeHead(200, eventStream).write(chunk('Kept'), () => response.destroy());
    });
    const { text, fault } = await ask(server.client());
    assert.equal(text, 'Kept');
    assert.equal(fault?.kind, 'network');
    assert.equal(server.requests, 1);
  });

  it('may hang up once the end of the reply was said', async () => {
    const stop = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n`;
    const server = await start((response) => {
      response.writeHead(200, eventStream).write(chunk('Whole') + stop, () => response.destroy());
    });
    const { text, fault, finishReason } = await ask(server.client());
    assert.deepEqual([text, fault, finishReason], ['Whole', undefined, 'stop']);
  });

  it('may send single bytes, or compress', async () => {
    const bytes = Buffer.from(chunk('Zoë 🦊') + done);
    const server = await start(
      async (response) => {
        response.writeHead(200, eventStream);
        for (const byte of bytes) {
          response.write(Buffer.of(byte));
          await setImmediate();
        }
        response.end();
      },
      (response) =>
        response
          .writeHead(200, { ...eventStream, 'content-encoding': 'gzip' })
          .end(gzipSync(bytes)),
    );
    assert.equal((await ask(server.client())).text, 'Zoë 🦊');
    assert.equal((await ask(server.client())).text, 'Zoë 🦊');
  });

  it('may end its body a moment after its reply, and still gets the next request there', async () => {
    const lateEnd: Answer = (response) => {
      response.writeHead(200, eventStream).write(chunk('Hello') + done);
      systemClock.after(5, () => response.end());
    };
    const server = await start(...Array.from({ length: 50 }, () => lateEnd));
    do await ask(server.client());
    while (server.connections === server.requests && server.requests < 50);
    assert.ok(server.connections < server.requests);
  });
});

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { ServiceClient, type Client } from '../../src/core/service/client.ts';
import { systemClock } from '../../src/core/support/clock.ts';
import { findVersion } from './findVersion.ts';
import { cpuOf } from './measure.ts';
import { compare, type Row } from './row.ts';
import type { Table } from './table.ts';

const chunks = 20_000;
/** Bytes per read: the payload of an Ethernet packet. */
const packet = 1_400;
const baseUrl = 'https://service.test/v1';

function chunk(delta: object): string {
  const choices = [{ index: 0, delta, finish_reason: null }];
  const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`;
}

function textStream(): Uint8Array[] {
  return slice(
    Array.from({ length: chunks }, (_, number) => chunk({ content: `word${number % 97} ` })),
  );
}

function argumentStream(): Uint8Array[] {
  const first = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'f', arguments: '' },
  };
  const fragments = Array.from({ length: chunks }, (_, number) =>
    chunk({ tool_calls: [{ index: 0, function: { arguments: `${number % 10}` } }] }),
  );
  return slice([chunk({ tool_calls: [first] }), ...fragments]);
}

/** Splits the stream into reads of the size of a network packet. */
function slice(events: readonly string[]): Uint8Array[] {
  const bytes = new TextEncoder().encode([...events, 'data: [DONE]\n\n'].join(''));
  const reads = Array.from({ length: Math.ceil(bytes.length / packet) }, (_, number) =>
    bytes.subarray(number * packet, (number + 1) * packet),
  );
  return reads;
}

function fetchOf(reads: readonly Uint8Array[]): typeof fetch {
  return () => {
    let position = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const bytes = reads[position++];
        if (bytes === undefined) controller.close();
        else controller.enqueue(bytes);
      },
    });
    const headers = { 'Content-Type': 'text/event-stream' };
    return Promise.resolve(new Response(body, { headers }));
  };
}

function asideClient(options: { baseUrl: string; fetch: typeof fetch }): Client {
  const apiKey = 'sk-bench';
  return new ServiceClient({ ...options, apiKey, clock: systemClock, silenceLimit: 60_000 });
}

const messages = [{ role: 'user' as const, content: 'Hello' }];

async function runAside(client: Client): Promise<number> {
  let length = 0;
  for await (const event of client.stream({ model: 'm', messages, stream: true })) {
    if (event.type === 'text') length += event.text.length;
    if (event.type === 'end') {
      for (const call of event.completion.toolCalls) length += call.arguments.length;
    }
  }
  return length;
}

async function runOpenAi(client: OpenAI): Promise<number> {
  let length = 0;
  let text = '';
  const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
  for await (const part of stream) {
    const delta = part.choices[0]?.delta;
    text += delta?.content ?? '';
    for (const call of delta?.tool_calls ?? []) text += call.function?.arguments ?? '';
  }
  length += text.length;
  return length;
}

async function clientCpu(name: string, reads: readonly Uint8Array[]): Promise<Row> {
  const fetch = fetchOf(reads);
  const aside = asideClient({ baseUrl, fetch });
  const openai = new OpenAI({ baseURL: baseUrl, apiKey: 'sk-bench', fetch, maxRetries: 0 });
  const lengths = new Set<number>();
  const row = await compare({
    name: `Client CPU, 20,000 ${name}`,
    against: 'iteration of the openai package',
    goal: 0.4,
    rounds: 15,
    ours: () => cpuOf(async () => void lengths.add(await runAside(aside))),
    theirs: () => cpuOf(async () => void lengths.add(await runOpenAi(openai))),
  });
  assert.equal(lengths.size, 1, 'the two clients read different replies');
  return row;
}

/**
 * Time to the first text over HTTP, on a reused connection, from a service that waits this many
 * milliseconds.
 */
async function firstText(thinking: number, rounds: number): Promise<Row> {
  const events = [chunk({ content: 'Hello' }), chunk({ content: '!' }), 'data: [DONE]\n\n'];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.flushHeaders();
      const answer = (): void => {
        for (const event of events) response.write(event);
        response.end();
      };
      if (thinking === 0) answer();
      else setTimeout(answer, thinking);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: string | AddressInfo | null = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const url = `http://127.0.0.1:${address.port}/v1`;
  const aside = asideClient({ baseUrl: url, fetch });
  try {
    return await compare({
      name: `First text over HTTP, ${thinking} ms after the request`,
      against: 'first byte of a bare `fetch`',
      goal: thinking === 0 ? undefined : 1.1,
      rounds,
      ours: () => asideFirstText(aside),
      theirs: () => bareFirstText(url),
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function asideFirstText(client: Client): Promise<number> {
  const start = performance.now();
  let time = 0;
  for await (const event of client.stream({ model: 'm', messages, stream: true })) {
    if (event.type === 'text' && time === 0) time = performance.now() - start;
  }
  return time;
}

async function bareFirstText(url: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer sk-bench' },
    body: JSON.stringify({ model: 'm', messages, stream: true }),
  });
  const reader = response.body?.getReader();
  await reader?.read();
  const time = performance.now() - start;
  while (reader !== undefined && !(await reader.read()).done);
  return time;
}

/** Measures the cost of the client. */
export async function bench(table: Table): Promise<void> {
  table.names(findVersion('openai'));
  table.add(await clientCpu('text chunks', textStream()));
  table.add(await clientCpu('argument fragments', argumentStream()));
  // The first is faster than a round trip to any hosted service; the second is the client alone.
  table.add(await firstText(5, 301));
  table.add(await firstText(0, 2001));
}

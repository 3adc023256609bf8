import type { Answer } from './rawServer.ts';

/** The head of a raw HTTP response. */
export function head(
  status: string | number = '200 OK',
  headers: Readonly<Record<string, string | number>> = eventStream,
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`;
}

/** Headers of a stream that ends when its connection closes. */
export const eventStream = { 'Content-Type': 'text/event-stream', Connection: 'close' };

/** Headers of a stream that marks its end, so that the connection can be reused. */
export const chunkedStream = {
  'Content-Type': 'text/event-stream',
  'Transfer-Encoding': 'chunked',
};

/** A chunk of a chunked body; an empty one ends it. */
export function chunk(data: string | Uint8Array = ''): Buffer {
  const bytes = Buffer.from(data);
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
}

/** An event with a text delta. */
export function delta(content: string): string {
  return event({ choices: [{ delta: { content } }] });
}

export function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export const done = 'data: [DONE]\n\n';
export const stop = event({ choices: [{ delta: {}, finish_reason: 'stop' }] });

/** A valid reply. */
export const hello: Answer = (connection) => connection.end(head() + delta('Hello') + stop + done);

/** A response that sends these bytes and closes the connection. */
export function saying(...parts: readonly (string | Uint8Array)[]): Answer {
  return (connection) => connection.end(Buffer.concat(parts.map((part) => Buffer.from(part))));
}

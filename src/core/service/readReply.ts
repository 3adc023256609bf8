import { parsePartialJson, isObject, parseJson } from '../support/json.ts';
import { readText, type BodyReader } from './bodyReader.ts';
import type { Completion } from './completion.ts';
import { readErrorBody, ServiceError } from './errors.ts';
import { ReplyAccumulator, type ReplyDelta } from './replyAccumulator.ts';
import { StreamDecoder } from './streamDecoder.ts';
import type { Exchange } from './transport.ts';

/** Maximum number of bytes that are read of a reply that is not streamed. */
const maxBodyBytes = 16 * 1024 * 1024;

/** A reply that is being read, one read of the socket at a time. */
export interface ReplyStream {
  /**
   * The delta of the next read; undefined at the end, whether regular or an error. Throws
   * `unexpected-reply` for a body that is neither a stream nor a completion; an aborted signal
   * rejects with its reason.
   */
  next(): Promise<ReplyDelta | undefined>;
  /** The completion, including the error that ended it. Call it only after the end. */
  finish(): Completion;
}

/**
 * Reads the body of a successful response. Streams are detected by how the body begins rather than
 * by the header alone, since gateways mislabel in both directions.
 */
export function readReply({ response, first, reader }: Exchange): ReplyStream {
  return looksLikeStream(first, response)
    ? new StreamedReply(first, reader)
    : new WholeReply(first, reader);
}

class StreamedReply implements ReplyStream {
  readonly #decoder = new StreamDecoder();
  readonly #reader: BodyReader;
  #first: Uint8Array | undefined;
  #broken: ServiceError | undefined;
  #ended = false;

  constructor(first: Uint8Array, reader: BodyReader) {
    this.#first = first;
    this.#reader = reader;
  }

  async next(): Promise<ReplyDelta | undefined> {
    if (this.#ended) return undefined;
    const bytes = this.#decoder.finished ? undefined : (this.#takeFirst() ?? (await this.#read()));
    if (bytes !== undefined) return this.#feed(bytes);
    this.#ended = true;
    return this.#decoder.end();
  }

  finish(): Completion {
    return this.#decoder.finish(this.#broken);
  }

  #feed(bytes: Uint8Array): ReplyDelta {
    const before = this.#decoder.eventCount;
    const delta = this.#decoder.feed(bytes);
    // After the finish reason, comments alone must not extend the wait.
    if (this.#decoder.isEndAnnounced && this.#decoder.eventCount > before)
      this.#reader.setDeadline();
    return delta;
  }

  #takeFirst(): Uint8Array | undefined {
    const first = this.#first;
    this.#first = undefined;
    return first;
  }

  async #read(): Promise<Uint8Array | undefined> {
    try {
      return await this.#reader.read();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#broken = error;
      return undefined;
    }
  }
}

class WholeReply implements ReplyStream {
  readonly #reply = new ReplyAccumulator();
  readonly #first: Uint8Array;
  readonly #reader: BodyReader;
  #broken: ServiceError | undefined;
  #ended = false;

  constructor(first: Uint8Array, reader: BodyReader) {
    this.#first = first;
    this.#reader = reader;
  }

  async next(): Promise<ReplyDelta | undefined> {
    if (this.#ended) return undefined;
    this.#ended = true;
    const { text, broken } = await readText(this.#first, this.#reader, maxBodyBytes);
    const complete = parseJson(text);
    if (complete === undefined) this.#broken = broken ?? new ServiceError('cut', 'The body is cut');
    const value = complete ?? parsePartialJson(text);
    if (!isObject(value) || !Array.isArray(value['choices'])) throw notACompletion(text, broken);
    this.#reply.add(value);
    return this.#reply.takeDelta();
  }

  finish(): Completion {
    const completion = this.#reply.finish(false, 0);
    return { ...completion, fault: this.#broken ?? completion.fault };
  }
}

/**
 * The error for a body that is not a completion. A body that is not JSON is not a truncated one.
 */
function notACompletion(body: string, broken: ServiceError | undefined): ServiceError {
  if (broken !== undefined && /^\s*[[{]/.test(body)) return broken;
  const { message, code } = readErrorBody(body);
  const details = { detail: message === '' ? undefined : message, code };
  return new ServiceError('unexpected-reply', 'The reply is no completion', details);
}

const fields = ['data', 'event', 'id', 'retry', ''].map((name) => `${name}:`);

function looksLikeStream(first: Uint8Array, { headers }: Response): boolean {
  // Only ASCII characters matter here.
  const start = String.fromCharCode(...first.subarray(0, 8));
  if (fields.some((field) => start.startsWith(field))) return true;
  const contentType = headers.get('content-type') ?? '';
  return contentType.includes('text/event-stream') && start !== '' && !/^[[{<]/.test(start);
}

import { readText, type BodyReader } from './bodyReader.ts';
import type { Completion } from './completion.ts';
import { readErrorBody } from './errorBody.ts';
import { ServiceError } from './errors.ts';
import { isObject, parseJson } from '../support/json.ts';
import { ReplyReader, type ReplyDelta } from './replyReader.ts';
import { StreamDecoder } from './streamDecoder.ts';
import type { Exchange } from './transport.ts';

/** How much is read of a body that should have been a stream. */
const longestBody = 16 * 1024 * 1024;

/** A reply that is being read, one read of the socket after the other. */
export interface Reply {
  /**
   * What the next read brought; undefined at the end, be it the regular one or a fault. Throws
   * `unexpected-reply` for a body that is neither a stream nor a completion; an aborted signal
   * rejects with its reason.
   */
  next(): Promise<ReplyDelta | undefined>;
  /** The whole reply, with the fault that ended it. Only after the end. */
  finish(): Completion;
}

/**
 * Reads the body of a success. Whether it is a stream is told by how it begins, not by its header
 * alone: gateways mislabel both ways.
 */
export function readReply({ response, first, reader }: Exchange): Reply {
  return looksLikeStream(first, response)
    ? new StreamedReply(first, reader)
    : new WholeReply(first, reader);
}

class StreamedReply implements Reply {
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
    if (this.#decoder.endSaid) this.#reader.hurry();
    const bytes = this.#decoder.finished ? undefined : (this.#takeFirst() ?? (await this.#read()));
    if (bytes !== undefined) return this.#decoder.feed(bytes);
    this.#ended = true;
    return this.#decoder.end();
  }

  finish(): Completion {
    return this.#decoder.finish(this.#broken);
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

class WholeReply implements Reply {
  readonly #reply = new ReplyReader();
  readonly #first: Uint8Array;
  readonly #reader: BodyReader;
  #ended = false;

  constructor(first: Uint8Array, reader: BodyReader) {
    this.#first = first;
    this.#reader = reader;
  }

  async next(): Promise<ReplyDelta | undefined> {
    if (this.#ended) return undefined;
    this.#ended = true;
    const body = await readText(this.#first, this.#reader, longestBody);
    const value = parseJson(body);
    if (!isObject(value) || !Array.isArray(value['choices'])) throw unexpected(body);
    this.#reply.add(value);
    return this.#reply.take();
  }

  finish(): Completion {
    return this.#reply.finish(false, 0);
  }
}

function unexpected(body: string): ServiceError {
  const { message, code } = readErrorBody(body);
  const details = { detail: message === '' ? undefined : message, code };
  return new ServiceError('unexpected-reply', 'The reply is no completion', details);
}

const fields = ['data', 'event', 'id', 'retry', ''].map((name) => `${name}:`);

function looksLikeStream(first: Uint8Array, { headers }: Response): boolean {
  const start = beginning(first);
  if (fields.some((field) => start.startsWith(field))) return true;
  const contentType = headers.get('content-type') ?? '';
  return contentType.includes('text/event-stream') && first.length > 0 && !/^[[{<]/.test(start);
}

/** The first characters that are neither a byte order mark nor white space; ASCII is enough. */
function beginning(bytes: Uint8Array): string {
  const from = bytes.findIndex((byte) => byte > 0x20 && !byteOrderMark.includes(byte));
  return from < 0 ? '' : String.fromCharCode(...bytes.subarray(from, from + 8));
}

const byteOrderMark = [0xef, 0xbb, 0xbf];

import { parsePartialJson, isObject, parseJson } from '../support/json.ts';
import type { Completion } from './completion.ts';
import { readErrorBody, reportIn } from './errorBody.ts';
import { reportedError, ServiceError } from './errors.ts';
import { ReplyAccumulator, type Chunk } from './replyAccumulator.ts';
import { faultOfReason, ResponseEnd } from './replyEnd.ts';
import { StreamDecoder, type StreamExpectations } from './streamDecoder.ts';
import { readText, type BodyReader, type BodyText, type Exchange } from './transport.ts';

/**
 * Maximum number of bytes that are read after a stream seems over: more than the longest event,
 * which has its own limit.
 */
const maxRestBytes = 20 * 1024 * 1024;

/** Maximum number of bytes of a reply that isn't streamed. */
const maxBodyBytes = 16 * 1024 * 1024;

/** A reply that is being read, one socket read at a time. */
export interface ReplyStream {
  /**
   * What the next read brought; undefined at the end, regular or not. Throws a `ServiceError` if
   * nothing of a reply was received; an aborted signal rejects with its reason.
   */
  next(): Promise<readonly Chunk[] | undefined>;
  finish(): Completion;
  /** True if the service writes finish reasons before the end. */
  readonly finishesEarly: boolean;
}

/**
 * Reads the body of a successful response. The format is detected from the first bytes, since
 * gateways mislabel streams and completions alike.
 *
 * @throws ServiceError if the body ends early and nothing of it was received
 */
export async function readReply(
  { response: { headers, type }, reader }: Exchange,
  expectations: StreamExpectations,
): Promise<ReplyStream> {
  let first: Uint8Array;
  try {
    first = await reader.readStart();
  } catch (error) {
    throw error instanceof ResponseEnd ? error.toError('nothing') : error;
  }
  const start = beginning(first);
  const contentType = headers.get('content-type') ?? '';
  const isLabeled = contentType.includes('text/event-stream') && start !== '';
  const isStream =
    fields.some((field) => start.startsWith(field)) || (isLabeled && !/^[[{<]/.test(start));
  if (!isStream) return new WholeReply(first, reader);
  // A browser hides most headers of another origin, and itself reports a truncated body.
  const isAnnounced =
    headers.has('content-length') || headers.has('transfer-encoding') || type === 'cors';
  const regularEnd = new ResponseEnd(isAnnounced ? 'closed' : 'hung up');
  return new StreamedReply(first, reader, expectations, regularEnd);
}

const fields = ['data', 'event', 'id', 'retry', ''].map((name) => `${name}:`);

/** The first characters of a body in lower case; only ASCII matters. */
function beginning(first: Uint8Array): string {
  return String.fromCharCode(...first.subarray(0, 8)).toLowerCase();
}

class StreamedReply implements ReplyStream {
  readonly #decoder: StreamDecoder;
  readonly #reader: BodyReader;
  #first: Uint8Array | undefined;
  #end: ResponseEnd;
  #ended = false;
  /** The data that the limited wait is for, and the number of resumptions at its start. */
  #awaits: StreamDecoder['awaits'] = 'anything';
  #resumptions = 0;
  /** True if an event has extended the wait for the usage already. */
  #isExtended = false;
  /** Number of bytes received since the reply seems over. */
  #restBytes = 0;

  constructor(
    first: Uint8Array,
    reader: BodyReader,
    expectations: StreamExpectations,
    regularEnd: ResponseEnd,
  ) {
    this.#decoder = new StreamDecoder(expectations);
    this.#first = first;
    this.#reader = reader;
    this.#end = regularEnd;
  }

  get finishesEarly(): boolean {
    return this.#decoder.finishesEarly;
  }

  async next(): Promise<readonly Chunk[] | undefined> {
    if (this.#ended) return undefined;
    let bytes: Uint8Array | undefined;
    if (!this.#decoder.finished && this.#restBytes <= maxRestBytes)
      try {
        bytes = this.#first ?? (await this.#reader.read());
      } catch (error) {
        if (!(error instanceof ResponseEnd)) throw error;
        this.#end = error;
      }
    this.#first = undefined;
    if (bytes === undefined) {
      this.#ended = true;
      return this.#decoder.end();
    }
    const before = this.#decoder.eventCount;
    const chunks = this.#decoder.feed(bytes);
    this.#limitRest(bytes.length, this.#decoder.eventCount > before);
    return chunks;
  }

  finish(): Completion {
    return this.#decoder.finish(this.#end);
  }

  /**
   * Limits the wait once the reply seems over. Only content extends it, and one event, which may be
   * the usage.
   */
  #limitRest(size: number, hasEvent: boolean): void {
    const { awaits, resumptions } = this.#decoder;
    const isSame = awaits === this.#awaits && resumptions === this.#resumptions;
    this.#awaits = awaits;
    this.#resumptions = resumptions;
    this.#restBytes = isSame && awaits !== 'anything' ? this.#restBytes + size : 0;
    if (isSame && (awaits !== 'usage' || !hasEvent || this.#isExtended)) return;
    this.#isExtended = isSame;
    if (awaits === 'usage') this.#reader.setDeadline();
    else if (awaits === 'perhaps usage') this.#reader.ignoreData();
    else this.#reader.clearDeadline();
  }
}

class WholeReply implements ReplyStream {
  readonly finishesEarly = false;
  readonly #reply = new ReplyAccumulator();
  readonly #first: Uint8Array;
  readonly #reader: BodyReader;
  #fault: ServiceError | undefined;
  #ended = false;

  constructor(first: Uint8Array, reader: BodyReader) {
    this.#first = first;
    this.#reader = reader;
  }

  async next(): Promise<readonly Chunk[] | undefined> {
    if (this.#ended) return undefined;
    this.#ended = true;
    if (!/^[[{]/.test(beginning(this.#first))) this.#reader.setDeadline();
    const body = await readText(this.#first, this.#reader, maxBodyBytes);
    const complete = parseJson(body.text);
    const value = complete ?? parsePartialJson(body.text);
    if (!isObject(value) || !Array.isArray(value['choices'])) throw noReplyError(body, value);
    if (complete === undefined) this.#fault = body.end.toError('part of a reply');
    this.#reply.add(value);
    this.#reply.end();
    return this.#reply.takeChunks();
  }

  finish(): Completion {
    const completion = this.#reply.finish(false, 0);
    const words = this.#reply.state.hasContent ? '' : this.#reply.state.words;
    const errorInWords = words === '' ? undefined : reportedError(readErrorBody(words));
    const fault = this.#fault ?? errorInWords ?? faultOfReason(completion.finishReason);
    return { ...completion, fault: completion.fault ?? fault };
  }
}

/** The error for a body that is neither a stream nor a completion. */
function noReplyError({ text, end }: BodyText, value: unknown): ServiceError {
  if (text.trim() === '') return end.toError('nothing');
  const embedded = reportIn(value);
  if (embedded !== undefined && (embedded.isError || embedded.report.code === undefined)) {
    return reportedError(embedded.report);
  }
  // A body that begins like JSON and was interrupted may have been a reply.
  if (end.ended !== 'closed' && /^\s*[[{]/.test(text)) return end.toError('part of a reply');
  const { message, code } = readErrorBody(text);
  const detail = message === '' ? undefined : message;
  return new ServiceError('unexpected-reply', 'The reply is no completion', { detail, code });
}

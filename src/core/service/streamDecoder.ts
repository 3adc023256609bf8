import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { parseJson } from '../support/json.ts';
import type { Completion } from './completion.ts';
import { isErrorEvent, readErrorBody } from './errorBody.ts';
import { reportedError, type ServiceError } from './errors.ts';
import { ReplyAccumulator, type Chunk } from './replyAccumulator.ts';
import { faultOfReason, ResponseEnd, type Said } from './replyEnd.ts';
import { isWholeCall } from './toolCallAssembler.ts';

const byteOrderMark = [0xef, 0xbb, 0xbf];

const colon = 0x3a;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Maximum length of an event in characters; limits the memory that a broken stream can use. */
const maxEventBytes = 16 * 1024 * 1024;

/** Allowance for the field name, and for characters counted at the boundaries of reads. */
const slack = 1024;

/** One Server-Sent Event with data. */
type ServerEvent = Pick<EventSourceMessage, 'event' | 'data'>;

/** Lines that aren't fields of an event. */
interface StrayLines {
  /** Number of lines that look like damaged fields: part of the stream may be missing. */
  readonly damaged: number;
  /** Their beginnings: a server that aborts may state why in plain text. */
  readonly words: string;
}

/** Maximum number of characters of stray text that is stored. */
const maxWords = 2000;

/**
 * Parses bytes into Server-Sent Events as in the WHATWG standard, with one difference: an event at
 * the end of the stream is delivered even without a blank line after it.
 */
class EventStream {
  readonly #decoder = new TextDecoder();
  #events: ServerEvent[] = [];
  #overflown = false;
  readonly #parser = createParser({
    maxBufferSize: maxEventBytes + slack,
    onEvent: (event) => {
      if (event.data.length > maxEventBytes) this.#overflown = true;
      else if (!this.#overflown) this.#events.push(event);
      if (isDone(event.data)) this.#done = true;
    },
    onError: ({ type, line }) => {
      if (type === 'max-buffer-size-exceeded') this.#overflown = true;
      else if (type === 'unknown-field' && line !== undefined) this.#addStray(line);
    },
  });
  #damaged = 0;
  #words = '';
  /** True if `[DONE]` was received; later lines are ignored. */
  #done = false;
  /** True at the end of the data, whose last line may be incomplete. */
  #ending = false;
  /** True if the last read ended with CR, so that LF may follow. */
  #afterCarriageReturn = false;

  /** True after an event exceeded the limit; later events are ignored. */
  get overflown(): boolean {
    return this.#overflown;
  }

  get strayLines(): StrayLines {
    return { damaged: this.#damaged, words: this.#words };
  }

  feed(bytes: Uint8Array): readonly ServerEvent[] {
    return this.#parse(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Returns the events that are completed by the end of the stream. */
  end(): readonly ServerEvent[] {
    this.#ending = true;
    return this.#parse(`${this.#decoder.decode()}\n\n`);
  }

  #parse(text: string): readonly ServerEvent[] {
    // The parser would search for CR from each line to the end, in quadratic time.
    const continuation = this.#afterCarriageReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.#afterCarriageReturn = text.endsWith('\r');
    const lines = continuation.includes('\r') ? continuation.replace(/\r\n?/g, '\n') : continuation;
    if (!this.#overflown) this.#parser.feed(lines);
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #addStray(line: string): void {
    if (this.#done) return;
    if (this.#ending && knownFields.some((field) => field.startsWith(line))) return;
    const name = line.slice(0, maxFieldName).split(':', 1)[0] ?? '';
    if (name.trim() === '') return;
    const hasJson = /^\s*[[{]/.test(line.slice(name.length + 1, name.length + maxFieldName));
    const isField = /^[\w-]+$/.test(name) && !/^data|err|fail/i.test(name) && !hasJson;
    // The last line may be plain text rather than part of the stream.
    if (!isField && (!this.#ending || /^\W*data/i.test(name))) this.#damaged += 1;
    if (isField && line.length > name.length) return;
    if (this.#words.length < maxWords) this.#words += `${line.slice(0, maxWords)}\n`;
  }
}

/** True if the data of an event marks the end of the stream (docs/service.md 4.1, rule 2). */
function isDone(data: string): boolean {
  return data.length < 16 && data.trim().toUpperCase() === '[DONE]';
}

const knownFields = ['data:', 'event:', 'retry:', 'id:'];

/** Maximum number of characters of a field name. */
const maxFieldName = 32;

/**
 * Skips leading white space and event stream comments. Only the colon of an unfinished comment
 * remains, which is enough to parse what follows.
 */
export function withoutComments(bytes: Uint8Array): Uint8Array {
  for (let remaining = bytes; ;) {
    const start = remaining.findIndex((byte) => byte > 0x20 && !byteOrderMark.includes(byte));
    if (start < 0) return remaining.subarray(remaining.length);
    remaining = remaining.subarray(start);
    if (remaining[0] !== colon) return remaining;
    const end = remaining.findIndex((byte) => byte === lineFeed || byte === carriageReturn);
    if (end < 0) return remaining.subarray(0, 1);
    remaining = remaining.subarray(end);
  }
}

/** Maximum number of invalid lines of an event; later ones are not parsed. */
const maxBrokenLines = 100;

/** Facts about a stream that are known before it begins. */
export interface StreamExpectations {
  /** Names of the functions that the model may call. */
  readonly functions?: readonly string[] | undefined;
  /** True if the service writes finish reasons before the end. */
  readonly finishesEarly?: boolean | undefined;
}

/**
 * Decodes the bytes of one streamed reply (docs/service.md 4.1, rules 2 and 3), in chunks of any
 * size. Malformed events are counted and skipped.
 */
export class StreamDecoder {
  readonly #events = new EventStream();
  readonly #reply: ReplyAccumulator;
  readonly #finishesEarly: boolean;
  #doneSeen = false;
  #eventCount = 0;
  #malformedEvents = 0;

  constructor({ functions, finishesEarly = false }: StreamExpectations = {}) {
    this.#reply = new ReplyAccumulator(functions);
    this.#finishesEarly = finishesEarly;
  }

  /** True when later data is ignored: `[DONE]` was received, or an event was too long. */
  get finished(): boolean {
    return this.#doneSeen || this.#events.overflown;
  }

  /** The data that may still follow: anything, only the usage, or perhaps the usage. */
  get awaits(): 'anything' | 'usage' | 'perhaps usage' {
    const { isFinished, state } = this.#reply;
    if (state.phase === 'failed') return 'usage';
    if (!isFinished && state.phase !== 'ended') return 'anything';
    const isDoubtful = !isFinished || this.finishesEarly || this.#reply.hasOpenCall;
    return isDoubtful ? 'perhaps usage' : 'usage';
  }

  /** Number of times that content came after the apparent end. */
  get resumptions(): number {
    return this.#reply.state.resumptions;
  }

  /** True if the service is known to write finish reasons before the end. */
  get finishesEarly(): boolean {
    return this.#finishesEarly || this.#reply.state.finishedEarly;
  }

  get eventCount(): number {
    return this.#eventCount;
  }

  /** Returns the pieces of all events that these bytes complete. */
  feed(bytes: Uint8Array): readonly Chunk[] {
    for (const event of this.#events.feed(bytes)) this.#add(event);
    return this.#reply.takeChunks();
  }

  /**
   * Returns the pieces that the data's end completes. Must be called once, before {@link finish}.
   */
  end(): readonly Chunk[] {
    if (!this.finished) for (const event of this.#events.end()) this.#add(event, true);
    this.#reply.end();
    return this.#reply.takeChunks();
  }

  /** Returns the completion, with the fault of the table in `replyEnd.ts`, if any. */
  finish(end = new ResponseEnd('closed')): Completion {
    const malformedEvents = this.#malformedEvents + this.#events.strayLines.damaged;
    const completion = this.#reply.finish(this.#doneSeen, malformedEvents);
    if (completion.fault !== undefined) return completion;
    const byReason = faultOfReason(completion.finishReason);
    if (byReason !== undefined) return { ...completion, fault: this.#wordsError() ?? byReason };
    let said: Said = 'the end';
    if (!this.#doneSeen && this.#reply.isFinished) {
      const hasWholeCalls = completion.toolCalls.every((call) => isWholeCall(call.arguments));
      const isDoubtful = this.finishesEarly || !hasWholeCalls;
      said = isDoubtful ? 'a doubtful finish reason' : 'a finish reason';
    } else if (!this.#doneSeen)
      said = this.#eventCount > 0 || this.#events.overflown ? 'part of a reply' : 'nothing';
    const fault = (this.#events.overflown ? oversized : end).toError(said);
    const isMissing =
      fault?.kind === 'cut' || fault?.kind === 'empty-reply' || !this.#reply.state.hasContent;
    return { ...completion, fault: (isMissing ? this.#wordsError() : undefined) ?? fault };
  }

  /** The error in stray text of the service, if there is any. */
  #wordsError(): ServiceError | undefined {
    const words = this.#reply.state.words || this.#events.strayLines.words;
    return words === '' ? undefined : reportedError(readErrorBody(words));
  }

  #add({ data, event }: ServerEvent, isCut = false): void {
    this.#eventCount += 1;
    if (this.#addData(data, event)) return;
    if (isErrorEvent(event)) {
      this.#reply.addErrorText(data);
      return;
    }
    if (data.includes('\n')) {
      if (!this.#addLines(data.split('\n'), event, isCut)) this.#malformedEvents += 1;
      return;
    }
    // Part of a chunk, a keep-alive, or plain text.
    const isPart = /^\s*(?:[[{]\s*(?!['\s])|")/.test(data);
    if ((isCut && isPart) || signsOfLife.test(data)) return;
    if (isPart || !/^\s*[\w-]{1,32}\s*$/.test(data)) this.#malformedEvents += 1;
    if (!isPart) this.#reply.addWords(data);
  }

  /**
   * Some servers send several chunks in one event, one per line. Returns false if a line is
   * invalid. A line that was truncated by the end of the data is missing rather than malformed.
   */
  #addLines(lines: readonly string[], event: string | undefined, isCut: boolean): boolean {
    const last = isCut ? lines.length - 1 : -1;
    let broken = 0;
    for (const [position, line] of lines.entries()) {
      if (broken >= maxBrokenLines) break;
      if (line === '' || this.#addData(line, event)) continue;
      if (position !== last) broken += 1;
    }
    return broken === 0;
  }

  /** Adds the data of one event; false if it is neither JSON nor `[DONE]`. */
  #addData(data: string, name: string | undefined): boolean {
    if (this.#doneSeen) return true;
    if (isDone(data)) {
      this.#doneSeen = true;
      this.#reply.end();
      return true;
    }
    const chunk = parseJson(data);
    if (chunk === undefined) {
      return data.trim() === '' && !isErrorEvent(name);
    }
    this.#reply.add(chunk, name);
    return true;
  }
}

const oversized = new ResponseEnd('oversized');

/** Texts that services send to keep a connection open. */
const signsOfLife = /^\s*(ping|pong|heartbeat|keep-?alive|alive|connected|ok)\s*$/i;

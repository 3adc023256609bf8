import { parseJson } from '../support/json.ts';
import { isErrorEvent } from './chunkReport.ts';
import type { Completion } from './completion.ts';
import { readErrorBody } from './errorBody.ts';
import { reportedError, type ServiceError } from './errors.ts';
import { EventStream, isDone, type ServerEvent } from './eventStream.ts';
import { faultOfReason } from './finishReason.ts';
import { ReplyAccumulator, type Chunk } from './replyAccumulator.ts';
import { ResponseEnd, type Said } from './replyEnd.ts';
import { isWholeCall, type ToolCall } from './toolCallAssembler.ts';

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
 * Decodes the bytes of one streamed reply (section 4.1, rules 2 and 3), in chunks of any size.
 * Malformed events are counted and skipped.
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

  /** Returns the pieces that the data's end completes. Must be called once, before {@link finish}. */
  end(): readonly Chunk[] {
    if (!this.finished) for (const event of this.#events.end()) this.#add(event, true);
    this.#reply.end();
    return this.#reply.takeChunks();
  }

  /** Returns the completion, with the fault of the table in `replyEnd.ts`, if any. */
  finish(end = new ResponseEnd('closed')): Completion {
    const malformedEvents = this.#malformedEvents + this.#events.strayLines.damaged;
    const completion = this.#reply.finish(this.#doneSeen, malformedEvents);
    const fault = this.#faultOf(completion, this.#events.overflown ? oversized : end);
    return { ...completion, fault };
  }

  #faultOf(completion: Completion, end: ResponseEnd): ServiceError | undefined {
    if (completion.fault !== undefined) return completion.fault;
    const byReason = faultOfReason(completion.finishReason);
    if (byReason !== undefined) return this.#wordsError() ?? byReason;
    const said = this.#saidBy(completion.toolCalls);
    const fault = end.toError(said);
    const isMissing =
      fault?.kind === 'cut' || fault?.kind === 'empty-reply' || !this.#reply.state.hasContent;
    return (isMissing ? this.#wordsError() : undefined) ?? fault;
  }

  #saidBy(calls: readonly ToolCall[]): Said {
    if (this.#doneSeen) return 'the end';
    if (this.#reply.isFinished) {
      const isDoubtful = this.finishesEarly || !calls.every((call) => isWholeCall(call.arguments));
      return isDoubtful ? 'a doubtful finish reason' : 'a finish reason';
    }
    return this.#eventCount > 0 || this.#events.overflown ? 'part of a reply' : 'nothing';
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
    const isPart = startsJson(data);
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

function startsJson(data: string): boolean {
  return /^\s*(?:[[{]\s*(?!['\s])|")/.test(data);
}

import { parseJson } from '../support/json.ts';
import type { Completion } from './completion.ts';
import { ServiceError } from './errors.ts';
import { EventStream, type ServerEvent } from './eventStream.ts';
import { ReplyAccumulator, type ReplyDelta } from './replyAccumulator.ts';

/**
 * Decodes the bytes of one streamed reply (section 4.1, rules 2 and 3), in chunks of any size.
 * Malformed events are counted and skipped.
 */
export class StreamDecoder {
  readonly #events = new EventStream();
  readonly #reply = new ReplyAccumulator();
  #doneSeen = false;
  #eventCount = 0;
  #malformedEvents = 0;

  /** True when later data is ignored: `[DONE]` was received, or an event was too long. */
  get finished(): boolean {
    return this.#doneSeen || this.#events.overflown;
  }

  /** True when only the usage can still follow. */
  get isEndAnnounced(): boolean {
    return this.#reply.isEndAnnounced;
  }

  /** Number of events received so far. */
  get eventCount(): number {
    return this.#eventCount;
  }

  /** Returns what these bytes add, as one delta however many events they complete. */
  feed(bytes: Uint8Array): ReplyDelta {
    for (const event of this.#events.feed(bytes)) this.#add(event);
    return this.#reply.takeDelta();
  }

  /** Returns what the end of the data completes. Call it once, before {@link finish}. */
  end(): ReplyDelta {
    if (!this.finished) for (const event of this.#events.end()) this.#add(event, true);
    return this.#reply.takeDelta();
  }

  /**
   * Returns the completion. `broken` is the error that ended the data, if any. It counts only if
   * the end of the reply was not received before: otherwise only its usage can be missing.
   */
  finish(broken?: ServiceError): Completion {
    const completion = this.#reply.finish(this.#doneSeen, this.#malformedEvents);
    if (completion.fault !== undefined) return completion;
    if (completion.finishReason === 'error') {
      return { ...completion, fault: new ServiceError('in-stream', 'The model gave up') };
    }
    return this.#hasEnd(completion) ? completion : { ...completion, fault: broken ?? this.#cut() };
  }

  #hasEnd(completion: Completion): boolean {
    return (
      completion.doneSeen || (completion.finishReason !== undefined && !this.#events.overflown)
    );
  }

  #cut(): ServiceError {
    return new ServiceError(
      'cut',
      this.#events.overflown
        ? 'An event of the stream was longer than 16 MiB'
        : 'The stream ended before its end was said',
    );
  }

  #add({ data, event }: ServerEvent, isCut = false): void {
    this.#eventCount += 1;
    if (this.#addData(data, event)) return;
    if (event === 'error') {
      this.#reply.addErrorText(data);
      return;
    }
    // Some servers put several chunks into one event, one per line.
    const added = data.split('\n').map((line) => this.#addData(line, event));
    // A line truncated by the end of the data is missing rather than malformed.
    if (isCut) added.pop();
    if (added.includes(false)) this.#malformedEvents += 1;
  }

  /** Adds the data of one event; false if it is neither JSON nor `[DONE]`. */
  #addData(data: string, name: string | undefined): boolean {
    if (this.#doneSeen) return true;
    if (isDone(data)) {
      this.#doneSeen = true;
      return true;
    }
    const chunk = parseJson(data);
    if (chunk === undefined) return data.trim() === '';
    this.#reply.add(chunk, name);
    return true;
  }
}

function isDone(data: string): boolean {
  return data.length < 16 && data.trim() === '[DONE]';
}

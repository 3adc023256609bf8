import type { Usage } from '../conversation/usage.ts';
import {
  isObject,
  nonEmptyString,
  parseJson,
  writeJson,
  type JsonObject,
} from '../support/json.ts';
import { readUsage, type Completion } from './completion.ts';
import { isErrorEvent, readErrorBody, reportIn } from './errorBody.ts';
import { reportedError, type ServiceError } from './errors.ts';
import { isFinishReason } from './replyEnd.ts';
import { ReplyTrace, TraceRoom } from './replyTrace.ts';
import { readIndex, ToolCallAssembler } from './toolCallAssembler.ts';

/** A piece of a reply: all text, or all reasoning, that one read of the socket brought. */
export interface Chunk {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

/**
 * Accumulates the JSON objects of one reply: the chunks of a stream (docs/service.md 2.7) or one
 * completion (docs/service.md 2.1). Runs for every chunk, so it checks only the fields that it
 * uses, without a schema.
 */
export class ReplyAccumulator {
  #text = '';
  #reasoning = '';
  #index: string | undefined;
  /** The first choice, held back if its index isn't 0: the next chunk may have index 0. */
  #held: JsonObject | undefined;
  readonly #toolCalls: ToolCallAssembler;
  readonly #state = new ReplyState();
  #finishReason: string | undefined;
  #hasDeltas = false;
  readonly #trace: ReplyTrace;
  #usage: Usage | undefined;

  /** @param functions names of the functions that the model may call */
  constructor(functions: readonly string[] = []) {
    const room = new TraceRoom();
    this.#trace = new ReplyTrace(room);
    this.#toolCalls = new ToolCallAssembler(functions, room);
  }

  /** Adds a chunk or a list of chunks, even as JSON in a string. Other values are ignored. */
  add(chunk: unknown, eventName?: string): void {
    if (typeof chunk === 'string') {
      const inner = parseJson(chunk);
      if (isObject(inner)) this.#add(inner, eventName);
      else if (isErrorEvent(eventName)) this.addErrorText(chunk);
      else this.addWords(chunk);
      return;
    }
    const list: readonly unknown[] = Array.isArray(chunk) ? chunk : [chunk];
    const objects = list.filter(isObject);
    for (const entry of objects) this.#add(entry, eventName);
    if (objects.length === 0 && isErrorEvent(eventName)) this.addErrorText(writeJson(chunk));
  }

  get state(): Omit<ReplyState, `add${string}`> {
    return this.#state;
  }

  /** True if a finish reason was received, and no content after it. */
  get isFinished(): boolean {
    return this.#state.isFinished || finishReasonIn(this.#held) !== undefined;
  }

  /** True if the last call lacks the end of its arguments. */
  get hasOpenCall(): boolean {
    return this.#toolCalls.isOpen;
  }

  /** Adds words that may be the reason why nothing else follows. */
  addWords(words: string): void {
    if (words === '') return;
    this.end();
    this.#state.addWords(words);
  }

  addErrorText(text: string): void {
    this.#state.addError(reportedError(readErrorBody(text)));
  }

  /** Ends the reply, and adds the choice that was held back. */
  end(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    this.#index = readIndex(held['index']);
    this.#addChoice(held);
  }

  /**
   * Returns what was added since the last call. A refusal, which has a field of its own, counts as
   * text.
   */
  takeChunks(): readonly Chunk[] {
    const chunks: Chunk[] = [];
    if (this.#reasoning !== '') chunks.push({ type: 'reasoning', text: this.#reasoning });
    if (this.#text !== '') chunks.push({ type: 'text', text: this.#text });
    this.#text = this.#reasoning = '';
    return chunks;
  }

  finish(doneSeen: boolean, malformedEvents: number): Completion {
    return {
      toolCalls: this.#toolCalls.finish(this.#trace.value),
      finishReason: this.#finishReason,
      usage: this.#usage,
      fault: this.#state.fault,
      doneSeen,
      malformedEvents,
    };
  }

  #add(chunk: JsonObject, eventName: string | undefined): void {
    const hasChoice = this.#addChoices(chunk['choices']);
    const groq = chunk['x_groq'];
    this.#addUsage(chunk['usage'] ?? (isObject(groq) ? groq['usage'] : undefined));
    if (!hasChoice || Boolean(chunk['error']) || isErrorEvent(eventName)) {
      this.#addReport(chunk, eventName);
    }
  }

  /**
   * Requests ask for one choice: index 0 if one of the first two chunks with choices has it,
   * otherwise the first one received.
   *
   * @returns true if it has content
   */
  #addChoices(choices: unknown): boolean {
    const all: readonly unknown[] = Array.isArray(choices) ? choices : [];
    const list = all.filter(isObject);
    const [first] = list;
    if (first === undefined) return false;
    const usual = this.#index ?? readIndex(this.#held?.['index']) ?? '0';
    const indexOf = (choice: JsonObject): string => readIndex(choice['index']) ?? usual;
    if (this.#index === undefined) {
      if (list.some((choice) => indexOf(choice) === '0')) {
        this.#index = '0';
        this.#held = undefined;
      } else if (this.#held === undefined) {
        this.#held = first;
        return true;
      } else this.end();
    }
    const choice = list.find((candidate) => indexOf(candidate) === this.#index);
    if (choice !== undefined) this.#addChoice(choice);
    return choice !== undefined;
  }

  #addUsage(usage: unknown): void {
    if (usage !== undefined && usage !== null) this.#usage = readUsage(usage) ?? this.#usage;
  }

  #addChoice(choice: JsonObject): void {
    const { delta, message } = choice;
    // Some services send a reply in one piece with an empty delta beside the message.
    const isEmpty = isObject(delta) && !hasContent(delta, reasoningIn(delta));
    const isWhole = !isObject(delta) || (isEmpty && isObject(message));
    const payload = isWhole ? message : delta;
    // A whole message after deltas repeats their content.
    const isRepeated = isWhole && this.#hasDeltas;
    if (isObject(payload) && !isRepeated) this.#addDelta(payload, isWhole);
    const reason = finishReasonIn(choice);
    if (reason !== undefined) {
      this.#finishReason = reason;
      this.#state.addFinishReason();
    }
    this.#addUsage(choice['usage']);
    const error = choice['error'] || (isObject(payload) && payload['error']);
    if (Boolean(error)) this.#addReport({ error }, undefined);
  }

  #addDelta(delta: JsonObject, isWhole: boolean): void {
    const content = delta['content'];
    if (typeof content === 'string' || typeof content === 'number') this.#text += String(content);
    else if (Array.isArray(content))
      for (const part of content.filter(isObject)) {
        if (part['type'] === 'thinking') this.#reasoning += textIn(part['thinking']);
        else this.#text += textIn(part['text']);
      }
    const reasoning = reasoningIn(delta);
    if (reasoning !== '') this.#reasoning += reasoning;
    const refusal = delta['refusal'];
    if (typeof refusal === 'string') this.#text += refusal;
    this.#trace.add(delta);
    const calls = delta['tool_calls'];
    if (Array.isArray(calls) && isWhole)
      calls.forEach((call, position) => this.#toolCalls.add(call, position));
    else if (Array.isArray(calls)) this.#toolCalls.addAll(calls);
    if (!hasContent(delta, reasoning)) return;
    this.#hasDeltas ||= !isWhole;
    this.#state.addContent();
  }

  #addReport(chunk: JsonObject, eventName: string | undefined): void {
    const embedded = reportIn(chunk);
    if (embedded?.isNamed === true) this.#state.addError(reportedError(embedded.report));
    else if (isErrorEvent(eventName))
      this.addErrorText(embedded?.report.message ?? writeJson(chunk));
    else if (embedded?.isError === true) {
      this.end();
      this.#state.addLikelyError(reportedError(embedded.report));
    } else if (embedded !== undefined) this.addWords(embedded.report.message);
    else {
      // The text of an object without known fields.
      const text = writeJson(chunk).slice(0, 1000);
      if (/\p{L} \p{L}/u.test(text)) this.addWords(text);
    }
  }
}

function finishReasonIn(choice: JsonObject | undefined): string | undefined {
  const reason = nonEmptyString(choice?.['finish_reason']);
  return reason !== undefined && isFinishReason(reason) ? reason : undefined;
}

function hasContent(delta: JsonObject, reasoning: string): boolean {
  const { content, refusal, tool_calls: calls } = delta;
  const hasText = [content, refusal, calls].some((value) =>
    Array.isArray(value)
      ? value.length > 0
      : typeof value === 'number' || nonEmptyString(value) !== undefined,
  );
  return hasText || reasoning !== '';
}

/** Services send the same reasoning in several of these fields; only one is read. */
function reasoningIn(delta: JsonObject): string {
  const plainText =
    nonEmptyString(delta['reasoning_content']) ?? nonEmptyString(delta['reasoning']);
  if (plainText !== undefined) return plainText;
  const details = delta['reasoning_details'];
  if (!Array.isArray(details)) return '';
  const list: readonly unknown[] = details;
  return list
    .map((detail) => (isObject(detail) ? textIn(detail['text'] ?? detail['summary']) : ''))
    .join('');
}

/** Maximum nesting of the parts of a content part. */
const maxLevels = 4;

/** The text of a content part: a string, or a list of parts with text. */
function textIn(value: unknown, levels = maxLevels): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) || levels === 0) return '';
  return value
    .map((part: unknown) => (isObject(part) ? textIn(part['text'], levels - 1) : ''))
    .join('');
}

/**
 * The state of a reply as far as it was received. Content leads to `content` from everywhere but
 * `failed`: an apparent end may turn out to be none.
 */
type State =
  /** Neither text nor reasoning nor a call was received. */
  | { readonly phase: 'nothing' }
  /** Content was received, and nothing that looks like the end. */
  | { readonly phase: 'content' }
  /** A finish reason or a likely error was received, and no content after it. */
  | {
      readonly phase: 'ended';
      readonly hasContent: boolean;
      readonly hasReason: boolean;
      readonly likelyError: ServiceError | undefined;
    }
  /** An error was received that nothing revokes. Content after it counts, but changes no state. */
  | { readonly phase: 'failed'; readonly hasContent: boolean; readonly error: ServiceError };

/**
 * The progress of a reply from nothing to its end, and what its parts so far say about that end.
 */
export class ReplyState {
  #state: State = { phase: 'nothing' };
  #words = '';
  #resumptions = 0;
  #finishedEarly = false;

  get phase(): State['phase'] {
    return this.#state.phase;
  }

  /** True if a finish reason was received, and no content after it. */
  get isFinished(): boolean {
    return this.#state.phase === 'ended' && this.#state.hasReason;
  }

  get hasContent(): boolean {
    const state = this.#state;
    return 'hasContent' in state ? state.hasContent : state.phase === 'content';
  }

  /** The error of the service; a likely one counts unless content follows it. */
  get fault(): ServiceError | undefined {
    if (this.#state.phase === 'failed') return this.#state.error;
    return this.#state.phase === 'ended' ? this.#state.likelyError : undefined;
  }

  /** Words that no field explains: the reason if the reply is empty or has no end. */
  get words(): string {
    return this.#words;
  }

  /** Number of times that content came after the apparent end. */
  get resumptions(): number {
    return this.#resumptions;
  }

  /** True if content followed a finish reason: the service writes one before the end. */
  get finishedEarly(): boolean {
    return this.#finishedEarly;
  }

  addContent(): void {
    this.#words = '';
    if (this.#state.phase === 'content') return;
    if (this.#state.phase === 'failed') {
      this.#state = { ...this.#state, hasContent: true };
      return;
    }
    if (this.#state.phase === 'ended') this.#resumptions += 1;
    this.#finishedEarly ||= this.isFinished;
    this.#state = { phase: 'content' };
  }

  addFinishReason(): void {
    if (this.#state.phase !== 'failed') this.#end({ hasReason: true });
  }

  addLikelyError(likelyError: ServiceError): void {
    if (this.fault === undefined) this.#end({ likelyError });
  }

  addError(error: ServiceError): void {
    if (this.#state.phase === 'failed') return;
    this.#state = { phase: 'failed', hasContent: this.hasContent, error };
  }

  /** Adds words that may be the reason why nothing else follows. */
  addWords(words: string): void {
    if (this.#words === '') this.#words = words;
  }

  #end(end: { hasReason?: boolean; likelyError?: ServiceError }): void {
    const { hasContent, isFinished: hasReason, fault: likelyError } = this;
    this.#state = { phase: 'ended', hasContent, hasReason, likelyError, ...end };
  }
}

import type { Usage } from '../conversation/usage.ts';
import { isObject, nonEmptyString, type JsonObject } from '../support/json.ts';
import { readUsage, type Completion } from './completion.ts';
import { readErrorObject, ServiceError } from './errors.ts';
import { readIndex, ToolCallAssembler } from './toolCallAssembler.ts';

/** Text and reasoning added to a reply since the last call. They are not kept here. */
export interface ReplyDelta {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Accumulates the JSON objects of one reply: the chunks of a stream (section 2.7) or one completion
 * (section 2.1). Runs for every chunk, so it checks only the fields that it uses, without a schema.
 */
export class ReplyAccumulator {
  #text = '';
  #reasoning = '';
  /** Index of the choice that is read. */
  #index: string | undefined;
  readonly #toolCalls = new ToolCallAssembler();
  #finishReason: string | undefined;
  #usage: Usage | undefined;
  #model: string | undefined;
  #error: ServiceError | undefined;

  /** Adds a chunk or a list of chunks; ignores JSON of any other shape. */
  add(chunk: unknown, eventName?: string): void {
    const list: readonly unknown[] = Array.isArray(chunk) ? chunk : [chunk];
    for (const entry of list) if (isObject(entry)) this.#add(entry, eventName);
  }

  /** Whether a finish reason or an error was received. */
  get isEndAnnounced(): boolean {
    return this.#finishReason !== undefined || this.#error !== undefined;
  }

  /** Adds an error event whose data is not JSON. */
  addErrorText(text: string): void {
    this.#error ??= inStream(text, undefined);
  }

  /**
   * Returns the text and reasoning added since the last call. A refusal, which has a field of its
   * own, counts as text.
   */
  takeDelta(): ReplyDelta {
    const delta = { text: this.#text, reasoning: this.#reasoning };
    this.#text = this.#reasoning = '';
    return delta;
  }

  /** Returns everything else of the reply. */
  finish(doneSeen: boolean, malformedEvents: number): Completion {
    return {
      toolCalls: this.#toolCalls.finish(),
      finishReason: this.#finishReason,
      usage: this.#usage,
      model: this.#model,
      fault: this.#error,
      doneSeen,
      malformedEvents,
    };
  }

  #add(chunk: JsonObject, eventName: string | undefined): void {
    const choice = this.#findChoice(chunk['choices']);
    if (choice !== undefined) this.#addChoice(choice);
    const usage = chunk['usage'] ?? xGroqUsage(chunk) ?? choice?.['usage'];
    if (usage !== undefined && usage !== null) this.#usage = readUsage(usage) ?? this.#usage;
    this.#model ??= nonEmptyString(chunk['model']);
    if (chunk['choices'] === undefined || chunk['error'] !== undefined || eventName === 'error') {
      this.#addError(chunk, eventName);
    }
  }

  /**
   * Requests ask for one choice: the first index received is the one that is read, whatever its
   * value.
   */
  #findChoice(choices: unknown): JsonObject | undefined {
    if (!Array.isArray(choices)) return undefined;
    const list: readonly unknown[] = choices;
    return list.filter(isObject).find((choice) => {
      const index = readIndex(choice['index']) ?? this.#index ?? '0';
      return index === (this.#index ??= index);
    });
  }

  #addChoice(choice: JsonObject): void {
    const isWhole = !isObject(choice['delta']);
    const payload = choice[isWhole ? 'message' : 'delta'];
    if (isObject(payload)) this.#addDelta(payload, isWhole);
    this.#finishReason = nonEmptyString(choice['finish_reason']) ?? this.#finishReason;
  }

  #addDelta(delta: JsonObject, isWhole: boolean): void {
    const content = delta['content'];
    if (typeof content === 'string') this.#text += content;
    else if (Array.isArray(content)) this.#addContentParts(content);
    const reasoning = reasoningIn(delta);
    if (reasoning !== '') this.#reasoning += reasoning;
    const refusal = delta['refusal'];
    if (typeof refusal === 'string') this.#text += refusal;
    const calls = delta['tool_calls'];
    if (Array.isArray(calls))
      calls.forEach((call, at) => this.#toolCalls.add(call, isWhole ? at : undefined));
  }

  #addContentParts(parts: readonly unknown[]): void {
    for (const part of parts) {
      if (!isObject(part)) continue;
      if (part['type'] === 'thinking') this.#reasoning += textIn(part['thinking']);
      else this.#text += textIn(part['text']);
    }
  }

  #addError(chunk: JsonObject, eventName: string | undefined): void {
    const isErrorChunk = isError(chunk['error']) || chunk['object'] === 'error';
    if (!isErrorChunk && eventName !== 'error') return;
    const report = readErrorObject(chunk);
    this.#error ??= inStream(report?.message ?? JSON.stringify(chunk), report?.code);
  }
}

/** Some services send the field with every chunk: an empty value is not an error. */
function isError(value: unknown): boolean {
  return isObject(value) ? Object.values(value).some(Boolean) : Boolean(value);
}

function xGroqUsage(chunk: JsonObject): unknown {
  const extension = chunk['x_groq'];
  return isObject(extension) ? extension['usage'] : undefined;
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

/** The text of a content part: a string, or a list of parts with text. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.map((part: unknown) => (isObject(part) ? textIn(part['text']) : '')).join('');
}

function inStream(detail: string, code: string | number | undefined): ServiceError {
  return new ServiceError('in-stream', 'The stream brought an error', { detail, code });
}

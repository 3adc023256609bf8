import type { Usage } from '../conversation/usage.ts';
import type { ServiceError } from './errors.ts';
import { standardReason } from './finishReason.ts';
import { handlingOf } from './replyEnd.ts';
import { isObject, type JsonObject } from '../support/json.ts';
import type { ToolCall } from './toolCallAssembler.ts';

/** The result of a reply besides its text, streamed or in one piece (section 2.1). */
export interface Completion {
  /** Only to be run if {@link isComplete} returns true. */
  readonly toolCalls: readonly ToolCall[];
  /** The reason exactly as received; see `standardReason` for the values of section 2.2. */
  readonly finishReason: string | undefined;
  /** The last usage that was reported; undefined if there was none. */
  readonly usage: Usage | undefined;
  readonly fault: ServiceError | undefined;
  /** True if `data: [DONE]` was received. */
  readonly doneSeen: boolean;
  /** Number of events and lines that could not be read and were skipped. */
  readonly malformedEvents: number;
}

/**
 * True if the reply was received completely, so that its tool calls are what the model intended.
 */
export function isComplete(completion: Completion): boolean {
  const { fault, malformedEvents, doneSeen } = completion;
  if (!handlingOf(fault).runsCalls || malformedEvents > 0) return false;
  const finishReason = standardReason(completion.finishReason);
  if (finishReason === 'length' || finishReason === 'content_filter') return false;
  return finishReason !== undefined || doneSeen;
}

/**
 * Reads `usage` (section 2.4); undefined if it contains no count. A missing total is calculated,
 * and cached and reasoning tokens are read from the different fields in which services report them.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = count(value['prompt_tokens']);
  const completion = count(value['completion_tokens']);
  const total = count(value['total_tokens']);
  if (prompt === undefined && completion === undefined && total === undefined) return undefined;
  const prompt_tokens = prompt ?? Math.max(0, (total ?? 0) - (completion ?? 0));
  const completion_tokens = completion ?? Math.max(0, (total ?? 0) - prompt_tokens);
  const reasoning_tokens = readReasoning(value);
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: total ?? prompt_tokens + completion_tokens,
    cached_tokens: readCached(value),
    ...(reasoning_tokens > 0 && { reasoning_tokens }),
    requests: 1,
    estimated: false,
  };
}

function readCached(usage: JsonObject): number {
  const details = usage['prompt_tokens_details'];
  const detailed = isObject(details) ? count(details['cached_tokens']) : undefined;
  return detailed ?? count(usage['prompt_cache_hit_tokens']) ?? count(usage['cached_tokens']) ?? 0;
}

function readReasoning(usage: JsonObject): number {
  const details = usage['completion_tokens_details'];
  const detailed = isObject(details) ? count(details['reasoning_tokens']) : undefined;
  return detailed ?? count(usage['reasoning_tokens']) ?? 0;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? Math.round(value)
    : undefined;
}

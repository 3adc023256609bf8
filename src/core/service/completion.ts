import type { Usage } from '../conversation/usage.ts';
import type { ServiceError } from './errors.ts';
import { isObject, type JsonObject } from '../support/json.ts';
import type { ToolCall } from './toolCallAssembler.ts';

/** What a reply, streamed or in one piece (section 2.1), comes to beside its text. */
export interface Completion {
  /** Only to be carried out when {@link isComplete} says so. */
  readonly toolCalls: readonly ToolCall[];
  /** A value of section 2.2, or another one as the service wrote it. */
  readonly finishReason: string | undefined;
  /** The last usage of the reply; undefined where the service reported none. */
  readonly usage: Usage | undefined;
  /** Identifier of the model that answered, where the service named one. */
  readonly model: string | undefined;
  /** What was wrong with a reply of which something was received. */
  readonly fault: ServiceError | undefined;
  /** Whether `data: [DONE]` came. */
  readonly doneSeen: boolean;
  /** Events that were no JSON and were left out. */
  readonly malformedEvents: number;
}

/** Whether nothing of the reply is missing, so that its tool calls are what the model meant. */
export function isComplete(completion: Completion): boolean {
  const { fault, malformedEvents, finishReason, doneSeen } = completion;
  if (fault !== undefined || malformedEvents > 0) return false;
  if (finishReason === 'length' || finishReason === 'content_filter') return false;
  return finishReason !== undefined || doneSeen;
}

/**
 * Reads `usage` (section 2.4): undefined for anything without a count. A missing sum is made; the
 * cached part is taken from where the services of this standard put it.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = count(value['prompt_tokens']);
  const completion = count(value['completion_tokens']);
  const total = count(value['total_tokens']);
  if (prompt === undefined && completion === undefined && total === undefined) return undefined;
  const prompt_tokens = prompt ?? Math.max(0, (total ?? 0) - (completion ?? 0));
  const completion_tokens = completion ?? Math.max(0, (total ?? 0) - prompt_tokens);
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: total ?? prompt_tokens + completion_tokens,
    cached_tokens: readCached(value),
    requests: 1,
    estimated: false,
  };
}

function readCached(usage: JsonObject): number {
  const details = usage['prompt_tokens_details'];
  const detailed = isObject(details) ? count(details['cached_tokens']) : undefined;
  return detailed ?? count(usage['prompt_cache_hit_tokens']) ?? count(usage['cached_tokens']) ?? 0;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? Math.round(value)
    : undefined;
}

import type { Usage } from '../conversation/usage.ts';
import type { ServiceError } from './errors.ts';
import { handlingOf, standardReason } from './replyEnd.ts';
import { isObject, parseJson, valueAt, writeJson, type JsonObject } from '../support/json.ts';
import type { Redactor } from '../support/redact.ts';
import type { CallTrace, ToolCall } from './toolCallAssembler.ts';

/** The result of a reply besides its text, streamed or in one piece (docs/service.md 2.1). */
export interface Completion {
  /** Only to be run if {@link isComplete} returns true. */
  readonly toolCalls: readonly ToolCall[];
  /** The reason exactly as received; see `standardReason` for the values of docs/service.md 2.2. */
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

/** The completion without known keys, which a service may have echoed. */
export function redactCompletion(completion: Completion, { redact }: Redactor): Completion {
  const { toolCalls, finishReason } = completion;
  /** A trace stays as it came, byte for byte, unless a known key is in it, also as a name. */
  const redactTrace = (trace: CallTrace): CallTrace => {
    const json = writeJson(trace);
    const redacted = redact(json);
    if (redacted === json) return trace;
    const masked = objectIn(parseJson(redacted));
    return { message: objectIn(masked['message']), call: objectIn(masked['call']) };
  };
  return {
    ...completion,
    finishReason: finishReason === undefined ? undefined : redact(finishReason),
    toolCalls: toolCalls.map(({ id, name, arguments: json, trace }) => ({
      id: redact(id),
      name: redact(name),
      arguments: redact(json),
      ...(trace !== undefined && { trace: redactTrace(trace) }),
    })),
  };
}

function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The most tokens that one report may claim: no model reads or writes more in a request. */
const maxReported = 10_000_000;

/** Names of counts, which differ between services. The largest count applies. */
const countFields = {
  cached: [
    'prompt_tokens_details.cached_tokens',
    'prompt_tokens_details.cache_read_tokens',
    'input_tokens_details.cached_tokens',
    'cache_read_input_tokens',
    'prompt_cache_hit_tokens',
    'num_cached_tokens',
    'cached_tokens',
  ],
  written: [
    'prompt_tokens_details.cache_write_tokens',
    'prompt_tokens_details.cache_creation_tokens',
    'prompt_tokens_details.cache_creation_input_tokens',
    'cache_creation_input_tokens',
    'cache_write_tokens',
  ],
  reasoning: [
    'completion_tokens_details.reasoning_tokens',
    'output_tokens_details.reasoning_tokens',
    'reasoning_tokens',
  ],
} as const;

/**
 * Reads `usage` (docs/service.md 2.4); undefined if it contains no count. Services count reasoning
 * inside or beside `completion_tokens`: what the total has more than its parts is reply, and so is
 * reasoning that is more than all of the reply. The total is always the sum of prompt and reply.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const count = (field: string): number | undefined => {
    const amount = amountIn(value, field);
    return amount === undefined ? undefined : Math.min(Math.round(amount), maxReported);
  };
  const most = (fields: readonly string[]): number =>
    Math.max(0, ...fields.map((field) => count(field) ?? 0));
  const prompt = count('prompt_tokens');
  const completion = count('completion_tokens');
  const total = count('total_tokens');
  if (prompt === undefined && completion === undefined && total === undefined) return undefined;
  const [cached, written] = [most(countFields.cached), most(countFields.written)];
  const reported = prompt ?? Math.max(0, (total ?? 0) - (completion ?? 0));
  // Some services count what their cache read or wrote beside the prompt.
  const isBeside = cached > reported || written > reported;
  const read = isBeside ? reported + cached + written : reported;
  const prompt_tokens = Math.min(read, maxReported);
  const reasoning = most(countFields.reasoning);
  const text = completion ?? 0;
  const reply = reasoning > text ? text + reasoning : text;
  const rest = Math.max(reply, (total ?? 0) - prompt_tokens);
  const completion_tokens = Math.min(rest, maxReported - prompt_tokens);
  const cached_tokens = Math.min(cached, prompt_tokens);
  const written_tokens = Math.min(written, prompt_tokens - cached_tokens);
  const reasoning_tokens = Math.min(reasoning, completion_tokens);
  const billed = billedIn(value);
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    cached_tokens,
    ...(written_tokens > 0 && { written_tokens }),
    ...(reasoning_tokens > 0 && { reasoning_tokens }),
    requests: 1,
    estimated: false,
    ...(billed !== undefined && { billed }),
  };
}

/** xAI's unit of money: ten billion are a US dollar. */
const ticksPerDollar = 10_000_000_000;

/** What the service billed, in US dollars; undefined if it doesn't say. */
function billedIn(usage: JsonObject): number | undefined {
  const cost = ['cost', 'cost.usd', 'cost.total_cost', 'total_cost', 'estimated_cost']
    .map((field) => amountIn(usage, field))
    .find((amount) => amount !== undefined);
  const ticks = amountIn(usage, 'cost_in_usd_ticks');
  if (cost === undefined) return ticks === undefined ? undefined : ticks / ticksPerDollar;
  // With a person's own key at the provider, `cost` is the fee of the gateway alone.
  const isOwnKey = usage['is_byok'] === true;
  return cost + (isOwnKey ? (amountIn(usage, 'cost_details.upstream_inference_cost') ?? 0) : 0);
}

function amountIn(usage: JsonObject, field: string): number | undefined {
  const value = valueAt(usage, field);
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

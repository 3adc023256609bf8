/**
 * The lines of the usage log. A request has two: `sent` with an estimate, written before it goes
 * out, and `done`, which replaces it. They contain numbers and names, and no text of chats.
 */
import * as z from 'zod/mini';
import type { Usage } from '../../core/conversation/usage.ts';
import type { RequestTokens } from '../../core/service/budget.ts';
import { parseJson } from '../../core/support/json.ts';

/** What a request is for. */
export type RequestPurpose = 'chat' | 'edit' | 'commit' | `provider:${string}`;

/** Who sends a request. */
export interface RequestOrigin {
  readonly purpose: RequestPurpose;
  /** The identifier of the chat; empty outside chats. */
  readonly chat: string;
}

/**
 * - `finished`: read to its end; `stopped`: by the person
 * - `cut`: ended early, by an error or by the budget; `failed`: nothing was received
 * - `refused`: not sent, because another window used up the budget at the same time
 */
type RequestOutcome = 'finished' | 'stopped' | 'cut' | 'failed' | 'refused';

/** A line: everything that is known of one request. */
export interface UsageRecord extends RequestOrigin {
  readonly id: string;
  readonly state: 'sent' | 'done';
  /** When it was sent, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The origin of the service, for example `https://api.example.com`. */
  readonly service: string;
  readonly model: string;
  readonly workspace: string;
  readonly usage: Usage;
  /** The most tokens that it may use. Counts in budgets until the request is done. */
  readonly reserve: RequestTokens;
  readonly outcome?: RequestOutcome | undefined;
}

const count = z.number().check(z.minimum(0));
const word = z.string().check(z.maxLength(1000));

const storedRecord = z.object({
  id: word,
  state: z.enum(['sent', 'done']),
  at: z.number(),
  service: word,
  model: word,
  workspace: z.string(),
  chat: word,
  purpose: word,
  prompt: count,
  cached: count,
  completion: count,
  total: count,
  requests: count,
  estimated: z.boolean(),
  reserve: z.object({ prompt: count, reply: count }),
  outcome: z.optional(word),
});

/** A record as it is read: later versions may have other purposes and outcomes. */
export type StoredUsage = Pick<
  UsageRecord,
  'id' | 'state' | 'at' | 'model' | 'chat' | 'usage' | 'reserve'
>;

/** The line of a record, without its end. */
export function writeUsageRecord(record: UsageRecord): string {
  const { usage, reserve, outcome, ...rest } = record;
  return JSON.stringify({
    ...rest,
    prompt: usage.prompt_tokens,
    cached: usage.cached_tokens,
    completion: usage.completion_tokens,
    total: usage.total_tokens,
    requests: usage.requests,
    estimated: usage.estimated,
    reserve,
    outcome,
  });
}

/** Undefined for a damaged line, which costs only itself. */
export function readUsageRecord(line: string): StoredUsage | undefined {
  const { data } = storedRecord.safeParse(parseJson(line));
  if (data === undefined) return undefined;
  const { id, state, at, model, chat, reserve, requests, estimated } = data;
  const usage: Usage = {
    prompt_tokens: data.prompt,
    completion_tokens: data.completion,
    total_tokens: data.total,
    cached_tokens: data.cached,
    requests,
    estimated,
  };
  return { id, state, at, model, chat, usage, reserve };
}

/** The local date of a time, for example `2030-01-31`. */
export function localDay(time: number): string {
  const date = new Date(time);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

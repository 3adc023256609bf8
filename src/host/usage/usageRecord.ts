/**
 * The lines of the usage log. A request has two: `sent` with an estimate, written before it is
 * sent, and `done`, which replaces it. They contain numbers and names, but no text of chats.
 */
import * as z from 'zod/mini';
import type { Price, Usage } from '../../core/conversation/usage.ts';
import type { RequestTokens } from '../../core/service/budget.ts';
import type { RequestOutcome } from '../../core/service/meteredClient.ts';
import { parseJson } from '../../core/support/json.ts';

/**
 * The purpose of a request. `tools` is a later request of a turn, with results of tool calls;
 * `provider:` is followed by the id of the requesting extension.
 */
export type RequestPurpose =
  | 'chat'
  | 'tools'
  | 'edit'
  | 'fix'
  | 'commit'
  | 'review'
  | 'shorten'
  | `provider:${string}`;

export interface RequestOrigin {
  readonly purpose: RequestPurpose;
  /** Id of the chat; empty outside chats. */
  readonly chat: string;
}

/**
 * `refused`: not sent, because another window used up the budget at the same time; `interrupted`:
 * its process ended, and another window wrote this line with an estimate
 */
export type LoggedOutcome = RequestOutcome | 'refused' | 'interrupted';

export interface PriceThen extends Price {
  readonly currency: string;
}

/** A line of the log, with everything about one request. */
export interface UsageRecord extends RequestOrigin {
  readonly id: string;
  readonly state: 'sent' | 'done';
  /** Time of sending, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Day of sending by the local calendar at that time, since time zones change. */
  readonly day: string;
  /** The origin of the service, for example `https://api.example.com`. */
  readonly service: string;
  readonly model: string;
  readonly workspace: string;
  /** The lease of the sending window. Absent in lines of earlier versions. */
  readonly holder?: string | undefined;
  readonly usage: Usage;
  /** Absent if it was unknown. */
  readonly price?: PriceThen | undefined;
  /** The demo is free, and counts in no sum. */
  readonly demo: boolean;
  /** Maximum usage. Counts in budgets until the request is done. */
  readonly reserve: RequestTokens;
  /** Milliseconds. */
  readonly duration?: number | undefined;
  /** Tokens of the reply beyond its reserve; absent if there are none. */
  readonly overrun?: number | undefined;
  readonly outcome?: LoggedOutcome | undefined;
}

/** Maximum stored characters of a name: names of models come from the service. */
const longestWord = 1000;
const count = z.number().check(z.minimum(0));
const word = z.string().check(z.maxLength(longestWord));

const storedRecord = z.object({
  id: word,
  state: z.enum(['sent', 'done']),
  at: z.number(),
  day: z.optional(z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))),
  service: word,
  model: word,
  workspace: z.string(),
  holder: z.optional(word.check(z.regex(/^[\w-]+$/))),
  chat: word,
  purpose: word,
  prompt: count,
  cached: count,
  completion: count,
  reasoning: z.optional(count),
  total: count,
  requests: count,
  estimated: z.boolean(),
  price: z.optional(
    z.object({ input: count, output: count, cachedInput: z.optional(count), currency: word }),
  ),
  demo: z.optional(z.boolean()),
  reserve: z.object({ prompt: count, reply: count }),
  duration: z.optional(count),
  overrun: z.optional(count),
  outcome: z.optional(word),
});

/** A record of any version: later ones may have other purposes and outcomes. */
export interface StoredUsage extends Omit<UsageRecord, 'purpose' | 'outcome'> {
  readonly purpose: string;
  readonly outcome?: string | undefined;
}

/**
 * True if another window wrote the line, with an estimate. A line of its own window replaces it.
 */
export function isInterrupted({ state, outcome }: StoredUsage): boolean {
  return state === 'done' && outcome === 'interrupted';
}

/** Tokens that a window may receive before it logs their number. */
export function unwrittenTokens({ total_tokens }: Usage): number {
  return Math.max(32, Math.ceil(total_tokens / 16));
}

/**
 * The end of a request whose process is gone: the usage of its last line, plus the maximum that may
 * have been received since.
 */
export function interruptedRecord(record: StoredUsage): StoredUsage {
  const { usage, reserve } = record;
  // Tokens before the next line, those of a line being written, and those in transit.
  const unwritten = 3 * unwrittenTokens(usage);
  const room = reserve.reply === 0 ? unwritten : reserve.reply - usage.completion_tokens;
  const added = Math.max(0, Math.min(unwritten, room));
  return {
    ...record,
    state: 'done',
    outcome: 'interrupted',
    usage: {
      ...usage,
      completion_tokens: usage.completion_tokens + added,
      total_tokens: usage.total_tokens + added,
      estimated: true,
    },
    reserve: { prompt: 0, reply: 0 },
  };
}

/** The line of a record, without a line break. */
export function writeUsageRecord(record: StoredUsage): string {
  const { usage, price, demo, reserve, duration, overrun, outcome, ...fields } = record;
  const { model, purpose } = record;
  return JSON.stringify({
    ...fields,
    model: model.slice(0, longestWord),
    purpose: purpose.slice(0, longestWord),
    prompt: usage.prompt_tokens,
    cached: usage.cached_tokens,
    completion: usage.completion_tokens,
    reasoning: usage.reasoning_tokens,
    total: usage.total_tokens,
    requests: usage.requests,
    estimated: usage.estimated,
    price,
    demo: demo ? true : undefined,
    reserve,
    duration,
    overrun,
    outcome,
  });
}

/**
 * Undefined for a damaged line, which affects no other line.
 *
 * @param day the default day, for lines of daily files
 */
export function readUsageRecord(line: string, day?: string): StoredUsage | undefined {
  const { data } = storedRecord.safeParse(parseJson(line));
  if (data === undefined) return undefined;
  const { prompt, cached, completion, reasoning, total, requests, estimated, ...fields } = data;
  const usage: Usage = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: total,
    cached_tokens: cached,
    ...(reasoning !== undefined && { reasoning_tokens: reasoning }),
    requests,
    estimated,
  };
  return {
    ...fields,
    day: data.day ?? day ?? localDay(data.at),
    demo: data.demo === true,
    usage,
  };
}

export function localDay(time: number): string {
  const date = new Date(time);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

/** The date a number of days later, or earlier. */
export function daysLater(day: string, days: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  // At noon, changes of the clock don't lead to another day.
  return localDay(new Date(year, month - 1, date + days, 12).getTime());
}

export function monthsLater(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return monthOf(localDay(new Date(year, number - 1 + months, 1, 12).getTime()));
}

/** The month of a date, for example `2030-01`. */
export function monthOf(day: string): string {
  return day.slice(0, 7);
}

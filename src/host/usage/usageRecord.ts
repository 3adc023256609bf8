/**
 * The lines of the usage log. A request has a `sent` line, written before it is sent, `running`
 * lines with what it has used so far, and a `used` line, which replaces them. They contain numbers
 * and names, but no text of chats.
 */
import { usageCost, type PriceThen, type Usage } from '../../core/conversation/usage.ts';
import { storedPrice } from '../../core/conversation/conversationSchema.ts';
import type { RequestTokens } from '../../core/service/budget.ts';
import type { RequestOutcome } from '../../core/service/requestUsage.ts';
import { isObject, parseJson, type JsonObject } from '../../core/support/json.ts';
import type { UsageRange } from '../../protocol/usageMessages.ts';

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

/** `refused`: not sent, as another window used up the budget, or the log couldn't be read. */
export type LoggedOutcome = RequestOutcome | 'refused';

/**
 * Everything about one request, as far as it is known. Later versions may write other purposes,
 * outcomes and changes, which are kept.
 */
export interface UsageRecord {
  readonly id: string;
  readonly state: 'sent' | 'used';
  /** Time of sending, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Day of sending by the local calendar at that time, since time zones change. */
  readonly day: string;
  /** The service's id, for example `https://api.example.com`. */
  readonly service: string;
  readonly model: string;
  readonly workspace: string;
  /** A {@link RequestPurpose}. */
  readonly purpose: string;
  /** Id of the chat; empty outside chats. */
  readonly chat: string;
  /** Id of the turn whose reply it is; absent outside turns. */
  readonly turn?: string | undefined;
  readonly usage: Usage;
  /** Absent if it was unknown. */
  readonly price?: PriceThen | undefined;
  /** The demo is free, and counts in no sum. */
  readonly demo: boolean;
  /** Maximum usage. Counts in budgets until the request has ended. */
  readonly reserve: RequestTokens;
  /** Estimated tokens at the start that the last request of the chat had, too. */
  readonly same?: number | undefined;
  /**
   * What differs from the last request of the chat, so that the service's cache has less of it:
   * `model`, `tools`, `instructions` or `messages`. Absent if the chat only grew.
   */
  readonly changed?: string | undefined;
  /** Milliseconds. */
  readonly duration?: number | undefined;
  /** Tokens of the reply beyond its reserve; absent if there are none. */
  readonly overrun?: number | undefined;
  /** A {@link LoggedOutcome}. */
  readonly outcome?: string | undefined;
}

/** What a request has used until a time. */
export interface UsageProgress {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly usage: Usage;
}

/** Maximum stored characters of a name: names of models come from the service. */
const longestWord = 1000;

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value.length <= longestWord;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Infinity;
}

function isCountOrAbsent(value: unknown): value is number | undefined {
  return value === undefined || isCount(value);
}

function usageIn(line: JsonObject): Usage | undefined {
  const { prompt, cached, written, completion, reasoning, retried, total } = line;
  const { requests, estimated, cost, billed } = line;
  if (!isCount(prompt) || !isCount(completion) || !isCount(total) || !isCount(cached))
    return undefined;
  if (!isCountOrAbsent(written) || !isCountOrAbsent(reasoning) || !isCountOrAbsent(retried))
    return undefined;
  if (!isCountOrAbsent(cost) || !isCountOrAbsent(billed) || !isCount(requests)) return undefined;
  const usage: Writable<Usage> = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: total,
    cached_tokens: cached,
    requests,
    estimated: estimated === true,
  };
  if (reasoning !== undefined) usage.reasoning_tokens = reasoning;
  if (written !== undefined) usage.written_tokens = written;
  if (retried !== undefined) usage.retried_tokens = retried;
  if (cost !== undefined) usage.cost = cost;
  if (billed !== undefined) usage.billed = billed;
  return usage;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Most prices are of a few rates, which need no schema. */
function priceIn(value: unknown): PriceThen | undefined {
  if (!isObject(value)) return undefined;
  const { input, output, cachedInput, currency } = value;
  if (!isCount(input) || !isCount(output) || !isWord(currency)) return undefined;
  const count = cachedInput === undefined ? 3 : 4;
  if (isCountOrAbsent(cachedInput) && Object.keys(value).length === count)
    return { input, output, cachedInput, currency };
  const { data } = storedPrice.safeParse(value);
  return data && { ...data, currency };
}

function countsOf(usage: Usage): Readonly<Record<string, unknown>> {
  return {
    prompt: usage.prompt_tokens,
    cached: usage.cached_tokens,
    written: usage.written_tokens,
    completion: usage.completion_tokens,
    reasoning: usage.reasoning_tokens,
    retried: usage.retried_tokens,
    total: usage.total_tokens,
    requests: usage.requests,
    estimated: usage.estimated,
    cost: usage.cost,
    billed: usage.billed,
  };
}

/** The line of a record, without a line break. Id and state come first, where readers look. */
export function writeUsageRecord({ usage, demo, ...record }: UsageRecord): string {
  const { id, state, model, purpose, reserve, turn, ...fields } = record;
  return JSON.stringify({
    id,
    state,
    ...fields,
    // A request that has ended reserves nothing, and its first line says of which turn it is.
    turn: state === 'sent' ? turn : undefined,
    reserve: state === 'sent' ? reserve : undefined,
    model: model.slice(0, longestWord),
    purpose: purpose.slice(0, longestWord),
    ...countsOf(usage),
    demo: demo ? true : undefined,
  });
}

export function writeProgress({ id, time, usage }: UsageProgress): string {
  return JSON.stringify({ id, state: 'running', time: Math.round(time), ...countsOf(usage) });
}

/**
 * Undefined for a damaged line, which affects no other line. Checked by hand, since a month may
 * have a hundred thousand lines, and zod takes ten times as long.
 *
 * @param day the default day, for lines of daily files
 */
export function readUsageRecord(line: string, day?: string): UsageRecord | undefined {
  const value = parseJson(line);
  if (!isObject(value)) return undefined;
  const { id, state, at, service, model, workspace, chat, turn, purpose } = value;
  const { demo, reserve, same, changed, duration, overrun, outcome } = value;
  if (state !== 'sent' && state !== 'used' && state !== 'done') return undefined;
  if (!isWord(id) || !isWord(service) || !isWord(model) || !isWord(chat) || !isWord(purpose))
    return undefined;
  if (typeof at !== 'number' || typeof workspace !== 'string') return undefined;
  const usage = usageIn(value);
  if (usage === undefined) return undefined;
  const { prompt, reply } = isObject(reserve) ? reserve : {};
  const record: Writable<UsageRecord> = {
    id,
    // Version 1.0 wrote `done`.
    state: state === 'sent' ? 'sent' : 'used',
    at,
    day: isDay(value['day']) ? value['day'] : (day ?? localDay(at)),
    service,
    model,
    workspace,
    chat,
    purpose,
    usage,
    price: priceIn(value['price']),
    demo: demo === true,
    reserve: { prompt: isCount(prompt) ? prompt : 0, reply: isCount(reply) ? reply : 0 },
  };
  if (isWord(turn)) record.turn = turn;
  if (isCount(same)) record.same = same;
  if (isWord(changed)) record.changed = changed;
  if (isCount(duration)) record.duration = duration;
  if (isCount(overrun)) record.overrun = overrun;
  if (isWord(outcome)) record.outcome = outcome;
  return record;
}

function isDay(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
}

export function readProgress(line: string): UsageProgress | undefined {
  const value = parseJson(line);
  if (!isObject(value)) return undefined;
  const { id, time } = value;
  const usage = usageIn(value);
  return isWord(id) && typeof time === 'number' && usage ? { id, time, usage } : undefined;
}

/** Tokens of a reply that a window receives before it logs them without waiting for the time. */
export const tokensPerLine = 256;

/**
 * Counts a request whose window is gone: what its last line says, and what it may have received
 * since. That is as much as between its last two lines, and half again.
 *
 * @param before the tokens of the reply in the line before the last one; undefined without one
 */
export function interrupted({ reserve, ...record }: UsageRecord, before?: number): UsageRecord {
  const { usage } = record;
  const most = 2 * tokensPerLine;
  const step = before === undefined ? most : 1.5 * (usage.completion_tokens - before) + 32;
  const room = reserve.reply === 0 ? Infinity : reserve.reply - usage.completion_tokens;
  const added = Math.max(0, Math.ceil(Math.min(most, step, room)));
  const counted = {
    ...usage,
    completion_tokens: usage.completion_tokens + added,
    total_tokens: usage.total_tokens + added,
    estimated: true,
  };
  const { price } = record;
  if (counted.cost !== undefined && price !== undefined)
    counted.cost += usageCost(counted, price) - usageCost(usage, price);
  return {
    ...record,
    state: 'used',
    outcome: 'interrupted',
    usage: counted,
    reserve: { prompt: 0, reply: 0 },
  };
}

/**
 * True if version 1.0 ended the request of another window, with an estimate. A line of its own
 * window replaces it.
 */
export function isInterrupted({ state, outcome }: UsageRecord): boolean {
  return state === 'used' && outcome === 'interrupted';
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

/** The first day of a range; empty if it has no start. */
export function firstDay(range: UsageRange, today: string): string {
  const month = monthOf(today);
  const first: Readonly<Record<UsageRange, string>> = {
    '7days': daysLater(today, -6),
    '30days': daysLater(today, -29),
    month: `${month}-01`,
    '12months': `${monthsLater(month, -11)}-01`,
    all: '',
  };
  return first[range];
}

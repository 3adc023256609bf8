import * as z from 'zod/mini';
import { request, type ParametersOf, type ResultsOf } from './request.ts';

/** Ranges of the usage page: calendar days and months, including today and this month. */
export const usageRanges = ['7days', '30days', 'month', '12months', 'all'] as const;
export type UsageRange = (typeof usageRanges)[number];

export interface UsageAmounts {
  readonly prompt: number;
  /** The part of the prompt that came from the service's cache. */
  readonly cached: number;
  readonly completion: number;
  /** The part of the completion that is reasoning. */
  readonly reasoning: number;
  readonly total: number;
  readonly requests: number;
  /** True if any part is an estimate. */
  readonly estimated: boolean;
  /** Costs by currency, at the prices of the time. */
  readonly costs: readonly Cost[];
  /** True if the price of some requests is unknown. */
  readonly unpriced: boolean;
}

export interface Cost {
  readonly currency: string;
  readonly amount: number;
}

/**
 * What tokens were for: new text, text of the last request that was sent again without the cache,
 * text that was written to the cache or read from it, the reply, its reasoning, and attempts that
 * broke.
 */
export const usageCauses = [
  'new',
  'again',
  'written',
  'cached',
  'reply',
  'reasoning',
  'retries',
] as const;
export type UsageCause = (typeof usageCauses)[number];

/**
 * Why the cache had less of a request: another model, other tools, instructions or earlier messages,
 * a long time since the last one, a service that reports no cache, or for its own reasons.
 */
export type CacheMiss =
  | 'model'
  | 'tools'
  | 'instructions'
  | 'messages'
  | 'old'
  | 'unreported'
  | 'service';

/** What a reply cost. */
export interface ReplyCost {
  readonly currency: string;
  readonly language: string;
  readonly requests: number;
  readonly tokens: number;
  /** True if any part is an estimate. */
  readonly estimated: boolean;
  /** At the prices of the time; absent if one is unknown. */
  readonly cost?: number;
  /** True if a price has fees that aren't understood, so that the cost is at least this. */
  readonly isPartial: boolean;
  /** US dollars that the service said it billed. */
  readonly billed?: number;
  /** True if the billed amount differs from the cost by more than a twentieth. */
  readonly differs: boolean;
  /** Tokens by cause; without costs if a price is unknown. */
  readonly rows: readonly ReplyCostRow[];
  readonly misses: readonly CacheMiss[];
}

interface ReplyCostRow {
  readonly cause: UsageCause;
  readonly tokens: number;
  readonly cost?: number;
}

/** Tokens that were sent or received for one reason, with their cost. */
export interface CauseRow {
  readonly cause: UsageCause;
  readonly tokens: number;
  readonly costs: readonly Cost[];
}

/** A row of a table: a model, a workspace, a chat or a purpose. */
export interface UsageRow extends UsageAmounts {
  /** A model id, the address of a workspace, the id of a chat, or a word; empty if there is none. */
  readonly key: string;
  /** Title of a chat; undefined for other rows, and while the titles are read. */
  readonly title?: string | undefined;
  /** True if it is a chat that is no longer saved. */
  readonly isDeleted?: boolean | undefined;
}

export interface UsageBar extends UsageAmounts {
  /** The day, month or year: `2030-01-31`, `2030-01` or `2030`. */
  readonly key: string;
  /** Tokens of each of the chart's models, then those of all others. */
  readonly parts: readonly number[];
}

export interface ShownBudget {
  readonly unit: 'tokens' | 'money';
  readonly limit: number;
  readonly remaining: number;
}

/** The usage of a time, or of the open chat. */
export interface UsageTile extends UsageAmounts {
  readonly of: 'today' | 'month' | 'session' | 'chat';
  /** Requests to the demo, which the other numbers and the budget exclude; undefined if there are none. */
  readonly demo?: UsageAmounts | undefined;
  readonly budget?: ShownBudget | undefined;
}

export interface UsageTables {
  readonly models: readonly UsageRow[];
  readonly workspaces: readonly UsageRow[];
  readonly chats: readonly UsageRow[];
  readonly purposes: readonly UsageRow[];
}

/** The usage of one range. */
export interface RangeUsage {
  /** True if bars, total and tables show the demo, because the range has nothing else. */
  readonly isDemo: boolean;
  /** The models of the chart, those with the most tokens first. */
  readonly models: readonly string[];
  readonly bars: readonly UsageBar[];
  readonly causes: readonly CauseRow[];
  /** The sum of the bars, and of each table. */
  readonly total: UsageAmounts;
  readonly tables: UsageTables;
  /** Number of rows that each table omits, because there are too many. */
  readonly leftOut: Readonly<Record<keyof UsageTables, number>>;
  /** Requests to the demo by model, if the numbers above exclude them. */
  readonly demo: readonly UsageRow[];
}

export interface UsageOverview extends RangeUsage {
  readonly range: UsageRange;
  /** VS Code's display language, for numbers and dates. */
  readonly language: string;
  readonly currency: string;
  /** True if nothing was ever sent, not even to the demo. */
  readonly isEmpty: boolean;
  readonly tiles: readonly UsageTile[];
}

/** The requests of the page. Untrusted until parsed. */
export const usageCall = z.discriminatedUnion('name', [
  /** The first request, with the range that the page showed before it was hidden. */
  request('ready', { range: z.optional(z.enum(usageRanges)) }),
  request('show', { range: z.enum(usageRanges) }),
  request('run', { command: z.enum(['exportUsage', 'deleteUsage', 'setBudget', 'resetUsage']) }),
  request('open-chat', { id: z.string().check(z.regex(/^[\w-]{1,100}$/)) }),
]);
export type UsageRequests = ParametersOf<z.infer<typeof usageCall>>;
export type UsageResults = ResultsOf<UsageRequests, unknown>;

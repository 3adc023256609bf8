import * as z from 'zod/mini';
import type { Usage } from '../core/conversation/usage.ts';
import { call, type ParametersOf, type ResultsOf } from './call.ts';

/** Ranges of the usage page: calendar days and months, including today and this month. */
export const usageRanges = ['7days', '30days', 'month', '12months', 'all'] as const;
export type UsageRange = (typeof usageRanges)[number];

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
  readonly rows: readonly {
    readonly cause: UsageCause;
    readonly tokens: number;
    readonly cost?: number;
  }[];
  readonly misses: readonly CacheMiss[];
}

/** The sum of some requests: a row of a table, a bar, a tile or a total. */
export interface UsageRow extends Usage {
  /**
   * A model id, the address of a workspace, the id of a chat, a word, a day (`2030-01-31`) or a
   * month (`2030-01`); empty if there is none.
   */
  readonly key: string;
  /** Costs by currency, at the prices of the time. */
  readonly costs: readonly (readonly [currency: string, amount: number])[];
  /** True if the price of some requests is unknown. */
  readonly unpriced: boolean;
  /** What the tokens of a cause were for; undefined for other rows. */
  readonly cause?: UsageCause | undefined;
  /** Title of a chat; undefined for other rows, and while the titles are read. */
  readonly title?: string | undefined;
  /** True if it is a chat that is no longer saved. */
  readonly isDeleted?: boolean | undefined;
}

/** The usage of a day or a month. */
export interface UsageBar extends UsageRow {
  /** Tokens of each of the chart's models, then those of all others. */
  readonly parts: readonly number[];
}

/** The usage of a time, or of the open chat. */
export interface UsageTile extends UsageRow {
  readonly key: 'today' | 'month' | 'session' | 'chat';
  /** Requests to the demo, which the other numbers and the budget exclude; undefined if there are none. */
  readonly demo?: UsageRow | undefined;
  readonly budget?:
    | { readonly unit: 'tokens' | 'money'; readonly limit: number; readonly remaining: number }
    | undefined;
}

export interface UsageTable {
  /** `demo` has the models of the demo, if the other numbers exclude it. */
  readonly of: 'causes' | 'models' | 'workspaces' | 'chats' | 'purposes' | 'demo';
  /** Those with the most tokens, in order of them; causes in their own order. */
  readonly rows: readonly UsageRow[];
  /** Number of further rows, which the total includes. */
  readonly leftOut: number;
}

/** The state of the page. */
export interface UsageOverview {
  readonly range: UsageRange;
  /** VS Code's display language, for numbers and dates. */
  readonly language: string;
  readonly currency: string;
  /** True if nothing was ever sent, not even to the demo. */
  readonly isEmpty: boolean;
  readonly tiles: readonly UsageTile[];
  /** True if bars, total and tables show the demo, because the range has nothing else. */
  readonly isDemo: boolean;
  /** The models of the chart, those with the most tokens first. */
  readonly models: readonly string[];
  readonly bars: readonly UsageBar[];
  /** The sum of the bars, and of each table except the demo's. */
  readonly total: UsageRow;
  readonly tables: readonly UsageTable[];
}

/** The calls of the page. Untrusted until parsed. */
export const usageCall = z.discriminatedUnion('name', [
  /** The first call, with the range that the page showed before it was hidden. */
  call('ready', { range: z.optional(z.enum(usageRanges)) }),
  call('show', { range: z.enum(usageRanges) }),
  call('run', { command: z.enum(['exportUsage', 'deleteUsage', 'setBudget', 'resetUsage']) }),
  call('open-chat', { id: z.string().check(z.regex(/^[\w-]{1,100}$/)) }),
]);
export type UsageCalls = ParametersOf<z.infer<typeof usageCall>>;
export type UsageResults = ResultsOf<UsageCalls, unknown>;

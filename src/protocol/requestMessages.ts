import * as z from 'zod/mini';
import {
  longestPartKey,
  mostChoices,
  type PartChoice,
  type RequestPartKind,
} from '../core/conversation/partChoices.ts';
import type { Price } from '../core/conversation/usage.ts';
import { call, type ParametersOf, type ResultsOf } from './call.ts';

/** A part of the next request, without its text. */
export interface ShownRequestPart {
  readonly kind: RequestPartKind;
  /** Name of the tool, file, attachment or option; empty for other parts. */
  readonly name: string;
  /** Beginning of a message or a reply; undefined for other parts. */
  readonly beginning?: string | undefined;
  /** Tokens that are sent: 0 for a part that is not sent. */
  readonly tokens: number;
  /** Number of its first tokens that the service probably has in its cache. */
  readonly cached: number;
  /** The id of an attachment of the draft, which can be removed. */
  readonly removable?: string | undefined;
  /** Reason why it is not sent: the person excluded it, or it is too old for the context window. */
  readonly unsent?: 'left-out' | 'room' | undefined;
  /** Tokens of a part that isn't sent; undefined for other parts. */
  readonly unsentTokens?: number | undefined;
  /** Key used to pin or exclude this part. Undefined for parts that are always sent. */
  readonly choiceKey?: string | undefined;
  readonly choice?: PartChoice | undefined;
}

/** The part of the next request that the service probably has in its cache. */
interface ShownCache {
  readonly basis: 'first' | 'model' | 'unreported' | 'known';
  readonly tokens: number;
  /** Cached tokens that the service reported for the last request. */
  readonly reported: number;
  /** Index of the part at which the request differs from the last one. */
  readonly brokenAt?: number | undefined;
  /** Tokens that are no longer in the cache because of that, and their additional cost. */
  readonly lost: number;
  readonly lostCost?: number | undefined;
}

/** Everything that the tab with the next request shows. All numbers are estimates. */
export interface RequestOverview {
  /** VS Code's display language, for numbers. */
  readonly language: string;
  readonly currency: string;
  /** Title of the chat; empty for a new one. */
  readonly title: string;
  readonly model: string;
  readonly tokens: number;
  readonly contextWindow?: number | undefined;
  readonly price?: Price | undefined;
  /** Parts in the order in which the service reads them. */
  readonly parts: readonly ShownRequestPart[];
  readonly cache: ShownCache;
  /** True if pinned parts leave no room for the reply in the context window. */
  readonly isPinnedTooLong: boolean;
  /** The body and the command that sends it, or their beginnings. */
  readonly json: string;
  readonly curl: string;
  /** True if `json` and `curl` are complete. */
  readonly isWhole: boolean;
}

export interface PartText {
  readonly text: string;
  readonly isWhole: boolean;
}

/** What the page shows: the next request, or why there is none. */
export type RequestPageState = RequestOverview | { readonly unavailable: string };

const partKeys = z
  .array(z.string().check(z.maxLength(longestPartKey)))
  .check(z.maxLength(mostChoices));
const part = z.int().check(z.minimum(0));

/** The calls of the page. Untrusted until parsed. */
export const requestPageCall = z.discriminatedUnion('name', [
  call('ready', {}),
  call('read', { part }),
  call('show-all', { part }),
  call('copy', { format: z.enum(['json', 'curl']) }),
  call('open-text', {}),
  /** The host takes no other keys than those of the parts that it listed. */
  call('choose', { parts: partKeys, choice: z.optional(z.enum(['left-out', 'pinned'])) }),
  call('remove', { id: z.string().check(z.maxLength(200)) }),
]);
export type RequestPageCalls = ParametersOf<z.infer<typeof requestPageCall>>;
/** `read` results in undefined for a part that is no longer there. */
export type RequestPageResults = ResultsOf<
  RequestPageCalls,
  { readonly read: PartText | undefined }
>;

import * as z from 'zod/mini';
import { longestPartKey, mostChoices, type PartChoice } from '../core/conversation/partChoices.ts';
import type { Price } from '../core/conversation/usage.ts';

/** What a part of a request is; an option is any field but the messages and the tools. */
export type ShownPartKind =
  | 'tool'
  | 'system'
  | 'custom'
  | 'instructions'
  | 'attachment'
  | 'image'
  | 'summary'
  | 'message'
  | 'reply'
  | 'call'
  | 'result'
  | 'option';

/** A part of the next request, without its text. */
export interface ShownRequestPart {
  readonly kind: ShownPartKind;
  /** Of the tool, the file, the attachment or the option; empty for the others. */
  readonly name: string;
  /** How a message or a reply begins; absent for others. */
  readonly beginning?: string | undefined;
  /** Of what is sent: 0 for a part that is not. */
  readonly tokens: number;
  /** The first tokens of the part, which the service probably has in its cache. */
  readonly cached: number;
  /** The id of an attachment of the draft, which can be removed. */
  readonly removable?: string | undefined;
  /** Why it is not sent: the person left it out, or it is too old for the context window. */
  readonly unsent?: 'left-out' | 'room' | undefined;
  /** The tokens that it would have if it were sent; absent for a part that is. */
  readonly unsentTokens?: number | undefined;
  /** By which it is left out or pinned; absent where there is nothing to choose. */
  readonly choiceKey?: string | undefined;
  readonly choice?: PartChoice | undefined;
}

/** What of the next request the service probably has in its cache. */
interface ShownCache {
  readonly basis: 'first' | 'model' | 'unreported' | 'known';
  readonly tokens: number;
  /** Cached tokens that the service reported for the last request. */
  readonly reported: number;
  /** Index of the part at which the request differs from the last one. */
  readonly brokenAt?: number | undefined;
  /** Tokens that are no longer in the cache because of that, and what they cost more. */
  readonly lost: number;
  readonly lostCost?: number | undefined;
}

/** Everything that the tab with the next request shows. All numbers are estimates. */
export interface RequestOverview {
  /** VS Code's display language, for numbers. */
  readonly language: string;
  readonly currency: string;
  /** Of the chat; empty for a new one. */
  readonly title: string;
  readonly model: string;
  readonly tokens: number;
  readonly contextWindow?: number | undefined;
  readonly price?: Price | undefined;
  /** In the order in which the service reads them. */
  readonly parts: readonly ShownRequestPart[];
  readonly cache: ShownCache;
  /** What is pinned leaves no room for the reply in the context window. */
  readonly isPinnedTooLong: boolean;
  /** The body and the command that sends it, or their beginnings. */
  readonly json: string;
  readonly curl: string;
  /** Whether `json` and `curl` are complete. */
  readonly isWhole: boolean;
}

/** Messages from the host to the page. The page trusts these types. */
export type RequestHostMessage =
  | { readonly type: 'request'; readonly request: RequestOverview }
  /** There is no request to show, and why. */
  | { readonly type: 'unavailable'; readonly reason: string }
  /** The text of a part, or its beginning. */
  | {
      readonly type: 'text';
      readonly part: number;
      readonly text: string;
      readonly isWhole: boolean;
    };

const partKeys = z
  .array(z.string().check(z.maxLength(longestPartKey)))
  .check(z.maxLength(mostChoices));
const part = z.int().check(z.minimum(0));

/** Messages from the page, as the host reads them. */
export const requestViewMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('read'), part }),
  z.strictObject({ type: z.literal('show-all'), part }),
  z.strictObject({ type: z.literal('copy'), what: z.enum(['json', 'curl']) }),
  z.strictObject({ type: z.literal('open-text') }),
  /** The host takes no other keys than those of the parts that it listed. */
  z.strictObject({
    type: z.literal('choose'),
    parts: partKeys,
    choice: z.optional(z.enum(['left-out', 'pinned'])),
  }),
  z.strictObject({ type: z.literal('remove'), id: z.string().check(z.maxLength(200)) }),
]);
export type RequestViewMessage = z.infer<typeof requestViewMessage>;

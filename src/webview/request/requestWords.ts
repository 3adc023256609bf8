import type { RequestPartKind } from '../../core/conversation/partChoices.ts';
import * as l10n from '@vscode/l10n';
import {
  estimatedMoney,
  formatMoney,
  usageCost,
  zeroUsage,
} from '../../core/conversation/usage.ts';
import { counted } from '../../core/support/counted.ts';
import { numberText } from '../usage/tabPage.tsx';
import type { RequestOverview, ShownRequestPart } from '../../protocol/requestMessages.ts';

export interface PartGroup {
  readonly name: string;
  readonly kinds: readonly RequestPartKind[];
}

/** Groups of the bar, in order of the colors. */
export function partGroups(): readonly PartGroup[] {
  return [
    { name: l10n.t('Tools'), kinds: ['tool'] },
    { name: l10n.t('Attachments'), kinds: ['attachment', 'image'] },
    { name: l10n.t('Messages'), kinds: ['message', 'summary'] },
    { name: l10n.t('Replies'), kinds: ['reply', 'call'] },
    { name: l10n.t('Tool results'), kinds: ['result'] },
    { name: l10n.t('System and instructions'), kinds: ['system', 'custom', 'instructions'] },
  ];
}

/** The color of a part; undefined for options, which have no tokens. */
export function colorOfPart(kind: RequestPartKind): number | undefined {
  const index = partGroups().findIndex(({ kinds }) => kinds.includes(kind));
  return index < 0 ? undefined : index;
}

/** Keys that identify the parts in a later request. */
export function partKeys(parts: readonly ShownRequestPart[]): readonly string[] {
  const counts = new Map<string, number>();
  return parts.map(({ kind, name }) => {
    const key = `${kind} ${name}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return `${key} ${count}`;
  });
}

/** Number, tokens and cost of the excluded parts; undefined if there are none. */
export function leftOutText(request: RequestOverview): string | undefined {
  const excluded = request.parts.filter(({ unsent }) => unsent === 'left-out');
  if (excluded.length === 0) return undefined;
  const all = excluded.reduce((sum, part) => sum + unsentTokens(part), 0);
  const tokens = numberText(all, request, true);
  const cost = costOf({ tokens: all, cached: 0 }, request);
  return cost === undefined
    ? l10n.t('Excluded parts: {0}, {1} tokens', numberText(excluded.length, request), tokens)
    : l10n.t(
        'Excluded parts: {0}, {1} tokens, {2}',
        numberText(excluded.length, request),
        tokens,
        cost,
      );
}

function unsentTokens({ tokens, unsentTokens: whole = 0 }: ShownRequestPart): number {
  return Math.max(0, whole - tokens);
}

/** Only parts that can become too old can be pinned. */
export function canBePinned({ kind, unsent }: ShownRequestPart): boolean {
  const isOld = ['message', 'attachment', 'image', 'result'].includes(kind);
  return isOld && unsent !== 'left-out';
}

/** Name of a part without the rest of its row. */
export function fullName({ kind, name, beginning = '' }: ShownRequestPart): string {
  if (kind === 'message') return l10n.t('Message with its reply, {0}', beginning);
  return name === '' ? kindText(kind) : name;
}

/** Kind of a part, without its name. */
export function kindText(kind: RequestPartKind): string {
  const words: Readonly<Record<RequestPartKind, string>> = {
    tool: l10n.t('Tool'),
    system: l10n.t('System message'),
    custom: l10n.t('Custom instructions'),
    instructions: l10n.t('Instructions'),
    attachment: l10n.t('Attachment'),
    image: l10n.t('Image'),
    summary: l10n.t('Summary of earlier messages'),
    message: l10n.t('Message'),
    reply: l10n.t('Reply'),
    call: l10n.t('Tool call'),
    result: l10n.t('Tool result'),
    option: l10n.t('Option'),
  };
  return words[kind];
}

/** The estimated cost of prompt tokens; undefined if the price is unknown. */
export function costOf(
  { tokens, cached }: { readonly tokens: number; readonly cached: number },
  { price, currency, language }: RequestOverview,
): string | undefined {
  if (price === undefined) return undefined;
  const usage = { ...zeroUsage, prompt_tokens: tokens, cached_tokens: cached };
  const write = tokens === 0 ? formatMoney : estimatedMoney;
  return write(usageCost(usage, price), currency, language);
}

/** Reason why the cached tokens are unknown, or source of their number. */
export function cacheText({ cache, language }: RequestOverview): string {
  switch (cache.basis) {
    case 'first':
      return l10n.t('Unknown before the first reply');
    case 'model':
      return l10n.t('Unknown: the last message went to another model');
    case 'unreported':
      return l10n.t("Unknown: the service didn't report it for the last request");
    case 'known':
      return l10n.t(
        'The service reported {0} for the last request',
        cache.reported.toLocaleString(language),
      );
  }
}

/** First difference from the last request, and its cost; undefined if the request only appends. */
export function breakText(request: RequestOverview): string | undefined {
  const { cache, parts, currency, language } = request;
  const part = cache.brokenAt === undefined ? undefined : parts[cache.brokenAt];
  const after = parts
    .slice(cache.brokenAt)
    .filter(({ kind, unsent }) => kind !== 'option' && unsent === undefined);
  // The next message is always new.
  if (part === undefined || (part.unsent === undefined && after.length <= 1)) return undefined;
  const name = part.name === '' ? kindText(part.kind) : `${kindText(part.kind)} ${part.name}`;
  const where = l10n.t('Changed since the last request: {0}. The cache ends there.', name);
  if (cache.lost === 0) return where;
  const loss =
    cache.lostCost === undefined
      ? counted(l10n.t('About {0} tokens are no longer cached.'), cache.lost, language)
      : counted(
          l10n.t('About {0} tokens are no longer cached, which costs {1} more.'),
          cache.lost,
          language,
          cache.lost.toLocaleString(language),
          formatMoney(cache.lostCost, currency, language),
        );
  return `${where} ${loss}`;
}

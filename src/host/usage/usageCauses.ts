/** What tokens were sent and received for, in the log and for one reply. */
import type { Turn } from '../../core/conversation/conversation.ts';
import {
  addUsage,
  currencyOfServices,
  ratesAt,
  tokensPerPrice,
  usageCost,
  zeroUsage,
  type Rates,
} from '../../core/conversation/usage.ts';
import { usageCauses } from '../../protocol/usageMessages.ts';
import type { CacheMiss, ReplyCost, UsageCause } from '../../protocol/usageMessages.ts';
import type { UsageLog } from './usageLog.ts';
import { localDay, monthOf, type UsageRecord } from './usageRecord.ts';
import { costOf, type UsageContext } from './usageByModel.ts';

interface CauseAmount {
  tokens: number;
  /** In units of the currency; 0 where the price was unknown. */
  cost: number;
}

export type Causes = Readonly<Record<UsageCause, CauseAmount>>;

export function noCauses(): Causes {
  const none = (): CauseAmount => ({ tokens: 0, cost: 0 });
  return {
    new: none(),
    again: none(),
    written: none(),
    cached: none(),
    reply: none(),
    reasoning: none(),
    retries: none(),
  };
}

/** Adds the tokens of a request by cause, which add up to its total, with their cost. */
export function addCauses(causes: Causes, { usage, price, same = 0 }: UsageRecord): void {
  const { prompt_tokens, cached_tokens, completion_tokens } = usage;
  const { reasoning_tokens = 0, written_tokens = 0, retried_tokens = 0 } = usage;
  const averagePrompt = prompt_tokens / Math.max(1, usage.requests);
  const rates = price === undefined ? noRates : ratesAt(price, averagePrompt);
  const { input, output, cachedInput = input, cacheWrite = input, reasoning = output } = rates;
  const cached = Math.min(cached_tokens, prompt_tokens);
  // Attempts that broke count first, and mostly for their prompt.
  const retriedPrompt = Math.min(retried_tokens, prompt_tokens - cached);
  const retriedReply = Math.min(retried_tokens - retriedPrompt, completion_tokens);
  const sent = prompt_tokens - cached - retriedPrompt;
  const again = Math.min(sent, Math.max(0, same - cached));
  const written = Math.min(sent - again, written_tokens);
  const thought = Math.min(reasoning_tokens, completion_tokens - retriedReply);
  add(causes.retries, retriedPrompt, input);
  add(causes.retries, retriedReply, output);
  add(causes.new, sent - again - written, input);
  add(causes.again, again, input);
  add(causes.written, written, cacheWrite);
  add(causes.cached, cached, cachedInput);
  add(causes.reply, completion_tokens - retriedReply - thought, output);
  add(causes.reasoning, thought, reasoning);
}

function add(amount: CauseAmount, tokens: number, rate: number): void {
  amount.tokens += tokens;
  amount.cost += (tokens * rate) / tokensPerPrice;
}

const noRates: Rates = { input: 0, output: 0 };

/** Milliseconds after which services usually drop what they cached of a request. */
const cacheTime = 5 * 60_000;

/** Tokens sent again without the cache that need no reason: caches hold whole blocks of text. */
const usualLoss = 1024;

/** Share by which a billed amount differs from the computed one before that is said. */
const usualDifference = 0.05;

/**
 * What a reply cost, and why less of it came from the cache than could: by the lines of its requests
 * in the log, or by its usage if the log has none.
 *
 * @param chat id of its chat
 */
export async function replyCost(
  turn: Turn,
  chat: string,
  log: Pick<UsageLog, 'requests'>,
  context: UsageContext,
): Promise<ReplyCost> {
  const times = [turn.startedAt, turn.endedAt ?? turn.startedAt];
  const ofChat: UsageRecord[] = [];
  for (const month of new Set(times.map((at) => monthOf(localDay(at)))))
    ofChat.push(...(await log.requests(month, chat)));
  const logged = ofChat.filter((request) => request.turn === turn.id);
  const requests = logged.length > 0 ? logged : [recordOf(turn, context)];
  const usage = requests.map((request) => request.usage).reduce(addUsage, zeroUsage);
  const costs = requests.map((request) =>
    request.price === undefined ? undefined : usageCost(request.usage, request.price),
  );
  const isPriced = costs.every((cost) => cost !== undefined);
  const computed = costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  const cost = isPriced ? computed : costOf(turn.model, usage, context);
  const { billed } = usage;
  const misses = requests.flatMap((request) => missOf(request, ofChat) ?? []);
  const causes = noCauses();
  for (const request of requests) addCauses(causes, request);
  return {
    currency: requests[0]?.price?.currency ?? context.currency,
    language: context.language,
    requests: usage.requests,
    estimated: usage.estimated,
    isPartial: requests.some(({ price }) => price?.isPartial === true),
    rows: usageCauses
      .map((cause) => ({
        cause,
        tokens: causes[cause].tokens,
        ...(isPriced && { cost: causes[cause].cost }),
      }))
      .filter(({ tokens }) => tokens > 0),
    tokens: usage.total_tokens,
    ...(cost !== undefined && { cost }),
    ...(billed !== undefined && { billed }),
    differs:
      billed !== undefined &&
      isPriced &&
      Math.abs(billed - computed) > usualDifference * Math.max(billed, computed),
    misses: [...new Set(misses)],
  };
}

/** Why much of what the last request of the chat had was sent again without the cache. */
function missOf(request: UsageRecord, ofChat: readonly UsageRecord[]): CacheMiss | undefined {
  const { usage, at, changed } = request;
  if (changed === 'model') return 'model';
  const before = ofChat.findLast((other) => other.at < at && other.id !== request.id);
  if (before === undefined) return undefined;
  // Without a change, everything before the newest message was in the last request.
  const could = changed === undefined ? (request.same ?? 0) : before.usage.prompt_tokens;
  if (could - usage.cached_tokens <= usualLoss) return undefined;
  if (changed === 'tools' || changed === 'instructions' || changed === 'messages') return changed;
  const isSilent = ofChat.every((other) => other.usage.cached_tokens === 0);
  if (isSilent) return 'unreported';
  return at - before.at - (before.duration ?? 0) > cacheTime ? 'old' : 'service';
}

/** A reply from before turns were in the log, as one request. */
function recordOf(
  { id, model, startedAt: at, usage = zeroUsage }: Turn,
  { priceOf, currency }: UsageContext,
): UsageRecord {
  const price = priceOf(model);
  return {
    id,
    state: 'used',
    at,
    day: localDay(at),
    service: '',
    model,
    workspace: '',
    chat: '',
    purpose: 'chat',
    usage,
    ...(price !== undefined && { price: { ...price, currency } }),
    demo: false,
    reserve: { prompt: 0, reply: 0 },
  };
}

/** The currency of a request's cost; empty if its price was unknown. */
export function currencyOf({ usage, price }: UsageRecord): string {
  if (price !== undefined) return price.currency;
  return usage.cost === undefined ? '' : currencyOfServices;
}

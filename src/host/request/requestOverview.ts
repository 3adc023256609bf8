import { requestCurl, requestJson } from '../../core/attachments/requestText.ts';
import type { Redactor } from '../../core/support/redact.ts';
import { oneLine, revealInvisible, truncateText } from '../../core/support/text.ts';
import { costOfLoss, estimateCache, tokensOfParts } from '../../core/turn/cacheEstimate.ts';
import type { RequestPart } from '../../core/turn/requestParts.ts';
import type { RequestOverview, ShownRequestPart } from '../../protocol/requestMessages.ts';
import type { RequestPlan } from '../chat/nextTurn.ts';
import { settingsOfModel, type SettingValues } from '../settingValues.ts';

/** Characters of the JSON and of a part that are shown in the tab: a page draws no megabytes. */
const mostCharacters = 20_000;

/** The next request, where it would go, and what is known of the model. */
export interface NextRequest extends RequestPlan {
  readonly title: string;
  /** Of the service, up to and including its version. */
  readonly address: string;
  /** Ids of the attachments of the draft. */
  readonly attachments: ReadonlySet<string>;
  readonly settings: SettingValues;
}

interface OverviewOptions {
  /** VS Code's display language. */
  readonly language: string;
  readonly tokensOf: (characters: number) => number;
  readonly redactor: Pick<Redactor, 'redact'>;
}

/** What the tab shows of a request, without any known key. */
export function requestOverview(plan: NextRequest, options: OverviewOptions): RequestOverview {
  const { language, tokensOf, redactor } = options;
  const { request, parts, last, title, address, settings } = plan;
  const { contextWindow, price, extraHeaders } = settingsOfModel(settings, request.model);
  const cache = estimateCache(request.model, parts, last, tokensOf);
  const shown = shownParts(plan, cache.tokens, options);
  const json = redactor.redact(requestJson(request));
  const curl = redactor.redact(requestCurl(request, address, extraHeaders));
  return {
    language,
    currency: settings.currency,
    title: oneLine(redactor.redact(title)),
    model: oneLine(redactor.redact(request.model)),
    tokens: shown.reduce((sum, { tokens }) => sum + tokens, 0),
    contextWindow,
    price,
    parts: shown,
    cache: { ...cache, lostCost: costOfLoss(cache.lost, price) },
    json: truncateText(json, mostCharacters),
    curl: truncateText(curl, mostCharacters),
    isWhole: json.length <= mostCharacters && curl.length <= mostCharacters,
  };
}

/** The cached tokens are the first ones. */
function shownParts(
  { parts, attachments }: NextRequest,
  cachedTokens: number,
  { tokensOf, redactor }: OverviewOptions,
): readonly ShownRequestPart[] {
  const counts = tokensOfParts(parts, tokensOf);
  const newest = parts.findLast(({ kind }) => kind === 'message')?.message;
  let left = cachedTokens;
  return parts.map(({ kind, name, id, message, text }, index) => {
    const tokens = counts[index] ?? 0;
    const cached = Math.min(left, tokens);
    left -= cached;
    const isOfDraft = kind === 'attachment' && message === newest && attachments.has(id);
    const shownName = oneLine(redactor.redact(name));
    const beginning = isProse(kind) ? beginningOf(text, redactor) : undefined;
    return {
      kind,
      name: shownName,
      beginning,
      tokens,
      cached,
      ...(isOfDraft ? { removable: id } : {}),
    };
  });
}

function isProse(kind: RequestPart['kind']): boolean {
  return kind === 'message' || kind === 'reply';
}

/** Enough of a text for the longest key that begins in what is shown of it. */
const lookedAt = 2000;

function beginningOf(text: string, { redact }: Pick<Redactor, 'redact'>): string {
  return oneLine(redact(truncateText(text, lookedAt)), 60);
}

/** The text of a part, or its beginning, with nothing unseen and no key in it. */
export function partText(
  part: RequestPart,
  redactor: Pick<Redactor, 'redact'>,
): { readonly text: string; readonly isWhole: boolean } {
  const text = redactor.redact(part.text).trim();
  const beginning = truncateText(text, mostCharacters);
  return { text: revealInvisible(beginning).text, isWhole: text.length <= mostCharacters };
}

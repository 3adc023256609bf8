import { requestCurl, requestJson } from '../../core/attachments/requestText.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { readImageUrl } from '../../core/support/image.ts';
import type { Redactor } from '../../core/support/redact.ts';
import { oneLine, revealInvisible, truncateText } from '../../core/support/text.ts';
import { costOfLoss, estimateCache, tokensOfParts } from '../../core/turn/cacheEstimate.ts';
import { brokenPart, type ListedPart } from '../../core/turn/listedParts.ts';
import type { RequestPart } from '../../core/turn/requestParts.ts';
import type { RequestOverview, ShownRequestPart } from '../../protocol/requestMessages.ts';
import type { RequestPlan } from '../chat/nextTurn.ts';
import { settingsOfModel, type SettingValues } from '../settingValues.ts';

/** Characters of the JSON and of a part that are shown in the tab: a page draws no megabytes. */
const mostCharacters = 20_000;

/** The next request, where it would go, and what is known of the model. */
export interface NextRequest extends RequestPlan {
  readonly title: string;
  /** As it is written; the request has the id that its service knows. */
  readonly model: string;
  /** Of the service, up to and including its version. */
  readonly address: string;
  /** Ids of the attachments of the draft. */
  readonly attachments: ReadonlySet<string>;
  readonly settings: SettingValues;
  /** Whether this window may change the chat, and with it what is left out. */
  readonly mayChoose: boolean;
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
  const { request, model, parts, listed, last, room, title, address, settings } = plan;
  const { contextWindow, price, extraHeaders } = settingsOfModel(settings, model);
  const cache = estimateCache(model, parts, last, tokensOf);
  const { brokenAt } = cache;
  const broken = brokenAt === undefined ? -1 : brokenPart(listed, last?.parts ?? [], brokenAt);
  const shown = shownParts(plan, cache.tokens, options);
  const tokens = shown.reduce((sum, part) => sum + part.tokens, 0);
  const hasPinned = listed.some(({ choice }) => choice === 'pinned');
  const folded = withFoldedImages(request);
  const json = redactor.redact(requestJson(folded));
  const curl = redactor.redact(requestCurl(folded, address, extraHeaders));
  const isWhole = folded === request;
  return {
    language,
    currency: settings.currency,
    title: oneLine(redactor.redact(title)),
    model: oneLine(redactor.redact(model)),
    tokens,
    contextWindow,
    price,
    parts: shown,
    cache: {
      ...cache,
      brokenAt: broken < 0 ? undefined : broken,
      lostCost: costOfLoss(cache.lost, price),
    },
    isPinnedTooLong: hasPinned && room !== undefined && tokens > room,
    json: truncateText(json, mostCharacters),
    curl: truncateText(curl, mostCharacters),
    isWhole: isWhole && json.length <= mostCharacters && curl.length <= mostCharacters,
  };
}

/** A request to look at, whose images nobody could read; the same object if it has none. */
function withFoldedImages(request: CompletionRequest): CompletionRequest {
  const hasImages = request.messages.some((message) => 'images' in message);
  if (!hasImages) return request;
  const messages = request.messages.map((message) =>
    message.role === 'user' && message.images !== undefined
      ? { ...message, images: message.images.map(foldedImage) }
      : message,
  );
  return { ...request, messages };
}

/** The beginning of a data URL, with the size of its image. */
function foldedImage(url: string): string {
  const { width = 0, height = 0 } = readImageUrl(url) ?? {};
  const beginning = url.slice(0, url.indexOf(',') + 17);
  return `${beginning}… (${width} × ${height}, ${url.length.toLocaleString('en')} characters)`;
}

/** The cached tokens are the first ones. */
function shownParts(
  { parts, listed, turn, attachments, mayChoose }: NextRequest,
  cachedTokens: number,
  { tokensOf, redactor }: OverviewOptions,
): readonly ShownRequestPart[] {
  const counts = tokensOfParts(parts, tokensOf);
  let left = cachedTokens;
  return listed.map((one) => {
    const { kind, name, id, text, turn: ofTurn, characters } = one.part;
    const tokens = one.sent === undefined ? 0 : (counts[one.sent] ?? 0);
    const cached = Math.min(left, tokens);
    left -= cached;
    const isAttached = kind === 'attachment' || kind === 'image';
    const isOfDraft = isAttached && ofTurn === turn && attachments.has(id);
    return {
      kind,
      name: oneLine(redactor.redact(name)),
      beginning: isProse(kind) ? beginningOf(text, redactor) : undefined,
      tokens,
      cached,
      ...(one.unsent && { unsent: one.unsent, unsentTokens: tokensOf(characters) }),
      ...(mayChoose ? choiceOf(one, redactor) : {}),
      ...(isOfDraft ? { removable: id } : {}),
    };
  });
}

/** Nothing is chosen by a key that has a secret in it, which the page must not get. */
function choiceOf(
  { key, choice }: ListedPart,
  { redact }: Pick<Redactor, 'redact'>,
): Pick<ShownRequestPart, 'choiceKey' | 'choice'> {
  if (key === undefined || redact(key) !== key) return {};
  return { choiceKey: key, ...(choice && { choice }) };
}

/** Those of some keys that are keys of listed parts: a page may name others. */
export function listedKeys(
  listed: readonly ListedPart[],
  named: readonly string[],
): readonly string[] {
  const known = new Set(listed.map(({ key }) => key));
  return named.filter((key) => known.has(key));
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
  if (part.kind === 'image') return { text: foldedImage(part.text), isWhole: false };
  const text = redactor.redact(part.text).trim();
  const beginning = truncateText(text, mostCharacters);
  return { text: revealInvisible(beginning).text, isWhole: text.length <= mostCharacters };
}

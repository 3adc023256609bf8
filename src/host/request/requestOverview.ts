import { requestCurl, requestJson } from '../../core/attachments/requestText.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { readImageUrl } from '../../core/support/image.ts';
import type { Redactor } from '../../core/support/redact.ts';
import { oneLine, revealInvisible, truncateText } from '../../core/support/text.ts';
import { costOfLoss, estimateCache, tokensOfParts } from '../../core/turn/cacheEstimate.ts';
import { brokenPart, type ListedPart } from '../../core/turn/listedParts.ts';
import type { RequestPart } from '../../core/turn/requestParts.ts';
import type { RequestOverview, ShownRequestPart } from '../../protocol/requestMessages.ts';
import type { RequestPlan } from '../../core/turn/nextTurn.ts';
import { settingsOfModel } from '../modelSettings.ts';
import type { SettingValues } from '../settingValues.ts';

/** Maximum characters of the JSON, and of a part, in the tab: a page can't draw megabytes. */
const mostCharacters = 20_000;

/** The next request, its destination, and the settings of its model. */
export interface NextRequest extends RequestPlan {
  readonly title: string;
  /** The written id; the request has the bare id. */
  readonly model: string;
  readonly address: string;
  readonly attachments: ReadonlySet<string>;
  readonly settings: SettingValues;
  /** True if this window may change the chat, and so exclude parts. */
  readonly mayChoose: boolean;
}

interface OverviewOptions {
  /** VS Code's display language. */
  readonly language: string;
  readonly tokensOf: (characters: number) => number;
  readonly redactor: Redactor;
}

/** Content of the request tab, without any known key. */
export function requestOverview(plan: NextRequest, options: OverviewOptions): RequestOverview {
  const { language, tokensOf, redactor } = options;
  const { request, model, parts, listed, last, room, title, address, settings } = plan;
  const { contextWindow, price, extraHeaders } = settingsOfModel(settings, model);
  const cache = estimateCache(model, parts, last, tokensOf);
  const { brokenAt } = cache;
  const broken = brokenAt === undefined ? -1 : brokenPart(listed, last?.parts ?? [], brokenAt);
  const visibleParts = shownParts(plan, cache.tokens, options);
  const tokens = visibleParts.reduce((sum, part) => sum + part.tokens, 0);
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
    parts: visibleParts,
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

/** The request with its images shortened for reading; the same object if it has none. */
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
  let remaining = cachedTokens;
  return listed.map((listedPart) => {
    const { part, sent, unsent } = listedPart;
    const { kind, name, id, text, turn: ofTurn, characters } = part;
    const tokens = sent === undefined ? 0 : (counts[sent] ?? 0);
    const cached = Math.min(remaining, tokens);
    remaining -= cached;
    const isAttached = kind === 'attachment' || kind === 'image';
    const isOfDraft = isAttached && ofTurn === turn && attachments.has(id);
    return {
      kind,
      name: oneLine(redactor.redact(name)),
      beginning: isProse(kind) ? beginningOf(text, redactor) : undefined,
      tokens,
      cached,
      ...(unsent && { unsent, unsentTokens: tokensOf(characters) }),
      ...(mayChoose ? choiceOf(listedPart, redactor) : {}),
      ...(isOfDraft ? { removable: id } : {}),
    };
  });
}

/** No choice for a part whose key contains a secret, which the page must not get. */
function choiceOf({ key, choice }: ListedPart, { redact }: Redactor): Partial<ShownRequestPart> {
  if (key === undefined || redact(key) !== key) return {};
  return { choiceKey: key, ...(choice && { choice }) };
}

/** Keeps only the keys of listed parts, as a page may name others. */
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

/** Characters to redact: enough for the longest key that begins in the visible 60. */
const lookedAt = 2000;

function beginningOf(text: string, { redact }: Redactor): string {
  return oneLine(redact(truncateText(text, lookedAt)), 60);
}

/** The text of a part, or its beginning, with invisible characters revealed and keys removed. */
export function partText(
  part: RequestPart,
  redactor: Redactor,
): { readonly text: string; readonly isWhole: boolean } {
  if (part.kind === 'image') return { text: foldedImage(part.text), isWhole: false };
  const text = redactor.redact(part.text).trim();
  const beginning = truncateText(text, mostCharacters);
  return { text: revealInvisible(beginning).text, isWhole: text.length <= mostCharacters };
}

import * as vscode from 'vscode';
import {
  requestCurl,
  requestJson,
  requestText,
  brokenPart,
  type ListedPart,
  type RequestPart,
} from '../../core/turn/requestParts.ts';
import { ServiceError } from '../../core/service/errors.ts';
import { requestBody } from '../../core/service/requestExtras.ts';
import type { Redactor } from '../../core/support/redact.ts';
import { anyEvent, type Disposable, followEach } from '../../core/support/event.ts';
import {
  type RequestOverview,
  requestPageCall,
  type RequestPageCalls,
  type RequestPageResults,
  type RequestPageState,
  type ShownRequestPart,
} from '../../protocol/requestMessages.ts';
import type { Chat } from './chat.ts';
import type { ChatWindow } from './createChat.ts';
import { editors } from '../contributions.ts';
import { PageTab } from '../platform/pageTab.ts';
import type { OpenPage } from '../platform/page.ts';
import type { Keys } from '../service/keys.ts';
import type { ReadOnlyDocuments } from '../platform/readOnlyDocuments.ts';
import { titleOf } from '../../core/history/chatTitle.ts';
import { settingsOfModel, type SettingValues } from '../platform/settingValues.ts';
import { readImageUrl } from '../../core/support/image.ts';
import { oneLine, revealInvisible, truncateText } from '../../core/support/text.ts';
import { costOfLoss, estimateCache, tokensOfParts } from '../../core/turn/cacheEstimate.ts';
import type { RequestPlan } from '../../core/turn/nextTurn.ts';

interface ShownRequest extends NextRequest {
  readonly chat: Chat;
  readonly composer: Chat['composer'];
}

/** `aside.showRequest`: the tab with the next request of the chat that had the focus last. */
export class RequestTab implements Disposable {
  readonly #parts: ChatWindow;
  readonly #keys: Keys;
  readonly #documents: ReadOnlyDocuments;
  readonly #tab: PageTab<RequestPageCalls, RequestPageResults, RequestPageState>;
  readonly #following: Disposable;
  /** The request that the page shows, or is about to show. */
  #request: ShownRequest | undefined;

  /** @param documents show texts of the request */
  constructor(parts: ChatWindow, openPage: OpenPage, keys: Keys, documents: ReadOnlyDocuments) {
    const { window, chats, choice, connection, instructions } = parts;
    const { settings } = window;
    this.#parts = parts;
    this.#keys = keys;
    this.#documents = documents;
    this.#tab = new PageTab<RequestPageCalls, RequestPageResults, RequestPageState>({
      type: editors.request,
      title: vscode.l10n.t('Next Request'),
      page: 'request',
      window,
      openPage,
      calls: requestPageCall,
      handlers: {
        ready: () => this.#tab.post(),
        read: ({ part: index }) => {
          const part = this.#part(index);
          return part && partText(part, window.redactor);
        },
        'show-all': async ({ part: index }) => {
          const part = this.#part(index);
          if (part === undefined) return;
          const { redactor } = window;
          const name = part.name === '' ? vscode.l10n.t('Part of the Next Request') : part.name;
          await documents.show(redactor.redact(name), redactor.redact(part.text), 'plaintext');
        },
        // The bytes of the body as they are sent, or the command that sends them.
        copy: async ({ format }) => {
          if (this.#request === undefined) return;
          const { request, model, address, settings: values } = this.#request;
          const text =
            format === 'json'
              ? JSON.stringify(requestBody(request))
              : requestCurl(request, address, settingsOfModel(values, model).extraHeaders);
          await vscode.env.clipboard.writeText(window.redactor.redact(text));
        },
        'open-text': () => this.#request && this.#showText(this.#request),
        choose: async ({ parts, choice }) => {
          if (this.#request === undefined) return;
          const { chat, listed } = this.#request;
          chat.chooseParts(listedKeys(listed, parts), choice);
          // Posted without the usual delay, so that a click has an immediate effect.
          await this.#tab.post();
        },
        remove: ({ id }) => this.#request?.composer.remove(id),
      },
      read: () => this.#read(),
      onDidChange: anyEvent<unknown>(
        chats.onDidChange,
        chats.onDidShow,
        settings.onDidChange,
        choice.onDidChange,
        connection.onDidChange,
        instructions.onDidChange,
      ),
    });
    this.#following = followEach(chats, ({ composer: { onDidChange: onDidAttach, onDidType } }) =>
      anyEvent<unknown>(onDidAttach, onDidType)(() => this.#tab.update()),
    );
  }

  /** Shows the tab in front. Rejects if the person chooses no model. */
  async show(): Promise<void> {
    await this.#parts.models.requireModel();
    this.#tab.show();
  }

  /** Shows the next request in a tab that was open before a reload. */
  restore(panel: vscode.WebviewPanel): void {
    this.#tab.restore(panel);
  }

  /** Shows the next request as a document, without token counts. */
  async showText(): Promise<void> {
    await this.#showText(await this.#plan(await this.#parts.models.requireModel()));
  }

  dispose(): void {
    this.#following.dispose();
    this.#tab.dispose();
  }

  #part(index: number): NextRequest['listed'][number]['part'] | undefined {
    return this.#request?.listed[index]?.part;
  }

  async #showText({ request, model, address, settings }: NextRequest): Promise<void> {
    const { extraHeaders } = settingsOfModel(settings, model);
    const text = this.#parts.window.redactor.redact(requestText(request, address, extraHeaders));
    await this.#documents.show(vscode.l10n.t('Next Request'), text, 'jsonc');
  }

  async #read(): Promise<RequestPageState> {
    const { window, choice, models } = this.#parts;
    const { redactor, errors } = window;
    const chosen = choice.current().id;
    try {
      if (chosen === '') throw new ServiceError('missing-model', 'No model is chosen');
      const plan = await this.#plan(chosen);
      this.#request = plan;
      return requestOverview(plan, { tokensOf: models.tokensOf, redactor });
    } catch (error) {
      this.#request = undefined;
      return { unavailable: errors.text(error, chosen).message };
    }
  }

  async #plan(model: string): Promise<ShownRequest> {
    const { window, connection, chats } = this.#parts;
    const open = chats.lastFocused;
    const { draft: text, attachments } = open.composer;
    // The redactor must know every stored key before anything is shown.
    await this.#keys.learned();
    const [plan, { baseUrl: address }] = await Promise.all([
      open.planRequest({ text, attachments }, model),
      connection.endpoint(connection.placeOf(model).other),
    ]);
    return {
      ...plan,
      model,
      chat: open,
      mayChoose: open.access.mayWrite,
      composer: open.composer,
      title: titleOf(open.conversation),
      address,
      attachments: new Set(attachments.map(({ id }) => id)),
      settings: window.settings.current(),
    };
  }
}

/** Maximum characters of the JSON, and of a part, in the tab: a page can't draw megabytes. */
const mostCharacters = 20_000;

/** The next request, its destination, and the settings of its model. */
interface NextRequest extends RequestPlan {
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
  readonly tokensOf: (characters: number) => number;
  readonly redactor: Redactor;
}

/** Content of the request tab, without any known key. */
export function requestOverview(plan: NextRequest, options: OverviewOptions): RequestOverview {
  const { tokensOf, redactor } = options;
  const { request, model, parts, listed, last, room, title, address, settings } = plan;
  const { contextWindow, price, extraHeaders } = settingsOfModel(settings, model);
  const cache = estimateCache(model, parts, last, tokensOf);
  const { brokenAt } = cache;
  const broken = brokenAt === undefined ? -1 : brokenPart(listed, last?.parts ?? [], brokenAt);
  const visibleParts = shownParts(plan, cache.tokens, options);
  const tokens = visibleParts.reduce((sum, part) => sum + part.tokens, 0);
  const hasPinned = listed.some(({ choice }) => choice === 'pinned');
  const hasImages = request.messages.some((message) => 'images' in message);
  const folded = {
    ...request,
    messages: request.messages.map((message) =>
      message.role === 'user' && message.images !== undefined
        ? { ...message, images: message.images.map(foldedImage) }
        : message,
    ),
  };
  const json = redactor.redact(requestJson(folded));
  const curl = redactor.redact(requestCurl(folded, address, extraHeaders));
  return {
    language: vscode.env.language,
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
    isWhole: !hasImages && json.length <= mostCharacters && curl.length <= mostCharacters,
  };
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
  return listed.map(({ part, sent, unsent, key, choice }) => {
    const { kind, name, id, text, turn: ofTurn, characters } = part;
    const tokens = sent === undefined ? 0 : (counts[sent] ?? 0);
    const cached = Math.min(remaining, tokens);
    remaining -= cached;
    const isAttached = kind === 'attachment' || kind === 'image';
    // The page must not get a key that contains a secret.
    const isChoosable = mayChoose && key !== undefined && redactor.redact(key) === key;
    const isOfDraft = isAttached && ofTurn === turn && attachments.has(id);
    return {
      kind,
      name: oneLine(redactor.redact(name)),
      beginning:
        kind === 'message' || kind === 'reply'
          ? oneLine(redactor.redact(truncateText(text, lookedAt)), 60)
          : undefined,
      tokens,
      cached,
      ...(unsent && { unsent, unsentTokens: tokensOf(characters) }),
      ...(isChoosable ? { choiceKey: key, ...(choice && { choice }) } : {}),
      ...(isOfDraft ? { removable: id } : {}),
    };
  });
}

/** Keeps only the keys of listed parts, as a page may name others. */
export function listedKeys(
  listed: readonly ListedPart[],
  named: readonly string[],
): readonly string[] {
  const known = new Set(listed.map(({ key }) => key));
  return named.filter((key) => known.has(key));
}

/** Characters to redact: enough for the longest key that begins in the visible 60. */
const lookedAt = 2000;

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

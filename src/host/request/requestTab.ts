import * as vscode from 'vscode';
import { requestCurl, requestText } from '../../core/attachments/requestText.ts';
import type { PartChoice } from '../../core/conversation/partChoices.ts';
import { ServiceError } from '../../core/reply/errors.ts';
import { requestBody } from '../../core/service/requestExtras.ts';
import type { Redactor } from '../../core/support/redact.ts';
import { anyEvent, type Disposable, type Event, followEach } from '../../core/support/event.ts';
import {
  requestPageCall,
  type PartText,
  type RequestPageRequests,
  type RequestPageResults,
  type RequestPageState,
} from '../../protocol/requestMessages.ts';
import type { OpenChat } from '../chat/openChat.ts';
import type { OpenChats } from '../chat/openChats.ts';
import { editors } from '../contributions.ts';
import { PageTab, type PageHost } from '../pageTab.ts';
import { settingsOfModel } from '../modelSettings.ts';
import type { Settings } from '../settings.ts';
import { listedKeys, partText, requestOverview, type NextRequest } from './requestOverview.ts';

export interface RequestTabOptions {
  readonly chats: OpenChats;
  readonly settings: Settings;
  readonly redactor: Redactor;
  /** The current model; empty before one is chosen. */
  readonly model: () => string;
  /** The model to send to; leads to connecting and choosing first. */
  readonly requireModel: () => Promise<string>;
  /** Base URL of a model's service, including its version; rejects if there is no service. */
  readonly address: (model: string) => Promise<string>;
  readonly tokensOf: (model: string, characters: number) => number;
  /** The title of a chat; empty for a new one. */
  readonly titleOf: (open: OpenChat) => string;
  /** Shows a text in a read-only document. */
  readonly showText: (title: string, text: string, language: string) => Promise<unknown>;
  /** Fires when the model or the service changed; chats and settings have their own events. */
  readonly onDidChange: Event<unknown>;
  readonly describe: (error: unknown) => string;
  readonly host: PageHost;
}

interface ShownRequest extends NextRequest {
  readonly chat: OpenChat['chat'];
  readonly composer: OpenChat['composer'];
}

/** `aside.showRequest`: the tab with the next request of the chat that had the focus last. */
export class RequestTab implements Disposable {
  readonly #options: RequestTabOptions;
  readonly #tab: PageTab<RequestPageRequests, RequestPageResults, RequestPageState>;
  readonly #following: Disposable;
  /** The request that the page shows, or is about to show. */
  #request: ShownRequest | undefined;

  constructor(options: RequestTabOptions) {
    const { chats, settings, onDidChange } = options;
    this.#options = options;
    this.#tab = new PageTab<RequestPageRequests, RequestPageResults, RequestPageState>({
      type: editors.request,
      title: vscode.l10n.t('Next Request'),
      page: 'request',
      host: options.host,
      calls: requestPageCall,
      handlers: {
        ready: () => this.#tab.post(),
        read: ({ part }) => this.#partText(part),
        'show-all': ({ part }) => this.#showPart(part),
        copy: ({ format }) => this.#copy(format),
        'open-text': () => this.#request && this.#showText(this.#request),
        choose: ({ parts, choice }) => this.#choose(parts, choice),
        remove: ({ id }) => this.#request?.composer.remove(id),
      },
      read: () => this.#read(),
      onDidChange: anyEvent<unknown>(
        chats.onDidChange,
        chats.onDidShow,
        settings.onDidChange,
        onDidChange,
      ),
    });
    this.#following = followEach(chats, ({ composer: { onDidChange: onDidAttach, onDidType } }) =>
      anyEvent<unknown>(onDidAttach, onDidType)(() => this.#tab.update()),
    );
  }

  /** Shows the tab in front. Rejects if the person chooses no model. */
  async show(): Promise<void> {
    await this.#options.requireModel();
    this.#tab.show();
  }

  /** Shows the next request in a tab that was open before a reload. */
  restore(panel: vscode.WebviewPanel): void {
    this.#tab.restore(panel);
  }

  /** Shows the next request as a document, without token counts. */
  async showText(): Promise<void> {
    await this.#showText(await this.#plan(await this.#options.requireModel()));
  }

  dispose(): void {
    this.#following.dispose();
    this.#tab.dispose();
  }

  #part(index: number): NextRequest['listed'][number]['part'] | undefined {
    return this.#request?.listed[index]?.part;
  }

  #partText(index: number): PartText | undefined {
    const part = this.#part(index);
    return part && partText(part, this.#options.redactor);
  }

  async #showPart(index: number): Promise<void> {
    const { redactor, showText } = this.#options;
    const part = this.#part(index);
    if (part === undefined) return;
    const name = part.name === '' ? vscode.l10n.t('Part of the Next Request') : part.name;
    await showText(redactor.redact(name), redactor.redact(part.text), 'plaintext');
  }

  /** Copies the bytes of the body as they are sent, or the command that sends them. */
  async #copy(format: 'json' | 'curl'): Promise<void> {
    if (this.#request === undefined) return;
    const { request, model, address, settings } = this.#request;
    const text =
      format === 'json'
        ? JSON.stringify(requestBody(request))
        : requestCurl(request, address, settingsOfModel(settings, model).extraHeaders);
    await vscode.env.clipboard.writeText(this.#options.redactor.redact(text));
  }

  async #choose(parts: readonly string[], choice: PartChoice | undefined): Promise<void> {
    if (this.#request === undefined) return;
    const { chat, listed } = this.#request;
    chat.chooseParts(listedKeys(listed, parts), choice);
    // Posted without the usual delay, so that a click has an immediate effect.
    await this.#tab.post();
  }

  async #showText({ request, model, address, settings }: NextRequest): Promise<void> {
    const { extraHeaders } = settingsOfModel(settings, model);
    const text = this.#options.redactor.redact(requestText(request, address, extraHeaders));
    await this.#options.showText(vscode.l10n.t('Next Request'), text, 'jsonc');
  }

  async #read(): Promise<RequestPageState> {
    const { model, redactor, tokensOf, describe } = this.#options;
    const { language } = vscode.env;
    try {
      const chosen = model();
      if (chosen === '') throw new ServiceError('missing-model', 'No model is chosen');
      const plan = await this.#plan(chosen);
      this.#request = plan;
      const ofModel = (characters: number): number => tokensOf(chosen, characters);
      const options = { language, tokensOf: ofModel, redactor };
      return requestOverview(plan, options);
    } catch (error) {
      this.#request = undefined;
      return { unavailable: describe(error) };
    }
  }

  async #plan(model: string): Promise<ShownRequest> {
    const { chats, address, settings, titleOf } = this.#options;
    const open = chats.lastFocused;
    const { draft: text, attachments } = open.composer;
    const [plan, url] = await Promise.all([
      open.chat.planRequest({ text, attachments }, model),
      address(model),
    ]);
    return {
      ...plan,
      model,
      chat: open.chat,
      mayChoose: open.chat.access.mayWrite,
      composer: open.composer,
      title: titleOf(open),
      address: url,
      attachments: new Set(attachments.map(({ id }) => id)),
      settings: settings.current(),
    };
  }
}

import * as vscode from 'vscode';
import { titleOf } from '../core/history/chatTitle.ts';
import { systemClock } from '../core/support/clock.ts';
import { anyEvent } from '../core/support/event.ts';
import type { OpenChat } from '../host/chat/openChat.ts';
import type { OpenChats } from '../host/chat/openChats.ts';
import { createTextGenerator, requireComplete } from '../host/code/textGenerator.ts';
import { modelFor } from '../host/connection/modelChoice.ts';
import { windowDialogs } from '../host/dialogs.ts';
import type { OpenPage } from '../host/page.ts';
import { RequestTab } from '../host/request/requestTab.ts';
import { ShortenChat } from '../host/request/shortenChat.ts';
import type { AttachmentFeatures } from './attachments.ts';
import type { Base } from './hostWindow.ts';
import { accountOf, type ConnectionServices } from './connection.ts';

type ShortenWiring = Pick<RequestTabWiring, 'base' | 'connection'>;

export interface RequestTabWiring {
  readonly base: Base;
  readonly connection: ConnectionServices;
  readonly chats: OpenChats;
  readonly attachments: Pick<AttachmentFeatures, 'showText' | 'onDidChangeInstructions'>;
  readonly openPage: OpenPage;
}

export function createShortenChat({ base, connection }: ShortenWiring): ShortenChat<OpenChat> {
  const { ratios, serviceAccess: service, running } = connection;
  const generator = createTextGenerator({ ...base, service, running, clock: systemClock });
  return new ShortenChat<OpenChat>({
    ...base,
    modelFor: () => modelFor('shorten', { ...base, ...connection }),
    tokensOf: (model, characters) => ratios.estimate(model, characters, 'prompt'),
    async generate(request, open) {
      const chat = accountOf(() => open);
      const generated = await generator.generate({
        ...request,
        chat,
        purpose: 'shorten',
        onText: () => undefined,
      });
      if (generated.end === 'stopped') return undefined;
      requireComplete(generated);
      return generated.text;
    },
    dialogs: windowDialogs,
    clock: systemClock,
    language: vscode.env.language,
  });
}

/** Creates the tab with the next request. */
export function createRequestTab(wiring: RequestTabWiring): RequestTab {
  const { base, connection, chats, attachments, openPage } = wiring;
  const { choice, requireModel, ratios } = connection;
  return new RequestTab({
    ...base,
    chats,
    openPage,
    requireModel,
    clock: systemClock,
    extensionUri: base.context.extensionUri,
    model: () => choice.current().id,
    async address(model) {
      // The redactor must know every stored key before anything is shown.
      await base.keys.learned();
      const { other } = connection.connection.placeOf(model);
      return (await connection.connection.endpoint(other)).baseUrl;
    },
    tokensOf: (model, characters) => ratios.estimate(model, characters, 'prompt'),
    titleOf: ({ chat }) => titleOf(chat.conversation),
    showText: attachments.showText,
    onDidChange: anyEvent<unknown>(
      choice.onDidChange,
      connection.connection.onDidChange,
      attachments.onDidChangeInstructions,
    ),
    describe: (error) => base.errors.text(error, choice.current().id).message,
    onError: (error) => base.log.error('Showing the next request', error),
  });
}

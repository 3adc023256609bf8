import { titleOf } from '../core/history/chatTitle.ts';
import { systemClock } from '../core/support/clock.ts';
import { anyEvent } from '../core/support/event.ts';
import type { OpenChats } from '../host/chat/openChats.ts';
import type { OpenPage } from '../host/page.ts';
import { RequestTab } from '../host/request/requestTab.ts';
import type { AttachmentFeatures } from './attachments.ts';
import type { Base } from './base.ts';
import type { ConnectionServices } from './connection.ts';

export interface RequestTabWiring {
  readonly base: Base;
  readonly connection: ConnectionServices;
  readonly chats: OpenChats;
  readonly attachments: Pick<AttachmentFeatures, 'showText' | 'onDidChangeInstructions'>;
  readonly openPage: OpenPage;
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
    async address() {
      // The redactor must know every stored key before anything is shown.
      await base.keys.learned();
      return (await connection.connection.endpoint()).baseUrl;
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

import * as vscode from 'vscode';
import { systemClock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';
import { isObject } from '../../core/support/json.ts';
import { createWindowGenerator } from '../code/textGenerator.ts';
import type { CommandsOf } from '../commands.ts';
import { windowDialogs } from '../dialogs.ts';
import type { HostWindow } from '../workspace/window.ts';
import { type RequestNeeds, RequestTab } from './requestTab.ts';
import { ShortenChat } from './shortenChat.ts';

/** The next request of the focused chat: shown in a tab, or made shorter. */
export interface RequestFeature extends Disposable {
  readonly commands: CommandsOf<'request'>;
  readonly tab: RequestTab;
}

export function createRequest(window: HostWindow, needs: RequestNeeds): RequestFeature {
  const { chats, connection } = needs;
  const tab = new RequestTab(window, needs);
  const generator = createWindowGenerator(window, connection);
  const shorten = new ShortenChat({
    settings: window.settings,
    async modelFor({ preset }) {
      const selected = await connection.modelFor('shorten');
      const hasOwn = window.settings.current().modelFor.shorten !== undefined;
      // Otherwise the model of the chat, which has most of the chat in its cache.
      return hasOwn && !connection.connection.isDemo ? selected : preset.model.current().id;
    },
    tokensOf: (model, characters) => connection.ratios.estimate(model, characters, 'prompt'),
    generate: (request, chat) =>
      generator.generate({
        ...request,
        chat: chat.account,
        purpose: 'shorten',
        onText: () => undefined,
      }),
    dialogs: windowDialogs,
    clock: systemClock,
    language: vscode.env.language,
  });
  return {
    commands: {
      showRequest: (options) =>
        isObject(options) && options['asText'] === true ? tab.showText() : tab.show(),
      shortenChat: () => shorten.run(chats.focused),
    },
    tab,
    dispose: () => tab.dispose(),
  };
}

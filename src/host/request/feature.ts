import * as vscode from 'vscode';
import { systemClock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';
import { isObject } from '../../core/support/json.ts';
import { accountOf } from '../chat/chatAccount.ts';
import type { OpenChat } from '../chat/openChat.ts';
import { createWindowGenerator, requireComplete } from '../code/textGenerator.ts';
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
  const shorten = new ShortenChat<OpenChat>({
    settings: window.settings,
    modelFor: () => connection.modelFor('shorten'),
    tokensOf: (model, characters) => connection.ratios.estimate(model, characters, 'prompt'),
    async generate(request, open) {
      const generated = await generator.generate({
        ...request,
        chat: accountOf(() => open),
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

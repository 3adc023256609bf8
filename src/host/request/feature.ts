import * as vscode from 'vscode';
import { titleOf } from '../../core/history/chatTitle.ts';
import { systemClock } from '../../core/support/clock.ts';
import { anyEvent, type Disposable, type Event } from '../../core/support/event.ts';
import { isObject } from '../../core/support/json.ts';
import { accountOf } from '../chat/chatAccount.ts';
import type { OpenChat } from '../chat/openChat.ts';
import type { OpenChats } from '../chat/openChats.ts';
import { createWindowGenerator, requireComplete } from '../code/textGenerator.ts';
import type { CommandsOf } from '../commands.ts';
import type { ConnectionFeature } from '../connection/feature.ts';
import { windowDialogs } from '../dialogs.ts';
import type { OpenPage } from '../page.ts';
import type { HostWindow } from '../workspace/window.ts';
import { RequestTab } from './requestTab.ts';
import { ShortenChat } from './shortenChat.ts';

export interface RequestNeeds {
  readonly chats: OpenChats;
  readonly connection: ConnectionFeature;
  readonly openPage: OpenPage;
  /** Fires when the files with instructions change. */
  readonly onDidChangeInstructions: Event<unknown>;
  /** Shows a text in a read-only document. */
  readonly showText: (title: string, text: string, language: string) => Promise<unknown>;
}

/** The next request of the focused chat: shown in a tab, or made shorter. */
export interface RequestFeature extends Disposable {
  readonly commands: CommandsOf<'request'>;
  readonly tab: RequestTab;
}

export function createRequest(window: HostWindow, needs: RequestNeeds): RequestFeature {
  const { chats, connection } = needs;
  const tab = createTab(window, needs);
  const shorten = createShorten(window, connection);
  return {
    commands: {
      showRequest: (options) => (isTextWanted(options) ? tab.showText() : tab.show()),
      shortenChat: () => shorten.run(chats.focused),
    },
    tab,
    dispose: () => tab.dispose(),
  };
}

/** True if `aside.showRequest` should open a document instead of the tab. */
function isTextWanted(options: unknown): boolean {
  return isObject(options) && options['asText'] === true;
}

function createTab(window: HostWindow, needs: RequestNeeds): RequestTab {
  const { context, settings, redactor, errors, log } = window;
  const { chats, openPage, showText, onDidChangeInstructions } = needs;
  const { keys, connection, choice, ratios, requireModel } = needs.connection;
  return new RequestTab({
    settings,
    redactor,
    chats,
    requireModel,
    showText,
    model: () => choice.current().id,
    async address(model) {
      // The redactor must know every stored key before anything is shown.
      await keys.learned();
      const { other } = connection.placeOf(model);
      return (await connection.endpoint(other)).baseUrl;
    },
    tokensOf: (model, characters) => ratios.estimate(model, characters, 'prompt'),
    titleOf: ({ chat }) => titleOf(chat.conversation),
    onDidChange: anyEvent<unknown>(
      choice.onDidChange,
      connection.onDidChange,
      onDidChangeInstructions,
    ),
    describe: (error) => errors.text(error, choice.current().id).message,
    host: {
      extensionUri: context.extensionUri,
      openPage,
      clock: systemClock,
      refusal: errors.refusal,
      onError: (error) => log.error('Showing the next request', error),
    },
  });
}

function createShorten(window: HostWindow, connection: ConnectionFeature): ShortenChat<OpenChat> {
  const generator = createWindowGenerator(window, connection);
  return new ShortenChat<OpenChat>({
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
}

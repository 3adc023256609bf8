import * as vscode from 'vscode';
import { imagesIn } from '../core/conversation/attachedImage.ts';
import { background } from '../core/support/background.ts';
import { systemClock } from '../core/support/clock.ts';
import { anyEvent } from '../core/support/event.ts';
import { lazyMethods } from '../core/support/lazy.ts';
import { accountOf } from '../host/chat/chatAccount.ts';
import { ChatPanel } from '../host/panel/chatPanel.ts';
import { ChatTabs } from '../host/panel/chatTabs.ts';
import { ChatView } from '../host/panel/chatView.ts';
import { busyChats } from '../host/panel/feature.ts';
import { NewChat } from '../host/panel/newChat.ts';
import type { OpenChat } from '../host/chat/openChat.ts';
import type { OpenChats } from '../host/chat/openChats.ts';
import { createPageActions } from '../host/panel/pageActions.ts';
import { WindowNotices } from '../host/panel/windowNotices.ts';
import type { ConnectionFeature } from '../host/connection/feature.ts';
import { notify } from '../host/dialogs.ts';
import type { UsageOptions } from '../host/usage/statusBar.ts';
import { usageOfChat } from '../host/usage/usageTable.ts';
import type { HostWindow } from '../host/workspace/window.ts';
import { createOpenChat } from './chatScope.ts';
import type { Features } from './features.ts';
import type { WindowScope } from './windowScope.ts';

/** The places that show chats, and the commands on the one in focus. */
export interface ShownChats {
  readonly view: ChatView;
  readonly tabs: ChatTabs;
  readonly panel: ChatPanel;
}

/** Opens the chat of the sidebar, and creates the places that show chats. */
export function showChats(scope: WindowScope, features: Features): ShownChats {
  const { window, connection, chats, notices, storage, openPage } = scope;
  const newChat = new NewChat<OpenChat>(
    () => chats.create(),
    systemClock,
    (message, from, to) => background(to.images.takeFrom(from.id, imagesIn([message]))),
  );
  chats.begin({
    create: (start) => createOpenChat({ scope, features, newChat }, start),
    hasNews: (open) => notices.hasNews(open),
    isHeld: ({ chat }) => features.tools.value?.hasGrants(chat.conversation.id) === true,
  });
  const { references } = lazyMethods(features.context.load, 'references');
  const actions = createPageActions(window, { service: connection.service, references });
  const view = new ChatView({ ...actions, chats });
  chats.addPlace(view);
  notices.onDidChangeBadge((badge) => view.setBadge(badge));
  notices.onDidChange(() => {
    features.recent.update();
    chats.closeUnneeded();
  });
  const isSaved = async (id: string): Promise<boolean> =>
    (await storage.journals.list()).includes(id);
  const { extensionUri } = window.context;
  const tabs = new ChatTabs({ ...actions, chats, isSaved, extensionUri, openPage });
  const { choice: model, requireModel } = connection;
  const panel = new ChatPanel({ chats, sidebar: view, newChat, model, requireModel });
  return { view, tabs, panel };
}

/** Creates the badge and the notifications about chats that are not visible. */
export function createNotices({ settings }: HostWindow, chats: OpenChats): WindowNotices {
  return new WindowNotices({
    chats,
    focus: {
      isFocused: () => vscode.window.state.focused,
      onDidChange: (listener) => vscode.window.onDidChangeWindowState(listener),
    },
    level: () => settings.current().notify,
    notify: async (message, button) => (await notify('information', message, button)) === button,
    reveal: (open) => chats.show(open.id),
    clock: systemClock,
  });
}

/** The usage of the chat in focus, and of the window. */
export function createUsageOptions(
  { settings }: HostWindow,
  { ledger, choice, service, running }: ConnectionFeature,
  chats: OpenChats,
  notices: WindowNotices,
): UsageOptions {
  const account = accountOf(() => chats.focused);
  return {
    ledger,
    settings,
    budgets: () => service.usedBudgets(account),
    model: () => choice.current().id,
    chat: () => usageOfChat(chats.current().conversation),
    waiting: () => notices.waiting,
    isRunning: () => !running.isEmpty || busyChats(chats).length > 0,
    onDidChange: anyEvent<unknown>(
      choice.onDidChange,
      chats.onDidShow,
      notices.onDidChange,
      running.onDidChange,
    ),
  };
}

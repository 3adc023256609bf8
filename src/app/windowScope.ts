import type { UserMessage } from '../core/conversation/conversation.ts';
import { systemClock } from '../core/support/clock.ts';
import { anyEvent } from '../core/support/event.ts';
import { createChatStorage, type ChatStorage } from '../host/chat/chatStorage.ts';
import { OpenChats } from '../host/chat/openChats.ts';
import { WindowNotices } from '../host/panel/windowNotices.ts';
import { createConnection, type ConnectionFeature } from '../host/connection/feature.ts';
import type { Keys } from '../host/connection/keys.ts';
import { notify } from '../host/dialogs.ts';
import { busyChats } from '../host/panel/feature.ts';
import { sendInFocus } from '../host/panel/sendInFocus.ts';
import type { OpenPage } from '../host/page.ts';
import type { UsageOptions } from '../host/usage/statusBar.ts';
import { usageOfChat } from '../host/usage/usageTable.ts';
import type { HostWindow } from '../host/workspace/window.ts';
import { windowFocus } from '../host/windowFocus.ts';
import { createDemo } from '../local/demo.ts';

/** Objects that exist once per window, and before any feature that is loaded later. */
export interface WindowScope {
  readonly window: HostWindow;
  readonly connection: ConnectionFeature;
  readonly storage: ChatStorage;
  readonly chats: OpenChats;
  readonly notices: WindowNotices;
  readonly usage: UsageOptions;
  readonly openPage: OpenPage;
  /** Shows the chat in focus, and sends a message there. */
  readonly askInChat: (message: UserMessage) => Promise<void>;
}

/** Creates the objects that features depend on, and that don't depend on features. */
export function createScope(window: HostWindow, keys: Keys, openPage: OpenPage): WindowScope {
  const { settings } = window;
  const { workspaceState: state } = window.context;
  const connection = createConnection(window, keys, createDemo());
  const storage = createChatStorage(window);
  const chats = new OpenChats({ state, leases: storage.leases, clock: systemClock });
  const notices = new WindowNotices({
    chats,
    focus: windowFocus,
    level: () => settings.current().notify,
    notify: async (message, button) => (await notify('information', message, button)) === button,
    reveal: ({ id }) => chats.show(id),
    clock: systemClock,
  });
  const { ledger, choice, service, running } = connection;
  return {
    window,
    connection,
    storage,
    chats,
    notices,
    usage: {
      ledger,
      settings,
      budgets: () => service.usedBudgets(chats.focused.account),
      model: () => choice.current().id,
      chat: () => usageOfChat(chats.focused.conversation),
      waiting: () => notices.waiting,
      isRunning: () => !running.isEmpty || busyChats(chats).length > 0,
      onDidChange: anyEvent<unknown>(
        choice.onDidChange,
        chats.onDidShow,
        notices.onDidChange,
        running.onDidChange,
      ),
    },
    openPage,
    askInChat: (message) => sendInFocus(message, chats, connection),
  };
}

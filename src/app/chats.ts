import { lazyMethods } from '../core/support/lazy.ts';
import { ChatMemento } from '../host/chat/chatMemento.ts';
import type { ChatPageOptions } from '../host/panel/chatPage.ts';
import { ChatPanel } from '../host/panel/chatPanel.ts';
import { ChatTabs } from '../host/panel/chatTabs.ts';
import { ChatView } from '../host/panel/chatView.ts';
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
  chats.begin({
    create: (start) => createOpenChat({ scope, features }, start),
    hasNews: (open) => notices.hasNews(open),
    isHeld: ({ chat }) => features.tools.value?.hasGrants(chat.conversation.id) === true,
  });
  const { references } = lazyMethods(features.context.load, 'references');
  const actions: Pick<ChatPageOptions, 'keepDraft' | 'references' | 'refusal'> = {
    async keepDraft(id, draft) {
      const state = new ChatMemento({ state: window.context.workspaceState, id: () => id });
      const mayBeKept = await connection.service.check([draft.text]).then(
        () => true,
        () => false,
      );
      await state.update('aside.draft', mayBeKept && draft.text !== '' ? draft : undefined);
    },
    references,
    refusal: window.errors.refusal,
  };
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
  const panel = new ChatPanel({ chats, sidebar: view, model, requireModel });
  return { view, tabs, panel };
}

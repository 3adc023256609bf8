import * as vscode from 'vscode';
import { emptyConversation } from '../core/conversation/conversation.ts';
import { LiveConversation } from '../core/conversation/liveConversation.ts';
import { background } from '../core/support/background.ts';
import { systemClock } from '../core/support/clock.ts';
import { lazyMethods } from '../core/support/lazy.ts';
import { Chat, type ChatStart } from '../host/chat/chat.ts';
import { chatCalls } from '../host/chat/chatCalls.ts';
import { WindowChatHost } from '../host/chat/chatHost.ts';
import { ChatMemento } from '../host/chat/chatMemento.ts';
import { composerCalls } from '../host/chat/composerCalls.ts';
import { LastMode, ModeModel } from '../host/chat/modes.ts';
import { replyCalls, toolCalls } from '../host/chat/replyCalls.ts';
import { showCopied, showUnreadError, storeTexts } from '../host/chat/storeMessages.ts';
import { findDiagramSupport } from '../host/diagramSupport.ts';
import type { PageWindow } from '../host/panel/chatPage.ts';
import { ChatPanel } from '../host/panel/chatPanel.ts';
import { ChatTabs, ChatView } from '../host/panel/chatPlaces.ts';
import { modelForPage } from '../host/panel/sendInFocus.ts';
import { ChatPreset } from '../host/presets/chatPreset.ts';
import { usageContext } from '../host/usage/statusBar.ts';
import { windowFocus } from '../host/windowFocus.ts';
import { findStarters } from '../host/workspace/starters.ts';
import { firstFolder } from '../host/workspace/window.ts';
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
  chats.begin(
    (start) => createChat(scope, features, start),
    (chat) => features.tools.value?.hasGrants(chat.conversation.id) === true,
  );
  const pages: PageWindow = {
    chats,
    async keepDraft(id, draft) {
      const state = new ChatMemento(window.context.workspaceState, () => id);
      const mayBeKept = await connection.service.check([draft.text]).then(
        () => true,
        () => false,
      );
      await state.update('aside.draft', mayBeKept && draft.text !== '' ? draft : undefined);
    },
    ...lazyMethods(features.context.load, 'references'),
    refusal: window.errors.refusal,
  };
  const view = new ChatView(pages);
  chats.addPlace(view);
  notices.onDidChangeBadge((badge) => view.setBadge(badge));
  notices.onDidChange(() => features.recent.update());
  const tabs = new ChatTabs(pages, window.context.extensionUri, openPage, async (id) =>
    (await storage.journals.list()).includes(id),
  );
  const { choice: model, requireModel } = connection;
  const panel = new ChatPanel({ chats, sidebar: view, model, requireModel });
  return { view, tabs, panel };
}

/** Opens a chat with the service, the models and the settings of the window. */
function createChat(scope: WindowScope, features: Features, start: ChatStart): Chat {
  const { window, connection, storage, chats } = scope;
  const { settings, context, errors, log } = window;
  const { code, tools, history } = features;
  const { service, choice, demo, ledger } = connection;
  const conversation = new LiveConversation(emptyConversation(start.id));
  const lastMode = new LastMode(context.globalState);
  const model = new ModeModel(conversation, lastMode, choice);
  const preset = new ChatPreset({
    chosen: () => conversation.current.preset,
    presets: features.presets,
    model,
  });
  const { forTurn } = lazyMethods(tools.load, 'forTurn');
  const host = new WindowChatHost(conversation, preset, {
    settings,
    connection,
    chats,
    context: features.context,
    tools: { forTurn },
    lastMode,
  });
  const { unsaved, ...texts } = storeTexts(storage.journals.location);
  const chat = new Chat({
    start,
    conversation,
    host,
    preset,
    models: {
      requireModel: (mode) =>
        preset.requireModel(() => model.resolve(() => modelForPage(connection, chats), mode)),
      async pickModel() {
        const { picker } = await connection.ui.load();
        return picker.pickModel();
      },
    },
    storing: {
      ...texts,
      storage: storage.journals,
      leases: storage.leases,
      state: context.workspaceState,
      workspace: firstFolder(),
      clock: systemClock,
      onError: (what, error) => log.error(what, error),
      onUnread: (tryAgain) => background(showUnreadError(tryAgain)),
      onCopied: showCopied,
    },
    images: storage.images,
    window: {
      clock: systemClock,
      connection: connection.connection,
      settings,
      toolAccess: connection.tools,
      service,
      recent: features.recent,
      starters: findStarters(),
      diagrams: findDiagramSupport(vscode.extensions),
      windowFocus,
      unsaved,
    },
    calls(opened) {
      const actions = async () => (await tools.load()).actions;
      const restores = async () => (await tools.load()).restores;
      const replies = async () => (await code.load()).replies;
      return {
        ...chatCalls(opened, lazyMethods(restores, 'find', 'review', 'restore', 'undo', 'redo')),
        ...composerCalls(
          opened,
          {
            handle: async (call) =>
              (await features.attachments.load()).forChat(opened).handle(call),
          },
          {
            ...lazyMethods(code.load, 'expand'),
            noteStarter: demo.noteStarter,
            chats,
            discard: async (id) => (await history.load()).discard(id),
          },
        ),
        ...toolCalls(
          opened,
          lazyMethods(actions, 'decide', 'review', 'change', 'endProcesses'),
          connection.tools,
          settings,
        ),
        ...replyCalls(
          opened,
          lazyMethods(
            replies,
            ...(['open', 'apply', 'newFile', 'insert', 'runInTerminal', 'preview'] as const),
          ),
          ledger.log,
          () => usageContext(settings),
        ),
      };
    },
  });
  chat.onDidRefuse((error) => background(errors.show(error, 'Sending a message')));
  return chat;
}

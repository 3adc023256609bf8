import * as vscode from 'vscode';
import { emptyConversation } from '../../core/conversation/conversation.ts';
import { LiveConversation } from '../../core/conversation/liveConversation.ts';
import { background } from '../../core/support/background.ts';
import { systemClock as clock } from '../../core/support/clock.ts';
import type { MessageAttachments } from '../attachments/messageAttachments.ts';
import type { RestoreActions } from '../tools/changeActions.ts';
import { Chat, type ChatStart } from './chat.ts';
import { chatHandlers, replyHandlers, type ToolActions, toolHandlers } from './chatHandlers.ts';
import { WindowChatHost } from './chatHost.ts';
import type { ChatStorage } from './chatStorage.ts';
import { MessageModels } from './messageModels.ts';
import { composerHandlers, type ComposerWindow } from './composerHandlers.ts';
import { type LastMode, ModeModel } from './modes.ts';
import type { RecentChats } from './recentChats.ts';
import { notSaved, showCopied, showUnreadError } from './storeMessages.ts';
import type { ReplyActions } from '../editor/replyActions.ts';
import type { ConnectionUi } from '../service/connectionUi.ts';
import type { Connection } from '../service/connection.ts';
import type { ModelChoice, Models, ToolAccess } from '../service/models.ts';
import type { ServiceAccess } from '../service/serviceAccess.ts';
import type { Instructions } from '../context/instructions.ts';
import type { Skills } from '../context/skills.ts';
import type { Tools } from '../tools/tools.ts';
import type { OpenChats } from './openChats.ts';
import { findDiagramSupport } from '../platform/diagramSupport.ts';
import type { FocusedChat } from './focusedChat.ts';
import { ChatPreset } from '../context/chatPreset.ts';
import type { Presets } from '../context/presets.ts';
import type { Ledger } from '../usage/ledger.ts';
import { usageContext } from '../usage/usageByModel.ts';
import { findStarters } from '../platform/starters.ts';
import { firstFolder, type HostWindow, windowFocus } from '../platform/window.ts';

/** The objects of a window that its chats use. */
export interface ChatWindow {
  readonly window: HostWindow;
  readonly connection: Connection;
  readonly service: ServiceAccess;
  readonly models: Models;
  readonly toolAccess: ToolAccess;
  readonly chats: OpenChats;
  readonly instructions: Instructions;
  readonly skills: Skills;
  readonly tools: Tools;
  readonly lastMode: LastMode;
  readonly connectionUi: ConnectionUi;
  readonly choice: ModelChoice;
  readonly focusedChat: FocusedChat;
  readonly ledger: Ledger;
  readonly storage: ChatStorage;
  readonly presets: Presets;
  readonly attachments: MessageAttachments;
  readonly recent: RecentChats;
  readonly composers: ComposerWindow;
  readonly replies: ReplyActions;
  readonly restores: RestoreActions;
  readonly toolActions: ToolActions;
}

/** Opens a chat with the service, the models and the settings of its window. */
export function createChat(parts: ChatWindow, start: ChatStart): Chat {
  const { choice, connection, focusedChat, ledger, service, storage, toolAccess } = parts;
  const { context, errors, log, settings } = parts.window;
  const conversation = new LiveConversation(emptyConversation(start.id));
  const model = new ModeModel(conversation, parts.lastMode, choice);
  const preset = new ChatPreset(() => conversation.current.preset, parts.presets, model);
  const chat = new Chat({
    start,
    conversation,
    host: (opened) => new WindowChatHost(opened, parts),
    preset,
    models: (opened) => new MessageModels(opened, choice, focusedChat, parts.connectionUi.picker),
    storing: {
      storage: storage.journals,
      locks: storage.locks,
      state: context.workspaceState,
      workspace: firstFolder(),
      clock,
      onError: (what, error) => log.error(what, error),
      onUnread: (tryAgain) => background(showUnreadError(tryAgain)),
      onCopied: showCopied,
    },
    images: storage.images,
    window: {
      clock,
      connection,
      settings,
      toolAccess,
      service,
      recent: parts.recent,
      starters: findStarters(),
      diagrams: findDiagramSupport(vscode.extensions),
      windowFocus,
      unsaved: notSaved(storage.journals.location),
    },
    calls: (opened) => ({
      ...chatHandlers(opened, parts.restores),
      ...composerHandlers(opened, parts.attachments.handlersFor(opened), parts.composers),
      ...toolHandlers(opened, parts.toolActions, toolAccess, settings),
      ...replyHandlers(opened, parts.replies, ledger.log, () => usageContext(settings)),
    }),
  });
  chat.onDidRefuse((error) => background(errors.show(error, 'Sending a message')));
  return chat;
}

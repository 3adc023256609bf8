import * as vscode from 'vscode';
import type { UserMessage } from '../core/conversation/conversation.ts';
import { type ChatMode, modeOfMessage } from '../core/conversation/mode.ts';
import { background } from '../core/support/background.ts';
import { systemClock } from '../core/support/clock.ts';
import type { MessageAttachments } from './attachments/messageAttachments.ts';
import type { RestoreActions } from './changes/changeActions.ts';
import type { ChatOptions } from './chat/chat.ts';
import { accountOf } from './chat/chatAccount.ts';
import {
  chatTools,
  limitOfTurn,
  mayHaveInstructions,
  promptSettings,
  requireImagesTaken,
  textsOf,
} from './chat/chatSettings.ts';
import type { ChatStorage } from './chat/chatStorage.ts';
import { type LastMode, ModeModel } from './chat/modeModel.ts';
import { type ChatStart, OpenChat, type OpenChatOptions } from './chat/openChat.ts';
import type { OpenChats } from './chat/openChats.ts';
import type { RecentChats } from './chat/recentChats.ts';
import { showCopied, showUnreadError, storeTexts } from './chat/storeMessages.ts';
import type { ReplyActions } from './code/replyActions.ts';
import type { ExpandedMessage } from './code/slashCommands.ts';
import type { Connection } from './connection/connection.ts';
import type { ConnectionUi } from './connection/connectionUi.ts';
import type { ModelChoice, Models, ToolAccess } from './connection/models.ts';
import type { ServiceAccess } from './connection/serviceAccess.ts';
import type { Instructions } from './context/instructions.ts';
import type { Skills } from './context/skills.ts';
import { findDiagramSupport } from './diagramSupport.ts';
import type { Deletion } from './history/deletion.ts';
import { modelForPage } from './panel/sendInFocus.ts';
import { ChatPreset } from './presets/chatPreset.ts';
import type { Presets } from './presets/presets.ts';
import type { Tools } from './tools/tools.ts';
import type { Ledger } from './usage/ledger.ts';
import { usageContext } from './usage/usageByModel.ts';
import type { TokenRatios } from './usage/tokenRatios.ts';
import { replyCost } from './usage/usageCauses.ts';
import { windowFocus } from './windowFocus.ts';
import { findStarters } from './workspace/starters.ts';
import { firstFolder, type HostWindow } from './workspace/window.ts';

/** The objects of a window that a chat uses. */
interface ChatParts {
  readonly window: HostWindow;
  /** Notes of which starter of an empty chat a message is. */
  readonly demo: { readonly noteStarter: (message: string, starter: string) => void };
  readonly connection: Connection;
  readonly connectionUi: ConnectionUi;
  readonly choice: ModelChoice;
  readonly service: ServiceAccess;
  readonly ratios: TokenRatios;
  readonly ledger: Ledger;
  readonly models: Models;
  readonly toolAccess: ToolAccess;
  readonly storage: ChatStorage;
  readonly chats: OpenChats;
  readonly lastMode: LastMode;
  readonly presets: Presets;
  readonly instructions: Instructions;
  readonly skills: Skills;
  readonly attachments: MessageAttachments;
  readonly tools: Tools;
  readonly recent: RecentChats;
  readonly deletion: Deletion;
  /** Expands a message that begins with a slash: see `expandCommand`. */
  readonly expand: (message: UserMessage) => Promise<ExpandedMessage | undefined>;
  readonly replies: ReplyActions;
  readonly restores: RestoreActions;
  readonly calls: OpenChatOptions['tools'];
}

/** Opens a chat with the current service, model and settings. */
export function createOpenChat(parts: ChatParts, start: ChatStart): OpenChat {
  const { window, connection, choice, models, service, ratios, chats, deletion } = parts;
  const { journals, images, locks } = parts.storage;
  const account = accountOf(() => open);
  const sending = { connection, choice, requireModel: models.requireModel };
  const model = new ModeModel({ choice, mode: () => open.chat.mode });
  const preset = new ChatPreset({
    chosen: () => open.chat.conversation.preset,
    presets: parts.presets,
    model,
  });
  const open: OpenChat = new OpenChat({
    pickModel: () => parts.connectionUi.picker.pickModel(),
    expand: parts.expand,
    noteStarter: parts.demo.noteStarter,
    focus: () => chats.reveal(false),
    asides: {
      create: () => chats.create(),
      // A tab may show it, too.
      discard: async (side) => (chats.isPlaced(side) ? undefined : deletion.discard(side.id)),
    },
    tools: parts.calls,
    restores: parts.restores,
    replies: parts.replies,
    requireModel: (mode) =>
      preset.requireModel(() => model.resolve(() => modelForPage(sending, chats), mode)),
    preset,
    start,
    chat: {
      ...chatOptions(parts, () => open, preset),
      loadImages: (attached) => open.images.load(attached),
    },
    imageFiles: images,
    settings: window.settings,
    connection: {
      onDidChange: connection.onDidChange,
      get state() {
        return connection.stateOf(preset.model.current().id);
      },
    },
    model: preset.model,
    budgetLeft: (model) => service.budgetLeft(account, model),
    costOf: (turn, chat) => replyCost(turn, chat, parts.ledger.log, usageContext(window.settings)),
    toolAccess: parts.toolAccess,
    tokensOf: (model, characters) => ratios.estimate(model, characters, 'prompt'),
    storage: journals,
    locks,
    state: window.context.workspaceState,
    workspace: firstFolder(),
    clock: systemClock,
    ...storeTexts(journals.location),
    onError: (what, error) => window.log.error(what, error),
    onUnread: (tryAgain) => background(showUnreadError(tryAgain)),
    onRefused: (error) => background(window.errors.show(error, 'Sending a message')),
    onCopied: showCopied,
    recent: parts.recent,
    starters: findStarters(),
    diagrams: findDiagramSupport(vscode.extensions),
    windowFocus,
    attachments: { handle: async (call) => parts.attachments.forChat(open).handle(call) },
  });
  return open;
}

/** Everything that a turn of the chat needs besides its images. */
function chatOptions(parts: ChatParts, open: () => OpenChat, preset: ChatPreset): ChatOptions {
  const { service, models, connection, toolAccess, instructions, skills } = parts;
  const { settings } = parts.window;
  const account = accountOf(open);
  const mode = (): ChatMode => open().chat.mode;
  return {
    clock: systemClock,
    proposedMode: () => parts.lastMode.current,
    meter: service.meter,
    connect: (model) => service.connect('chat', model, account),
    asSent: (request) => service.asSent(request, account),
    async tools({ model, question }) {
      const ofTurn = (): ChatMode => modeOfMessage(question, mode());
      if (mode() === 'chat' || toolAccess.obstacle(model) !== undefined) return undefined;
      const { maxRounds } = settings.current().tools;
      const limit = limitOfTurn(model, settings.current(), connection.isDemo);
      const all = chatTools(await parts.tools.forTurn(), open(), ofTurn);
      const toolbox = parts.chats.isAside(open()) ? all?.runningReading : all;
      return toolbox && { toolbox, maxRounds, limit };
    },
    describe: models.describe,
    async prepare(about, mayAsk) {
      await preset.refresh();
      if (mayHaveInstructions()) await instructions.prepare(about, mayAsk);
      if (mode() === 'chat' || !settings.current().tools.enabled) return;
      await (mayAsk ? skills.prepare() : skills.read());
    },
    settings(model) {
      const ofChat = {
        settings,
        preset,
        instructions: instructions.used,
        skills: skills.listed,
        mode: mode(),
      };
      const { service: sentTo } = connection.placeOf(model);
      return { ...promptSettings(model, ofChat), service: sentTo };
    },
    async checkMessage(message, sentTo) {
      const values = settings.current();
      await service.check(textsOf(message));
      requireImagesTaken(message, sentTo, values);
    },
  };
}

import * as vscode from 'vscode';
import { systemClock } from '../core/support/clock.ts';
import { Chat } from '../host/chat/chat.ts';
import { ChatNotices } from '../host/chat/chatNotices.ts';
import { ChatPanel } from '../host/chat/chatPanel.ts';
import { settingsOfModel } from '../host/settingValues.ts';
import { ModelsWithoutTools, ToolAccess } from '../host/tools/toolAccess.ts';
import type { ChatAccount } from '../host/usage/requestAdmission.ts';
import { paidUsage } from '../host/usage/usageTable.ts';
import { createLeases, type Base } from './base.ts';
import type { ConnectionServices } from './connection.ts';
import type { Features } from './features.ts';
import type { ChatStorage } from './node/storage.ts';

interface ChatWiring {
  readonly base: Base;
  readonly connection: ConnectionServices;
  readonly features: Features;
  readonly access: ToolAccess;
}

interface ChatOnlyWiring extends ChatWiring {
  /** Resolves when everything that happened to the chat is stored. */
  readonly saved: () => Promise<void>;
}

interface PanelWiring extends ChatWiring {
  readonly storage: ChatStorage;
}

/** Which models get tools. */
export function createToolAccess(base: Base, { connection }: ConnectionServices): ToolAccess {
  const withoutTools = new ModelsWithoutTools(base.context.globalState);
  return new ToolAccess({
    settings: base.settings,
    origin: () => connection.origin,
    withoutTools,
  });
}

/** Creates the chat, which uses the service, the model and the settings of the moment. */
export function createChat(wiring: ChatOnlyWiring): Chat {
  const { base, connection, features, access, saved } = wiring;
  const { settings } = base;
  const { serviceAccess } = connection;
  const { tools, attachments } = features;
  const account = accountOf(() => chat, saved);
  const chat: Chat = new Chat({
    ...serviceAccess,
    connect: () => serviceAccess.connect('chat', account),
    asSent: (request) => serviceAccess.asSent(request, account),
    tools: async ({ model }) => (access.allows(model) ? (await tools.load()).forTurn() : undefined),
    onToolsRefused: (model) => void access.refused(model),
    describe(error, model) {
      const { origin } = connection.connection;
      if (origin !== undefined) void connection.catalog.noteError(origin, model, error);
      return serviceAccess.describe(error, model);
    },
    async prepare() {
      if (mayHaveInstructions()) await (await attachments.load()).prepare();
    },
    clock: systemClock,
    settings(model) {
      const values = settings.current();
      const { instructions, stream } = values;
      const files = attachments.value?.instructions() ?? [];
      const { contextWindow } = settingsOfModel(values, model);
      const options = settings.requestOptions(model);
      return { instructions, files, stream, options, contextWindow };
    },
    checkMessage: (message) =>
      serviceAccess.check([message.text, ...message.attachments.map(({ text }) => text)]),
  });
  return chat;
}

function accountOf(chat: () => Chat, saved = nothingToSave): ChatAccount {
  return {
    id: () => chat().conversation.id,
    usage: () => paidUsage(chat().conversation),
    saved,
  };
}

function nothingToSave(): Promise<void> {
  return Promise.resolve();
}

/** Instruction files are read only in a workspace that the person trusts. */
function mayHaveInstructions(): boolean {
  return vscode.workspace.isTrusted && vscode.workspace.workspaceFolders !== undefined;
}

/** Creates the panel that shows the chat, and saves it. */
export function createPanel(
  chat: Chat,
  { base, connection, features, access, storage }: PanelWiring,
): ChatPanel {
  const { tools, attachments, code, history } = features;
  const { ui, ratios, requireModel } = connection;
  return new ChatPanel({
    ...base,
    chat,
    storage,
    leases: createLeases(base.context),
    connection: connection.connection,
    model: connection.choice,
    requireModel,
    pickModel: async () => (await ui.load()).picker.pickModel(),
    recent: async () => (await history.load()).recent(),
    expand: async (message) => (await code.load()).expand(message),
    attachments: {
      handle: async (request) => (await attachments.load()).handle(request),
      complete: async (...given) => (await attachments.load()).complete(...given),
      references: async (words) => (await attachments.load()).references(words),
    },
    cost: {
      budgetLeft: (model) =>
        connection.serviceAccess.budgetLeft(
          accountOf(() => chat),
          model,
        ),
      hasTools: (model) => access.allows(model),
      tokensOf: (model, characters) => ratios.estimate(model, characters, 'prompt'),
    },
    tools: {
      decide: async (...given) => (await tools.load()).actions.decide(...given),
      review: async (...given) => (await tools.load()).actions.review(...given),
      change: async (...given) => (await tools.load()).actions.change(...given),
    },
    replies: {
      open: async (...given) => (await code.load()).replies.open(...given),
      apply: async (block) => (await code.load()).replies.apply(block),
      newFile: async (block) => (await code.load()).replies.newFile(block),
      insert: async (text) => (await code.load()).replies.insert(text),
      runInTerminal: async (text) => (await code.load()).replies.runInTerminal(text),
    },
  });
}

/** Creates what tells the person of the chat while its panel is out of sight. */
export function createNotices({ settings }: Base, chat: Chat, panel: ChatPanel): ChatNotices {
  return new ChatNotices({
    chat,
    panel: panel.inSight,
    focus: {
      isFocused: () => vscode.window.state.focused,
      onDidChange: (listener) => vscode.window.onDidChangeWindowState(listener),
    },
    level: () => settings.current().notify,
    notify: async (message, button) =>
      (await vscode.window.showInformationMessage(message, button)) === button,
    reveal: () => panel.reveal(false),
    clock: systemClock,
  });
}
